/**
 * The address that a mail asks its patient to open, or null. The payment page, which every mail names, does not count.
 */
export function actionLinkIn(text: string): string | undefined {
  return /(?<!(?:Ver mi pago|See my payment): )https?:\S+widget_token=\S+/.exec(text)?.[0];
}
