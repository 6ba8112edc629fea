/** True for a window that shows a page of our origin. The address of any other is unreadable. */
export function isOurs(other: Window, origin: string): boolean {
  try {
    return other.location.origin === origin;
  } catch {
    return false;
  }
}
