import * as z from "zod";

/** The settings of every connector, from the environment. */
const SETTINGS = {
  /** The address that the service calls; on this machine only, unless `CONNECTOR_HOST` names an interface. */
  CONNECTOR_PORT: z.coerce.number().int().min(0).max(65_535),
  CONNECTOR_HOST: z.string().min(1).default("127.0.0.1"),
  /** The token with which the service authenticates: its own `CONNECTOR_TOKEN`. */
  CONNECTOR_TOKEN: z.string().min(16),
  /** `postgres://…`, or a folder for the embedded database in staging; never the service's own database. */
  CONNECTOR_DATABASE_URL: z.string().min(1),
};

/** Thrown for settings that are missing or wrong. The message names the variables, never their values. */
export class SettingsInvalid extends Error {
  override readonly name = "SettingsInvalid";
}

/** Whether an address is https, or on this machine. */
export function isProtected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || hostname === "127.0.0.1";
}

/** Parses a connector's own settings and those of the kit. Throws `SettingsInvalid`. */
export function readSettings<Shape extends z.ZodRawShape>(
  own: Shape,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<z.ZodObject<Shape>> & z.output<z.ZodObject<typeof SETTINGS>> {
  const read = <S extends z.ZodRawShape>(shape: S) => z.object(shape).safeParse(environment);
  const [kit, party] = [read(SETTINGS), read(own)];
  if (kit.success && party.success) return { ...party.data, ...kit.data };
  const issues = [...(kit.error?.issues ?? []), ...(party.error?.issues ?? [])];
  throw new SettingsInvalid(issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"));
}
