import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/*
 * What is installed is what was looked at: exact versions, from the registry, each known by its hash, with the pnpm that
 * package.json pins. Run by itself it prints what is wrong, and exits with 1.
 */

const PACKAGES = [".", "bff", "widget", "host-demo", "e2e"];

/**
 * @typedef {object} Manifest
 * @property {Readonly<Record<string, string>>} [dependencies]
 * @property {Readonly<Record<string, string>>} [devDependencies]
 * @property {string} [packageManager]
 */

/**
 * Dependencies whose version is no exact one, as `package: name@version`.
 *
 * @param {string} folder
 * @param {Manifest} manifest
 * @returns {string[]}
 */
export function loosePins(folder, { dependencies = {}, devDependencies = {} }) {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(
      ([, version]) => version !== "workspace:*" && !/^(?:npm:@?[\w./-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
    )
    .map(([name, version]) => `${folder}: ${name}@${version} is no exact version`);
}

/**
 * The packages of a lock file, each with its hash; null where it has none, or comes from elsewhere than the registry.
 *
 * @param {string} lockfile
 * @returns {{ name: string, version: string, integrity: string | null }[]}
 */
export function lockedPackages(lockfile) {
  const section = /\npackages:\n([\s\S]*?)\n(?=\S)/.exec(`${lockfile}\nend:`)?.[1] ?? "";
  return section.split(/\n(?= {2}\S)/).flatMap((entry) => {
    const [, name = "", version = ""] = /^\n? {2}'?(@?[^@'\n]+)@([^:'\n]+|[^'\n]+)'?:\n/.exec(entry) ?? [];
    if (name === "") return [];
    const isExotic = /tarball:|type: git|repo:/.test(entry) || !/^\d/.test(version);
    return [{ name, version, integrity: isExotic ? null : (/integrity: (sha512-[\w+/=]+)/.exec(entry)?.[1] ?? null) }];
  });
}

/**
 * Whether the pnpm that runs is the pinned one.
 *
 * @param {Manifest} manifest
 * @param {string} userAgent As pnpm tells it to what it runs: `pnpm/10.34.8 npm/? …`
 * @returns {string[]}
 */
export function otherPnpm({ packageManager = "" }, userAgent) {
  const [, pinned] = /^pnpm@([\d.]+)\+sha512\.[0-9a-f]{128}$/.exec(packageManager) ?? [];
  if (pinned === undefined) return ["package.json pins no pnpm by version and hash"];
  const running = /^pnpm\/([\d.]+)/.exec(userAgent)?.[1];
  return running === undefined || running === pinned ? [] : [`pnpm ${running} runs, and ${pinned} is pinned`];
}

/**
 * Whether the registry still serves the pinned pnpm with the pinned hash. Where no registry answers, nothing is known.
 *
 * @param {Manifest} manifest
 * @param {typeof fetch} ask
 * @returns {Promise<string[]>}
 */
export async function changedPnpm({ packageManager = "" }, ask = fetch) {
  const [, version, hash = ""] = /^pnpm@([\d.]+)\+sha512\.(\w+)$/.exec(packageManager) ?? [];
  const answer = await ask(`https://registry.npmjs.org/pnpm/${version}`, { signal: AbortSignal.timeout(20_000) }).catch(
    () => null,
  );
  if (answer === null || !answer.ok) return [];
  const served = /"integrity":\s*"sha512-([\w+/=]+)"/.exec(await answer.text())?.[1] ?? "";
  const isSame = Buffer.from(served, "base64").toString("hex") === hash;
  return isSame ? [] : [`the registry serves another pnpm ${version} than the pinned one`];
}

/** @param {string} root */
async function problemsIn(root) {
  const read = (/** @type {string} */ file) => readFileSync(join(root, file), "utf8");
  const manifests = PACKAGES.map((folder) => ({ folder, manifest: JSON.parse(read(join(folder, "package.json"))) }));
  const unknown = lockedPackages(read("pnpm-lock.yaml"))
    .filter(({ integrity }) => integrity === null)
    .map(({ name, version }) => `${name}@${version} is not of the registry, or has no hash`);
  const [{ manifest } = { manifest: {} }] = manifests;
  return [
    ...manifests.flatMap(({ folder, manifest: each }) => loosePins(folder, each)),
    ...unknown,
    ...otherPnpm(manifest, process.env.npm_config_user_agent ?? ""),
    ...(await changedPnpm(manifest)),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const problems = await problemsIn(process.cwd());
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
