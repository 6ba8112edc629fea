/** Controls, line breaks, invisible characters, and marks that change the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a text is one line of characters that a reader can see, in the order in which they are stored. */
export function isPlainText(text: string): boolean {
  return !UNSEEN.test(text);
}

export const PLAIN_TEXT_MESSAGE = "must be one line without control, zero-width or bidirectional characters";
