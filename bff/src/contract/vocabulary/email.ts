import * as z from "zod/mini";
import type { Brand } from "./brand.ts";

/**
 * An e-mail address in its normal form: the domain as the ASCII of IDNA (`a@xn--and-6ma2c.cl`), the part before it in
 * NFC. A local part beyond ASCII is in lower case, as on mail servers that support it. Any other keeps its case.
 * Compare with `sameEmail`.
 */
export type Email = Brand<string, "Email">;

export const EMAIL_LENGTH_MAX = 254;

const NAME = /^(?!\.)(?!.*\.\.)[\p{L}\p{M}\p{N}_'+\-.]*[\p{L}\p{M}\p{N}_+-]$/u;
const DOMAIN = /^(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*\.)+[\p{L}\p{M}\p{N}-]{2,}$/u;
const ASCII_DOMAIN = /^(?:[a-z0-9][a-z0-9-]*\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/;

/** Such an address needs SMTPUTF8, which a mail server may not support. */
export function isBeyondAscii(email: string): boolean {
  return /[\u0080-\uFFFF]/.test(email);
}

export const emailSchema = z.pipe(
  z.string().check(z.trim(), z.maxLength(EMAIL_LENGTH_MAX)),
  z.transform((text: string, context): Email => {
    const email = readEmail(text);
    if (email !== null) return email;
    context.issues.push({ code: "custom", input: text, message: "Invalid email address" });
    return z.NEVER;
  }),
);

function readEmail(text: string): Email | null {
  const at = text.lastIndexOf("@");
  const name = text.slice(0, at).normalize("NFC");
  const domain = asciiDomain(text.slice(at + 1).normalize("NFC"));
  if (at < 1 || domain === null || !NAME.test(name)) return null;
  const email = `${isBeyondAscii(name) ? name.toLowerCase().normalize("NFC") : name}@${domain}`;
  return email.length > EMAIL_LENGTH_MAX ? null : (email as Email);
}

/**
 * The URL parser applies IDNA (UTS 46), in browsers as in Node. Newer versions accept any `xn--` labels in an ASCII
 * name, but check each of them if another label is beyond ASCII.
 */
function asciiDomain(domain: string): string | null {
  const url = `http://${domain}`;
  if (!DOMAIN.test(domain) || !URL.canParse(url) || !URL.canParse(`http://ñ.${domain}`)) return null;
  const { hostname } = new URL(url);
  return ASCII_DOMAIN.test(hostname) ? hostname : null;
}

/**
 * The key for comparing addresses: the normal form with its ASCII letters in lower case. Databases fold these letters
 * the same way everywhere: `lower(email collate "C")`.
 */
export function emailKey(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function sameEmail(a: string, b: string): boolean {
  return emailKey(a) === emailKey(b);
}

/** `camila@example.com` → `c•••@e•••.com`: the owner recognises the address, but a stranger learns nothing. */
export function maskEmail(email: string): string {
  const [name = "", domain = ""] = email.trim().split("@");
  const [first = ""] = name;
  // The ASCII form of another alphabet's domain always begins with x.
  const initial = domain.startsWith("xn--") ? "" : domain.slice(0, 1);
  const suffix = domain.includes(".") ? domain.slice(domain.lastIndexOf(".")) : "";
  return `${first}•••@${initial}•••${suffix}`;
}

/** `+56912345678` → `+56•••••678` */
export function maskPhone(phone: string): string {
  return phone.length <= 6 ? "•••" : `${phone.slice(0, 3)}•••••${phone.slice(-3)}`;
}
