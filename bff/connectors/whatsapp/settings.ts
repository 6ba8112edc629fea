import * as z from "zod";
import { isProtected, readSettings, SettingsInvalid } from "../kit/settings.ts";

const META = "https://graph.facebook.com";
const digits = z.string().regex(/^\d{5,20}$/, "is a number of Meta's, only digits");

/** What the README explains. */
const SETTINGS = {
  WHATSAPP_ACCESS_TOKEN: z.string().min(20),
  WHATSAPP_PHONE_NUMBER_ID: digits,
  WHATSAPP_BUSINESS_ACCOUNT_ID: digits,
  WHATSAPP_APP_SECRET: z.string().regex(/^[0-9a-f]{32}$/, "is the app's secret, 32 hexadecimal digits"),
  WHATSAPP_VERIFY_TOKEN: z.string().min(16),
  WHATSAPP_API_VERSION: z
    .string()
    .regex(/^v\d{2,3}\.0$/, "is a version of the Graph API, such as v23.0")
    .default("v23.0"),
  /** Another gateway for messages, in the connector protocol. */
  WHATSAPP_FALLBACK_URL: z.url().refine(isProtected, "is an https address, or one on 127.0.0.1").optional(),
  WHATSAPP_FALLBACK_TOKEN: z.string().min(16).optional(),
  /** A stand-in on this machine, instead of Meta. */
  WHATSAPP_BASE_URL: z
    .url()
    .refine((url) => new URL(url).hostname === "127.0.0.1", "is an address on 127.0.0.1")
    .optional(),
};

/** Throws `SettingsInvalid`. */
export function readWhatsappSettings(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(SETTINGS, environment);
  const { WHATSAPP_FALLBACK_URL: url, WHATSAPP_FALLBACK_TOKEN: token } = settings;
  if ((url === undefined) !== (token === undefined))
    throw new SettingsInvalid("WHATSAPP_FALLBACK_URL: set it together with WHATSAPP_FALLBACK_TOKEN, or neither");
  return {
    ...settings,
    party: {
      baseUrl: `${settings.WHATSAPP_BASE_URL ?? META}/${settings.WHATSAPP_API_VERSION}`,
      accessToken: settings.WHATSAPP_ACCESS_TOKEN,
    },
    phoneNumberId: settings.WHATSAPP_PHONE_NUMBER_ID,
    accountId: settings.WHATSAPP_BUSINESS_ACCOUNT_ID,
    webhook: { appSecret: settings.WHATSAPP_APP_SECRET, verifyToken: settings.WHATSAPP_VERIFY_TOKEN },
    fallback: url === undefined || token === undefined ? null : { baseUrl: url, token },
  };
}
