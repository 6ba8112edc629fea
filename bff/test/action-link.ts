/**
 * The address that a mail asks its patient to open; null if it has none. The payment page, which every mail links, does
 * not count.
 */
export function actionLinkIn(text: string): string | undefined {
  return /(?<!(?:Ver mi pago|See my payment): )https?:\S+widget_token=\S+/.exec(text)?.[0];
}
