import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { openDatabase } from "../../src/platform/database/database.ts";
import { type Migration, type migrate, readMigrations } from "../../src/platform/database/migrate.ts";
import { packageFolder } from "../../src/platform/program.ts";
import type { Version } from "./world.ts";

/* The version that was deployed before this one, with its code from the repository's history. */

/** A commit, and the reason for its choice. */
export interface CommitBefore {
  readonly commit: string;
  readonly why: string;
}

/** Thrown when the repository has no history here, or none with a previous version. */
export class NoVersionBefore extends Error {
  override readonly name = "NoVersionBefore";
}

/**
 * The newest release that is not this commit. Without a release, the newest commit that has the first migrations of the
 * working tree, unchanged, but not all of them: only such a commit's database can be migrated.
 */
export function findVersionBefore(): CommitBefore {
  if (git("rev-parse", "--is-shallow-repository") !== "false")
    throw new NoVersionBefore("The repository's history is not here.");
  const [release] = git(
    "tag",
    "--list",
    "v[0-9]*",
    "--no-contains",
    "HEAD",
    "--merged",
    "HEAD",
    "--sort=-version:refname",
  ).split("\n");
  if (release !== undefined && release !== "")
    return { commit: git("rev-parse", `${release}^{commit}`), why: `release ${release}` };
  const names = readdirSync(join(packageFolder, "migrations")).sort();
  const blobs = git("hash-object", ...names.map((name) => `migrations/${name}`)).split("\n");
  const migrations = names.map((name, index) => `${blobs[index]}\tmigrations/${name}`);
  const touching = git("log", "--first-parent", "--format=%H", "--", "migrations").split("\n");
  for (const commit of ["HEAD", ...touching.map((one) => `${one}^`)]) {
    const known = git("ls-tree", "--format=%(objectname)%x09%(path)", commit, "migrations/").split("\n");
    if (known.length < migrations.length && known.every((one, index) => one === migrations[index]))
      return {
        commit: git("rev-parse", commit),
        why: `the newest commit with the first ${known.length} of ${migrations.length} migrations, for there is no release`,
      };
  }
  throw new NoVersionBefore("No commit has the first migrations of these, and not all.");
}

export function commitOf(reference: string): CommitBefore {
  return { commit: git("rev-parse", "--verify", `${reference}^{commit}`), why: reference };
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: packageFolder, encoding: "utf8" });
  if (status !== 0) throw new NoVersionBefore(`git ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}

const ARCHIVE_BYTES_MAX = 256 * 1_024 * 1_024;

/**
 * Copies this package's earlier version into a folder inside this package, where it finds the installed packages. The
 * comparison is of code, on the same dependencies. The caller removes the folder.
 */
export async function unpack({ commit }: CommitBefore): Promise<string> {
  const cache = join(packageFolder, ".cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "version-before-"));
  const packed = spawnSync("git", ["archive", commit], { cwd: packageFolder, maxBuffer: ARCHIVE_BYTES_MAX });
  const unpacked = spawnSync("tar", ["-x", "-C", folder], { input: packed.stdout });
  if (packed.status !== 0 || unpacked.status !== 0) throw new Error(`${commit} could not be unpacked.`);
  return folder;
}

/** The code of one version, with its migrations. */
export interface VersionBefore extends Version {
  readonly openDatabase: typeof openDatabase;
  readonly migrate: typeof migrate;
  readonly migrations: readonly Migration[];
}

/** Loads the code that `unpack` has put into a folder. */
export async function loadVersion(folder: string): Promise<VersionBefore> {
  // Older versions have these files in other folders.
  const load = (path: string, before = path) =>
    import(pathToFileURL(join(folder, existsSync(join(folder, path)) ? path : before)).href);
  const { readConfig }: typeof import("../../src/app/config.ts") = await load("src/app/config.ts", "src/config.ts");
  const { createKeyring }: typeof import("../../src/platform/keyring.ts") = await load("src/platform/keyring.ts");
  const { openDatabase }: typeof import("../../src/platform/database/database.ts") = await load(
    "src/platform/database/database.ts",
  );
  const { migrate }: typeof import("../../src/platform/database/migrate.ts") = await load(
    "src/platform/database/migrate.ts",
  );
  const { createSandboxGateways }: typeof import("../../sandbox/sandbox-gateways.ts") =
    await load("sandbox/sandbox-gateways.ts");
  const { startInstance }: typeof import("./instance.ts") = await load("lab/sim/instance.ts", "sim/instance.ts");
  const { makePartner }: typeof import("./world.ts") = await load("lab/sim/world.ts", "sim/world.ts");
  const migrations = await readMigrations(join(folder, "migrations"));
  return {
    readConfig,
    createKeyring,
    openDatabase,
    migrate,
    createSandboxGateways,
    startInstance,
    makePartner,
    migrations,
  };
}
