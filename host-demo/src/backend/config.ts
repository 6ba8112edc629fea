import * as z from "zod";

const urlSchema = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/$/, ""));

const environmentSchema = z.object({
  DEMO_PORT: z.coerce.number().int().min(0).max(65_535).default(4000),
  DEMO_BIND: z.string().default("127.0.0.1"),
  DEMO_DATA_DIR: z.string().default(".data/host-demo"),
  /** The folder of the built page, which the back end serves. */
  DEMO_PAGE_DIR: z.string(),
  ORDER_API_URL: urlSchema,
  SPOT_API_URL: urlSchema,
  WIDGET_HOST_URL: urlSchema,
  /** The page that shows designers the service's mails and documents. Only the sandbox has one. */
  MAILS_GALLERY_URL: urlSchema.optional(),
  AAPD_CLIENT_SECRET: z.string().min(1),
  AAPD_PUBLIC_KEY: z.string().min(1),
  AAPD_WEBHOOK_SECRET: z.string().min(1),
  AAPD_SECRET_KEY: z.string().min(1),
  /** The word between `X-` and `-Signature` in the webhook header. */
  AAPD_SIGNATURE_WORD: z.string().default("Service"),
});

/** The configuration of the clinic's backend. Only the backend holds the secrets. */
export interface ClinicConfig {
  readonly port: number;
  readonly bind: string;
  readonly dataDir: string;
  readonly pageDir: string;
  readonly orderApiUrl: string;
  readonly spotApiUrl: string;
  readonly widgetHostUrl: string;
  readonly mailsGalleryUrl: string | null;
  readonly clientSecret: string;
  readonly publicKey: string;
  readonly webhookSecret: string;
  /** Needed to manage webhooks. */
  readonly secretKey: string;
  readonly signatureHeader: string;
}

/** Thrown when the environment is invalid; names each variable, never its value. */
export class InvalidConfig extends Error {
  override name = "InvalidConfig";
}

export function readConfig(environment: Readonly<Record<string, string | undefined>>): ClinicConfig {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new InvalidConfig(lines.join("\n"));
  }
  const value = parsed.data;
  return {
    port: value.DEMO_PORT,
    bind: value.DEMO_BIND,
    dataDir: value.DEMO_DATA_DIR,
    pageDir: value.DEMO_PAGE_DIR,
    orderApiUrl: value.ORDER_API_URL,
    spotApiUrl: value.SPOT_API_URL,
    widgetHostUrl: value.WIDGET_HOST_URL,
    mailsGalleryUrl: value.MAILS_GALLERY_URL ?? null,
    clientSecret: value.AAPD_CLIENT_SECRET,
    publicKey: value.AAPD_PUBLIC_KEY,
    webhookSecret: value.AAPD_WEBHOOK_SECRET,
    secretKey: value.AAPD_SECRET_KEY,
    signatureHeader: `x-${value.AAPD_SIGNATURE_WORD.toLowerCase()}-signature`,
  };
}
