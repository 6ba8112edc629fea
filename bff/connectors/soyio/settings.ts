import * as z from "zod";
import { readSettings } from "../kit/settings.ts";

const HOSTS = { sandbox: "https://sandbox.soyio.id", production: "https://app.soyio.id" } as const;

/** The claims of an API key that are used. */
const claimsSchema = z.object({ exp: z.number().optional() });

/** What the README explains. */
const SETTINGS = {
  SOYIO_ENVIRONMENT: z.enum(["sandbox", "production"]),
  /** Only its expiry is read from it. */
  SOYIO_API_KEY: z.string().transform((secret, context) => {
    const claims = readClaims(secret);
    if (claims !== null) return { secret, expiresAt: claims.exp === undefined ? null : new Date(claims.exp * 1_000) };
    context.addIssue({ code: "custom", message: "is the secret of an API key, a JWT, not its id ak_…" });
    return z.NEVER;
  }),
  /** A stand-in on this machine, instead of Soyio. */
  SOYIO_BASE_URL: z
    .url()
    .refine((url) => new URL(url).hostname === "127.0.0.1", "is an address on 127.0.0.1")
    .optional(),
};

function readClaims(jwt: string): z.output<typeof claimsSchema> | null {
  const [, payload = ""] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(jwt) ?? [];
  try {
    return claimsSchema.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
  } catch {
    return null;
  }
}

/** Throws `SettingsInvalid`. */
export function readSoyioSettings(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(SETTINGS, environment);
  const { secret, expiresAt } = settings.SOYIO_API_KEY;
  const baseUrl = settings.SOYIO_BASE_URL ?? HOSTS[settings.SOYIO_ENVIRONMENT];
  return { ...settings, party: { baseUrl, apiKey: secret }, keyExpiresAt: expiresAt };
}
