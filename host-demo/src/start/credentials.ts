import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { readTextFile } from "../files/read-text-file.ts";
import { PartFailed, runToEnd } from "./child-process.ts";
import { bffEnvironment, type Programs } from "./programs.ts";
import type { Settings } from "./settings.ts";

const credentialsSchema = z.object({
  client_secret: z.string(),
  client_id: z.string(),
  public_key: z.string(),
  webhook_secret: z.string(),
  secret_key: z.string(),
});
/** The clinic's credentials. The service showed them only once, at their creation; the clinic stores them in a file. */
export type Credentials = z.infer<typeof credentialsSchema>;

const seedAnswerSchema = z.object({
  provider: z.object({ id: z.string() }),
  /** Present if the clinic has just been created, or new credentials were requested. */
  credentials: credentialsSchema.optional(),
});

/** The content of the file. Without a provider id the credentials match no clinic. */
const keptSchema = credentialsSchema.extend({ provider_id: z.string().default("") });

async function readKept(path: string): Promise<z.infer<typeof keptSchema> | null> {
  const text = await readTextFile(path);
  return text === null ? null : keptSchema.parse(JSON.parse(text));
}

async function keep(path: string, kept: z.infer<typeof keptSchema>): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/**
 * Migrates the database and makes sure that the demo's clinic is registered with this origin and webhook. The service
 * shows secrets only once, so a clinic without its file, or with the file of another database, gets new ones.
 */
export async function registerClinic(
  settings: Settings,
  programs: Programs,
  base: NodeJS.ProcessEnv,
  interrupted: AbortSignal,
): Promise<Credentials> {
  const environment = bffEnvironment(settings, base);
  const folder = join(settings.dataDir, "host-demo");
  const path = join(folder, "credentials.json");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = await readKept(path);
  const aapd = (...words: readonly string[]) =>
    runToEnd(`aapd ${words[0]}`, [...programs.aapd, ...words], environment, interrupted);
  const seed = async (...words: readonly string[]) => {
    const webhookUrl = `${settings.clinicUrl}/webhooks/aapd`;
    const logoUrl = `${settings.clinicUrl}/logo.png`;
    const line = ["--origin", settings.clinicUrl, "--webhook-url", webhookUrl, "--logo-url", logoUrl, ...words];
    return seedAnswerSchema.parse(JSON.parse(await aapd("seed", "--json", ...line)));
  };
  // The embedded database is migrated whenever it is opened.
  if (base.DATABASE_URL !== undefined) await aapd("migrate");
  let answer = await seed(...(kept === null ? ["--new-credentials"] : []));
  const isOfAnother = kept !== null && kept.provider_id !== answer.provider.id;
  if (answer.credentials === undefined && isOfAnother) answer = await seed("--new-credentials");
  const credentials = answer.credentials ?? kept;
  if (credentials === null) throw new PartFailed("aapd seed printed no credentials.");
  await keep(path, { ...credentials, provider_id: answer.provider.id });
  return credentials;
}
