import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePorts } from "../../../lab/crash/free-ports.ts";

/*
 * The connector kit as its users get it: the package's files in an empty folder outside the repository, with only the
 * dependencies that it declares.
 */

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL("../../../packages/connector-kit", import.meta.url));
const BFF_MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const ROOT_MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const TSC = join(ROOT_MODULES, ".bin", "tsc");

interface Manifest {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

let folder: string;
let manifest: Manifest;
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aapd-kit-"));
  manifest = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
  const kit = join(folder, "node_modules/@aapd/connector-kit");
  await mkdir(kit, { recursive: true });
  await run(TSC, ["-p", join(PACKAGE, "tsconfig.json"), "--outDir", join(kit, "lib")]);
  for (const file of ["package.json", ...manifest.files.filter((name) => name !== "lib")])
    await cp(join(PACKAGE, file), join(kit, file), { recursive: true });
  for (const name of Object.keys(manifest.dependencies)) {
    const place = join(folder, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(BFF_MODULES, name), place);
  }
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await cp(join(kit, "example"), folder, { recursive: true });
  await cp(join(kit, "calls.sql"), join(folder, "migrations/0001_calls.sql"));
});
afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

it("its example type-checks against the package's declarations", async () => {
  await symlink(join(ROOT_MODULES, "@types", "node"), join(folder, "node_modules/@types/node"));
  const options =
    "--noEmit --strict --skipLibCheck --target es2024 --module nodenext --allowImportingTsExtensions --types node";
  await run(TSC, [...options.split(" "), "main.ts", "stand-in.ts"], { cwd: folder }).catch((error: unknown) => {
    throw new Error(error instanceof Error && "stdout" in error ? String(error.stdout) : String(error));
  });
});

// In the short check: bff/test/http/gateways/bank-file.test.ts:
// the connector passes the connector check with a script as the operator.
it("its example, run by its README, conforms to the protocol", { tags: ["long"], timeout: 180_000 }, async () => {
  const [bank = 0, connector = 0] = await freePorts(2);
  const env = {
    PATH: process.env.PATH,
    STAND_IN_PORT: String(bank),
    CONNECTOR_PORT: String(connector),
    CONNECTOR_TOKEN: "a-token-of-16-characters",
    CONNECTOR_DATABASE_URL: "./data",
    BANK_URL: `http://127.0.0.1:${bank}`,
    BANK_API_KEY: "key",
  };
  for (const program of ["stand-in.ts", "main.ts"])
    started.push(spawn(process.execPath, [program], { cwd: folder, env, stdio: "inherit" }));
  const url = `http://127.0.0.1:${connector}`;
  await expect
    .poll(
      () =>
        fetch(`${url}/readyz`).then(
          ({ status }) => status,
          () => null,
        ),
      { timeout: 120_000 },
    )
    .toBe(200);
  const check = join(folder, "node_modules/@aapd/connector-kit", manifest.bin["aapd-connector-check"] ?? "");
  const options = ["--environment", "test", "--party", "bank", "--values", "values.json", "--json"];
  const { stdout } = await run(process.execPath, [check, `${url}/connector/v1`, ...options], { cwd: folder, env });
  expect(JSON.parse(stdout)).toMatchObject({ verdict: "conforms", failed: 0 });
});
