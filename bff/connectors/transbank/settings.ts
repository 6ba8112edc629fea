import * as z from "zod";
import { clp } from "../../src/contract/vocabulary/clp.ts";
import { readSettings, SettingsInvalid } from "../kit/settings.ts";
import type { Terms } from "./oneclick.ts";

const HOSTS = {
  integration: "https://webpay3gint.transbank.cl",
  production: "https://webpay3g.transbank.cl",
} as const;

const code = z.string().regex(/^\d{12}$/, "is a code of 12 digits");
const pesos = z.coerce.number().int().positive().transform(clp).optional();

/** The settings are explained in the README. */
const SETTINGS = {
  TRANSBANK_ENVIRONMENT: z.enum(["integration", "production"]),
  /** A stand-in on this machine, instead of Transbank. */
  TRANSBANK_BASE_URL: z
    .url()
    .refine((url) => new URL(url).hostname === "127.0.0.1", "is an address on 127.0.0.1")
    .optional(),
  TRANSBANK_MALL_CODE: code,
  TRANSBANK_API_KEY: z.string().min(16),
  TRANSBANK_SHOP_CODE: code,
  /** Keys of at least 32 characters, separated by blanks, newest first. */
  TRANSBANK_SEAL_KEYS: z
    .string()
    .default("")
    .transform((text) => text.split(/\s+/).filter((key) => key !== ""))
    .refine((keys) => keys.every((key) => key.length >= 32), "are keys of at least 32 characters"),
  TRANSBANK_CODE_LEVEL: z.enum(["1", "2"]).default("1"),
  TRANSBANK_EMAIL: z.email().max(100),
  TRANSBANK_CHARGE_MAX: pesos,
  TRANSBANK_DAY_MAX: pesos,
  TRANSBANK_REFUND_DAYS: z.coerce.number().int().min(1).max(365).default(90),
  /** The origin of the pages for patients' browsers: the service's `CARD_CHALLENGE_ORIGIN`. */
  TRANSBANK_PAGE_ORIGIN: z.url().transform((url) => new URL(url).origin),
};

/** Throws `SettingsInvalid`. */
export function readTransbankSettings(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(SETTINGS, environment);
  if (settings.TRANSBANK_ENVIRONMENT === "production" && settings.TRANSBANK_SEAL_KEYS.length === 0)
    throw new SettingsInvalid("TRANSBANK_SEAL_KEYS: production needs a key that encrypts each tbk_user");
  const terms: Terms = {
    shopCode: settings.TRANSBANK_SHOP_CODE,
    codeLevel: settings.TRANSBANK_CODE_LEVEL === "2" ? 2 : 1,
    limits: { perCharge: settings.TRANSBANK_CHARGE_MAX, perPatientDay: settings.TRANSBANK_DAY_MAX },
    refundDays: settings.TRANSBANK_REFUND_DAYS,
    email: settings.TRANSBANK_EMAIL,
  };
  const baseUrl = settings.TRANSBANK_BASE_URL ?? HOSTS[settings.TRANSBANK_ENVIRONMENT];
  return {
    ...settings,
    terms,
    party: { baseUrl, mallCode: settings.TRANSBANK_MALL_CODE, apiKey: settings.TRANSBANK_API_KEY },
  };
}
