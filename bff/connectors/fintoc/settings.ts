import * as z from "zod";
import { readSettings } from "../kit/settings.ts";
import { readPrivateKey } from "./jws.ts";

const FINTOC = "https://api.fintoc.com";

/** What the README explains. */
const SETTINGS = {
  FINTOC_SECRET_KEY: z.string().regex(/^sk_(?:test|live)_\S+$/, "is a secret key, sk_test_… or sk_live_…"),
  FINTOC_ACCOUNT_ID: z.string().regex(/^acc_\S+$/, "is the id of an account, acc_…"),
  /** PEM on one line, with `\n` for the ends of lines. */
  FINTOC_JWS_PRIVATE_KEY: z.string().transform((text, context) => {
    const key = readPrivateKey(text.replaceAll("\\n", "\n"));
    if (key !== null) return key;
    context.addIssue({ code: "custom", message: "is an RSA private key in PEM" });
    return z.NEVER;
  }),
  /** A stand-in on this machine, instead of Fintoc. */
  FINTOC_BASE_URL: z
    .url()
    .refine((url) => new URL(url).hostname === "127.0.0.1", "is an address on 127.0.0.1")
    .optional(),
};

/** Throws `SettingsInvalid`. */
export function readFintocSettings(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(SETTINGS, environment);
  return {
    ...settings,
    party: {
      baseUrl: settings.FINTOC_BASE_URL ?? FINTOC,
      secretKey: settings.FINTOC_SECRET_KEY,
      privateKey: settings.FINTOC_JWS_PRIVATE_KEY,
    },
    accountId: settings.FINTOC_ACCOUNT_ID,
  };
}
