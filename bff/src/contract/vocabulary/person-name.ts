import * as z from "zod/mini";

export const NAME_LENGTH_MAX = 255;

/**
 * A name that is put into mails to patients, which come from a genuine sender: it may break no line and hold no address,
 * so that nobody writes his own message into one.
 */
export const personNameSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(NAME_LENGTH_MAX),
    z.refine(isName, "must be a name: one line, without an address"),
  );

function isName(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]|@|:\/\/|\bwww\./iu.test(text);
}
