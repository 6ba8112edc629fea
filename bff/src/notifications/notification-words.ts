/** The words of a notice, before they become text and HTML. */
export interface NotificationWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A number to type, shown large. */
  readonly code?: string;
  readonly table?: readonly (readonly [string, string])[];
  readonly link?: { readonly label: string; readonly url: string };
}
