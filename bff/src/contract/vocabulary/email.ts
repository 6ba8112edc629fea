import * as z from "zod/mini";
import type { Brand } from "./brand.ts";

/** An e-mail address as it was given, trimmed. Compare with `sameEmail`, which ignores case. */
export type Email = Brand<string, "Email">;

export const EMAIL_LENGTH_MAX = 254;

export const emailSchema = z.pipe(
  z.string().check(z.trim(), z.maxLength(EMAIL_LENGTH_MAX), z.email()),
  z.transform((text: string): Email => text as Email),
);

export function sameEmail(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** `camila@example.com` → `c•••@e•••.com`: the owner recognises the address, but a stranger learns nothing. */
export function maskEmail(email: string): string {
  const [local = "", domain = ""] = email.trim().split("@");
  const suffix = domain.includes(".") ? domain.slice(domain.lastIndexOf(".")) : "";
  return `${local.slice(0, 1)}•••@${domain.slice(0, 1)}•••${suffix}`;
}

/** `+56912345678` → `+56•••••678` */
export function maskPhone(phone: string): string {
  return phone.length <= 6 ? "•••" : `${phone.slice(0, 3)}•••••${phone.slice(-3)}`;
}
