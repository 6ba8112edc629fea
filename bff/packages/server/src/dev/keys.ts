import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { CommandRefused } from "./output.ts";

/** The keys of one tenant of the sandbox, and where they are used. */
const sandboxKeysSchema = z.looseObject({
  provider: z.object({ id: z.string(), name: z.string(), rut: z.string() }),
  credentials: z.object({
    client_secret: z.string(),
    client_id: z.string(),
    public_key: z.string(),
    webhook_secret: z.string(),
    secret_key: z.string(),
  }),
  addresses: z.object({ order_api: z.string(), spot_api: z.string(), widget_host: z.string() }),
  ends_at: z.string(),
});
export type SandboxKeys = z.infer<typeof sandboxKeysSchema>;

const FOLDER = ".aapd";
const FILE = "sandbox.json";

/** Stores the keys in `.aapd/sandbox.json`, which only its owner can read and git ignores. Returns the path. */
export async function writeKeys(folder: string, keys: SandboxKeys): Promise<string> {
  const place = join(folder, FOLDER);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, ".gitignore"), "*\n");
  await writeFile(join(place, FILE), `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  return join(FOLDER, FILE);
}

/** The keys that `aapd-dev sandbox` has stored; null if there are none. */
export async function readKeys(folder: string): Promise<SandboxKeys | null> {
  const text = await readFile(join(folder, FOLDER, FILE), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : parseKeys(text);
}

/** Throws `CommandRefused` for a file that was changed or cut. */
function parseKeys(text: string): SandboxKeys {
  const parsed = sandboxKeysSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CommandRefused(`${FOLDER}/${FILE} is damaged. Get new keys: npx aapd-dev sandbox --new`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The variables that the guide's code reads. */
export function variablesOf({ provider, credentials, addresses }: SandboxKeys): Record<string, string> {
  return {
    ORDER_API: addresses.order_api,
    SPOT_API: addresses.spot_api,
    WIDGET_HOST: addresses.widget_host,
    PROVIDER_ID: provider.id,
    CLIENT_ID: credentials.client_id,
    CLIENT_SECRET: credentials.client_secret,
    PUBLIC_KEY: credentials.public_key,
    SECRET_KEY: credentials.secret_key,
    WEBHOOK_SECRET: credentials.webhook_secret,
  };
}

/** The variables as lines of an `.env` file. */
export function dotenvOf(keys: SandboxKeys): string {
  const lines = Object.entries(variablesOf(keys)).map(([name, value]) => `${name}=${value}\n`);
  return lines.join("");
}

/** The keys in the variables; null unless all are set. */
export function keysOfVariables(variables: Readonly<Record<string, string | undefined>>): SandboxKeys | null {
  const {
    ORDER_API,
    SPOT_API,
    WIDGET_HOST,
    PROVIDER_ID,
    CLIENT_ID,
    CLIENT_SECRET,
    PUBLIC_KEY,
    SECRET_KEY,
    WEBHOOK_SECRET,
  } = variables;
  const keys = sandboxKeysSchema.safeParse({
    provider: { id: PROVIDER_ID, name: "", rut: "" },
    credentials: {
      client_secret: CLIENT_SECRET,
      client_id: CLIENT_ID,
      public_key: PUBLIC_KEY,
      webhook_secret: WEBHOOK_SECRET,
      secret_key: SECRET_KEY,
    },
    addresses: { order_api: ORDER_API, spot_api: SPOT_API, widget_host: WIDGET_HOST },
    ends_at: "",
  });
  return keys.success ? keys.data : null;
}
