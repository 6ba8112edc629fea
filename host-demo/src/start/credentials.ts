import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { readTextFile } from "../files/read-text-file.ts";
import { runToEnd } from "./child-process.ts";
import { bffEnvironment, type Programs } from "./programs.ts";
import type { Settings } from "./settings.ts";

const credentialsSchema = z.object({
  client_secret: z.string(),
  client_id: z.string(),
  public_key: z.string(),
  webhook_secret: z.string(),
  secret_key: z.string(),
});
/** What the clinic holds: shown once by the service when it was made, kept by the clinic in a file of its own. */
export type Credentials = z.infer<typeof credentialsSchema>;

const seedAnswerSchema = z.object({ credentials: credentialsSchema });

async function readKept(path: string): Promise<Credentials | null> {
  const text = await readTextFile(path);
  return text === null ? null : credentialsSchema.parse(JSON.parse(text));
}

async function keep(path: string, credentials: Credentials): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(credentials), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/**
 * Brings the database up to date and makes sure that the demo's clinic is registered with this origin and webhook.
 * The service tells secrets only once; a clinic that has lost its file is given new ones.
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
  await mkdir(folder, { recursive: true });
  const kept = await readKept(path);
  const seed = [...programs.aapd, "seed", "--json", "--origin", settings.clinicUrl];
  seed.push("--webhook-url", `${settings.clinicUrl}/webhooks/aapd`);
  if (kept === null) seed.push("--new-credentials");
  const answer = await runToEnd("aapd seed", seed, environment, interrupted);
  if (kept !== null) return kept;
  const { credentials } = seedAnswerSchema.parse(JSON.parse(answer));
  await keep(path, credentials);
  return credentials;
}
