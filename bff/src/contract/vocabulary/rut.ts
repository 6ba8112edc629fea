import * as z from "zod/mini";
import type { Brand } from "./brand.ts";

/** A Chilean national id as `body-DV`: no dots, no leading zeros, upper-case K (`12345678-5`). */
export type Rut = Brand<string, "Rut">;

/**
 * Numbers below this belong to people, numbers above to companies. That is only a convention, so the limit is a
 * setting.
 */
export const PERSON_BODY_LIMIT = 50_000_000;
const BODY_DIGITS_MIN = 6;

const UNICODE_DASHES = /\p{Pd}|[\u2212\u00AD]/gu;
const GROUPED_BY_DOTS = /^\d{1,3}(\.\d{3})*-?[\dK]$/;
/**
 * Without a dash, only a complete RUT has this form. Fewer digits may be a body alone, whose last digit would be read
 * as the check digit.
 */
const WHOLE_WITHOUT_DASH = /^[1-9]\d{7}[\dK]$/;

/** The check digit (`0`-`9` or `K`) of a RUT body, by the modulo 11 rule. */
export function checkDigitOf(body: number): string {
  let sum = 0;
  let factor = 2;
  for (let rest = body; rest > 0; rest = Math.floor(rest / 10)) {
    sum += (rest % 10) * factor;
    factor = factor === 7 ? 2 : factor + 1;
  }
  const remainder = 11 - (sum % 11);
  return remainder === 11 ? "0" : remainder === 10 ? "K" : String(remainder);
}

/**
 * Reads a RUT that a program or an operator gives: with its dash, or as eight digits and the check digit. Dots, spaces,
 * any dash and lower case are accepted. `null` if the text is anything else: `13656606` may be the body 13.656.606
 * without its check digit or another person's RUT 1.365.660-6.
 */
export function readRut(text: string): Rut | null {
  if (text.length > TEXT_LENGTH_MAX) return null;
  const tidied = tidy(text);
  const isClear = tidied.includes("-") || WHOLE_WITHOUT_DASH.test(tidied.replaceAll(".", ""));
  return isClear ? readTypedRut(tidied) : null;
}

/**
 * Reads a RUT as a patient types it, also without its dash. Only for a field that then shows the parsed RUT;
 * `null` if the text is not a RUT.
 */
export function readTypedRut(text: string): Rut | null {
  if (text.length > TEXT_LENGTH_MAX) return null;
  const typed = tidy(text).replace(/^0+(?=\d)/, "");
  if (typed.length > TYPED_LENGTH_MAX) return null;
  if (typed.includes(".") && !GROUPED_BY_DOTS.test(typed)) return null;
  const match = /^0*([1-9]\d*)-?([\dK])$/.exec(typed.replaceAll(".", ""));
  const digits = match?.[1];
  if (digits === undefined || digits.length < BODY_DIGITS_MIN || digits.length > 8) return null;
  if (checkDigitOf(Number(digits)) !== match?.[2]) return null;
  return `${digits}-${match[2]}` as Rut;
}

const TYPED_LENGTH_MAX = 20;
/** Longer texts are not even normalized. */
const TEXT_LENGTH_MAX = 64;

function tidy(text: string): string {
  return text.normalize("NFKC").trim().replace(UNICODE_DASHES, "-").replace(/\s+/g, "").toUpperCase();
}

/** Whether the text is a RUT in its stored form (`12345678-5`). */
export function isRut(text: string): text is Rut {
  return readRut(text) === text;
}

/** Thrown when a text that must be a RUT is not one. The error never contains the text. */
export class MalformedRut extends Error {
  override name = "MalformedRut";
}

export function parseRut(text: string): Rut {
  const rut = readRut(text);
  if (rut === null) throw new MalformedRut("not a RUT with a valid check digit");
  return rut;
}

export function isPersonRut(rut: Rut, limit: number = PERSON_BODY_LIMIT): boolean {
  return Number(rut.slice(0, -2)) < limit;
}

/** `12345678-5` → `12.345.678-5` */
export function formatRut(rut: Rut): string {
  return `${rut.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ".")}${rut.slice(-2)}`;
}

/** `12345678-5` → `12.***.***-5`: enough to recognise one's own RUT, too little to learn another's. */
export function maskRut(rut: Rut): string {
  const [first = "", ...groups] = formatRut(rut).slice(0, -2).split(".");
  return `${[first, ...groups.map(() => "***")].join(".")}${rut.slice(-2)}`;
}

const RUT_WANTED = "must be a RUT with its check digit: with its dash, or as nine characters";

/** Parses a RUT of a person or a company. */
export const rutSchema = z.pipe(
  z.string().check(z.maxLength(TEXT_LENGTH_MAX)),
  z.transform((text: string, context): Rut => {
    const rut = readRut(text);
    if (rut !== null) return rut;
    context.issues.push({ code: "custom", input: text, message: RUT_WANTED });
    return z.NEVER;
  }),
);

/** Parses a RUT of a natural person (`customer.rut`, a patient, a doctor). */
export const personRutSchema = z.pipe(
  rutSchema,
  z.transform((rut: Rut, context): Rut => {
    if (isPersonRut(rut)) return rut;
    context.issues.push({ code: "custom", input: rut, message: "must be the RUT of a person" });
    return z.NEVER;
  }),
);
