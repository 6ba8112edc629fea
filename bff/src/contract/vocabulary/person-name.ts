import * as z from "zod/mini";

/** Controls, line breaks, invisible characters, and marks that change the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a text is one line of visible characters, displayed in the order in which they are stored. */
export function isPlainText(text: string): boolean {
  return !UNSEEN.test(text);
}

export const PLAIN_TEXT_MESSAGE = "must be one line without control, zero-width or bidirectional characters";

export const NAME_LENGTH_MAX = 255;

/**
 * A person's name, 1 to 255 characters. Names appear in genuine mails to patients, so a name must not contain a
 * message. It must be one line of visible characters, with a letter and without an address.
 */
export const personNameSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(NAME_LENGTH_MAX),
    z.refine(isPlainText, PLAIN_TEXT_MESSAGE),
    z.refine(hasLetter, "must contain a letter"),
    z.refine(holdsNoAddress, "must not contain a web or e-mail address"),
  );

function hasLetter(text: string): boolean {
  // An empty name is refused for its length.
  return text === "" || /\p{L}/u.test(text);
}

function holdsNoAddress(text: string): boolean {
  return !/@|:\/\/|\bwww\./iu.test(text);
}

/**
 * A name for the greeting of a mail or message. A full stop inside a word is followed by a space there, so that no mail
 * program turns `evil.example` into a link.
 */
export function greetingName(name: string): string {
  return name.replace(/\.(?=\S)/g, ". ");
}
