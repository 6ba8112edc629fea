import * as z from "zod/mini";
import type { Brand } from "./brand.ts";

/** A telephone number in E.164 (`+56912345678`). */
export type Phone = Brand<string, "Phone">;

/** Longer texts are not even normalized. */
const TYPED_LENGTH_MAX = 64;

/**
 * Reads a Chilean number in any common form (`9 1234 5678`, `56 9…`, `+56 9…`) and a foreign one with its `+` prefix;
 * `null` for anything else.
 */
export function readPhone(text: string): Phone | null {
  if (text.length > TYPED_LENGTH_MAX) return null;
  const typed = text.normalize("NFKC").replace(/[\s().\p{Pd}]/gu, "");
  if (/^\+56/.test(typed)) return /^\+56[2-9]\d{8}$/.test(typed) ? (typed as Phone) : null;
  if (/^\+[1-9]\d{6,14}$/.test(typed)) return typed as Phone;
  const national = /^(?:0{0,2}56)?([2-9]\d{8})$/.exec(typed)?.[1];
  return national === undefined ? null : (`+56${national}` as Phone);
}

const DIGITS_MIN = 8;
const DIGITS_MAX = 15;

/**
 * Whether a text could be a telephone number: 8 to 15 digits, however they are grouped. Partners send numbers
 * in any form; `readPhone` decides whether messages can be sent to one.
 */
export function isPossiblePhone(text: string): boolean {
  if (text.length > TYPED_LENGTH_MAX) return false;
  const digits = text.normalize("NFKC").match(/\d/g)?.length ?? 0;
  return digits >= DIGITS_MIN && digits <= DIGITS_MAX;
}

export const phoneSchema = z.pipe(
  z.string().check(z.maxLength(TYPED_LENGTH_MAX)),
  z.transform((text: string, context): Phone => {
    const phone = readPhone(text);
    if (phone !== null) return phone;
    context.issues.push({ code: "custom", input: text, message: "must be a telephone number" });
    return z.NEVER;
  }),
);
