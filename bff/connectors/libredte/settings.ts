import * as z from "zod";
import { rutSchema } from "../../src/contract/vocabulary/rut.ts";
import { isProtected, readSettings } from "../kit/settings.ts";

/** What the README explains. */
const SETTINGS = {
  /** LibreDTE's own service, or your server. */
  LIBREDTE_URL: z.url().refine(isProtected, "is an https address, or one on 127.0.0.1").default("https://libredte.cl"),
  LIBREDTE_HASH: z.string().min(16),
  LIBREDTE_ISSUER_RUT: z.string().transform((text, context) => {
    const rut = rutSchema.safeParse(text);
    if (rut.success) return rut.data;
    context.addIssue({ code: "custom", message: "is a RUT with its check digit" });
    return z.NEVER;
  }),
  /** The line of the document. */
  LIBREDTE_ITEM: z.string().trim().min(1).max(80).default("Comisión"),
};

/** Throws `SettingsInvalid`. */
export function readLibredteSettings(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(SETTINGS, environment);
  return {
    ...settings,
    party: { baseUrl: settings.LIBREDTE_URL, hash: settings.LIBREDTE_HASH },
    issuerRut: settings.LIBREDTE_ISSUER_RUT,
    item: settings.LIBREDTE_ITEM,
  };
}
