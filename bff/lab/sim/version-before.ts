import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
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

/** The commits that are tried in turn until one loads. */
const COMMITS_MAX = 20;

/**
 * The previous version, unpacked: the newest release that is not this commit. Without a release, the newest commit that
 * loads and whose migrations are the first ones of the working tree. Only such a commit's database can be migrated. A
 * commit in the middle of a change may lack a file that others import.
 */
export async function unpackVersionBefore(): Promise<CommitBefore & { readonly folder: string }> {
  if (git("rev-parse", "--is-shallow-repository") !== "false")
    throw new NoVersionBefore("The repository's history is not here.");
  const release = findRelease();
  if (release !== null) return { ...release, folder: await unpack(release) };
  const commits = commitsToMigrate();
  for (const commit of commits) {
    const folder = await unpack(commit);
    if (await loadsFrom(folder)) return { ...commit, folder };
  }
  if (commits.length === 0) throw new NoVersionBefore("No commit has the first migrations of these, and not all.");
  throw new Error(`None of ${commits.length} commits loads, from ${commits[0]?.commit} backwards.`);
}

function findRelease(): CommitBefore | null {
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
  return release === undefined || release === "" ? null : { ...commitOf(release), why: `release ${release}` };
}

/** The newest commits with the first of the working tree's migrations, newest first. */
function commitsToMigrate(): CommitBefore[] {
  const names = readdirSync(join(packageFolder, "migrations")).sort();
  const blobs = git("hash-object", ...names.map((name) => `migrations/${name}`)).split("\n");
  const migrations = names.map((name, index) => `${blobs[index]}\tmigrations/${name}`);
  const firstOf = (commit: string): number | null => {
    const known = git("ls-tree", "--format=%(objectname)%x09%(path)", commit, "migrations/").split("\n");
    return known.length < migrations.length && known.every((one, index) => one === migrations[index])
      ? known.length
      : null;
  };
  const touching = git("log", "--first-parent", "--format=%H", "--", "migrations").split("\n");
  const newest = ["HEAD", ...touching.map((one) => `${one}^`)].find((commit) => firstOf(commit) !== null);
  if (newest === undefined) return [];
  return git("log", "--first-parent", "--format=%H", `--max-count=${COMMITS_MAX}`, newest)
    .split("\n")
    .flatMap((commit) => {
      const count = firstOf(commit);
      const why = `the newest commit that loads, with the first ${count} of ${migrations.length} migrations, for there is no release`;
      return count === null ? [] : [{ commit, why }];
    });
}

/** Whether a version is complete. Removes the folder if it is not, or fails to load for another reason. */
export async function loadsFrom(folder: string): Promise<boolean> {
  try {
    await loadVersion(folder);
    return true;
  } catch (error) {
    await rm(folder, { recursive: true });
    // A missing file or a missing export.
    const isIncomplete =
      (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") ||
      error instanceof SyntaxError;
    if (isIncomplete) return false;
    throw error;
  }
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
  if (packed.status === 0 && unpacked.status === 0) return folder;
  await rm(folder, { recursive: true });
  throw new Error(`${commit} could not be unpacked.`);
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
  const { resolveException }: typeof import("../../src/back-office/exceptions/resolve-exception.ts") = await load(
    "src/back-office/exceptions/resolve-exception.ts",
  );
  const { listExceptions }: typeof import("../../src/back-office/list-exceptions.ts") = await load(
    "src/back-office/list-exceptions.ts",
  );
  const migrations = await readMigrations(join(folder, "migrations"));
  return {
    readConfig,
    createKeyring,
    openDatabase,
    migrate,
    createSandboxGateways,
    startInstance,
    makePartner,
    listExceptions,
    resolveException,
    migrations,
  };
}
