import * as z from "zod/mini";
import type { Brand } from "./brand.ts";

/** A Chilean national id as `body-DV`: no dots, no leading zeros, upper-case K (`12345678-5`). */
export type Rut = Brand<string, "Rut">;

/**
 * Numbers below this belong to people, numbers above to companies. That is only a convention, so the limit is a setting.
 */
export const PERSON_BODY_LIMIT = 50_000_000;
const BODY_DIGITS_MIN = 6;

const UNICODE_DASHES = /\p{Pd}|[\u2212\u00AD]/gu;
const GROUPED_BY_DOTS = /^\d{1,3}(\.\d{3})*-?[\dK]$/;

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

/** Reads a RUT in any common form (dots, spaces, any dash, lower case); `null` if the text is not a RUT. */
export function readRut(text: string): Rut | null {
  const typed = text.normalize("NFKC").trim().replace(UNICODE_DASHES, "-").replace(/\s+/g, "").toUpperCase();
  if (typed.length > 20) return null;
  const hasDots = typed.includes(".");
  if (hasDots && !GROUPED_BY_DOTS.test(typed)) return null;
  const match = /^0*([1-9]\d*)-?([\dK])$/.exec(typed.replaceAll(".", ""));
  const digits = match?.[1];
  if (digits === undefined || digits.length < BODY_DIGITS_MIN || digits.length > 8) return null;
  if (checkDigitOf(Number(digits)) !== match?.[2]) return null;
  return `${digits}-${match[2]}` as Rut;
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

/** `12345678-5` → `12.***.***-5`: enough to recognise one's own RUT, too little to learn another person's. */
export function maskRut(rut: Rut): string {
  const [first = "", ...groups] = formatRut(rut).slice(0, -2).split(".");
  return `${[first, ...groups.map(() => "***")].join(".")}${rut.slice(-2)}`;
}

/** Parses a RUT of a person or a company. */
export const rutSchema = z.pipe(
  z.string().check(z.maxLength(64)),
  z.transform((text: string, context): Rut => {
    const rut = readRut(text);
    if (rut !== null) return rut;
    context.issues.push({ code: "custom", input: text, message: "must be a RUT with its check digit" });
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
