/** True for a window that shows a page of our origin: no other's address can be read. */
export function isOurs(other: Window, origin: string): boolean {
  try {
    return other.location.origin === origin;
  } catch {
    return false;
  }
}
