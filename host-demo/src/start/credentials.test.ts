import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { registerClinic } from "./credentials.ts";
import { readSettings } from "./settings.ts";

// Each start runs one or two programs.
vi.setConfig({ testTimeout: 60_000 });

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "start-"));
});
afterEach(() => rm(folder, { recursive: true }));

/**
 * Replaces the operator's command line: it records its arguments and, like the real one, knows the clinics in its
 * "database" and prints each secret only once.
 */
const AAPD = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const [command, ...rest] = process.argv.slice(2);
appendFileSync("FOLDER/asked", command + (rest.includes("--new-credentials") ? " anew" : "") + "\\n");
const database = "FOLDER/" + (process.env.DATABASE_URL ?? "embedded");
const isNew = command === "seed" && !existsSync(database);
if (isNew) writeFileSync(database, String(Math.random()));
const id = command === "seed" ? readFileSync(database, "utf8") : "";
const names = ["client_secret", "client_id", "public_key", "webhook_secret", "secret_key"];
const credentials = Object.fromEntries(names.map((name) => [name, name + Math.random()]));
const isTold = isNew || rest.includes("--new-credentials");
process.stdout.write(JSON.stringify({ provider: { id }, ...(isTold ? { credentials } : {}) }));
`;

async function start(databaseUrl?: string) {
  const program = join(folder, "aapd.mjs");
  await writeFile(program, AAPD.replaceAll("FOLDER", folder));
  await rm(join(folder, "asked"), { force: true });
  const settings = readSettings({ PRODUCT_DATA_DIR: folder }, { isDevelopment: false });
  const base = { ...process.env, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };
  const programs = { bff: [], clinic: [], aapd: [program], keeper: [] };
  const { secret_key } = await registerClinic(settings, programs, base, new AbortController().signal);
  return { secret: secret_key, asked: (await readFile(join(folder, "asked"), "utf8")).trim().split("\n") };
}

it("the start reuses the clinic's credentials while the clinic is the same", async () => {
  const { secret, asked } = await start();
  expect(asked).toEqual(["seed anew"]);
  expect(await start()).toEqual({ secret, asked: ["seed"] });
});

it("the start takes the credentials of the clinic that it creates in an emptied database", async () => {
  const { secret } = await start();
  await rm(join(folder, "embedded"));
  const second = await start();
  expect(second.secret).not.toBe(secret);
  expect(await start()).toEqual({ secret: second.secret, asked: ["seed"] });
});

it("the start requests new credentials if another database already has the clinic", async () => {
  await start("other");
  const { secret } = await start();
  const back = await start("other");
  expect(back.secret).not.toBe(secret);
  expect(back.asked).toEqual(["migrate", "seed", "seed anew"]);
  expect((await start("other")).secret).toBe(back.secret);
});

it("the start migrates a separate database server before any other command", async () => {
  expect((await start("other")).asked).toEqual(["migrate", "seed anew"]);
});
