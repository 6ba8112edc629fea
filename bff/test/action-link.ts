/** The address that a mail asks its patient to open, if any; the payment page, which every mail names, is another. */
export function actionLinkIn(text: string): string | undefined {
  return /(?<!(?:Ver mi pago|See my payment): )https?:\S+widget_token=\S+/.exec(text)?.[0];
}
