import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The inputs of every step. */
export const common = [".ci", ".config", ".pnpmfile.cjs", "package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"];

/**
 * Passed steps whose inputs have not changed since. A step without `reads` depends on the whole work tree.
 *
 * @typedef {object} Passed
 * @property {(step: import("./plan.mjs").Step) => import("./counts.mjs").Counts | undefined} find
 * @property {(step: import("./plan.mjs").Step) => void} drop Before a step runs. Other steps read the records of its
 *   last run, which may be incomplete from now on.
 * @property {(step: import("./plan.mjs").Step, counts: import("./counts.mjs").Counts) => void} keep Does nothing if an
 *   input has changed while the step was running.
 */

/**
 * Finds nothing in continuous integration (`CI`) or outside a git work tree.
 *
 * @param {string} root
 * @param {readonly string[]} versions The versions of the programs that run the steps, besides the lock file.
 * @returns {Passed}
 */
export function openPassed(root, versions) {
  const path = join(root, ".cache/passed.json");
  const tree = process.env.CI ? undefined : workTree(root);
  if (tree === undefined) return { find: () => undefined, drop: () => undefined, keep: () => undefined };
  /**
   * @param {import("./plan.mjs").Step} step
   * @param {string | undefined} [of]
   */
  const keyOf = ({ name, program, args, env, reads }, of = tree) => {
    const inputs =
      reads === undefined
        ? of
        : execFileSync("git", ["ls-tree", of, "--", ...common, ...reads], { cwd: root, encoding: "utf8" });
    return createHash("sha256")
      .update(JSON.stringify([name, program, args, env, inputs, versions]))
      .digest("hex");
  };
  return {
    find(step) {
      const kept = read(path)[step.name];
      return step.reads?.length !== 0 && kept?.key === keyOf(step) ? kept.counts : undefined;
    },
    drop({ name }) {
      const { [name]: _dropped, ...others } = read(path);
      writeFileSync(path, JSON.stringify(others));
    },
    keep(step, counts) {
      const key = keyOf(step);
      if (key !== keyOf(step, workTree(root))) return;
      writeFileSync(path, JSON.stringify({ ...read(path), [step.name]: { key, counts } }));
    },
  };
}

/**
 * @param {string} path
 * @returns {Record<string, { key: string, counts: import("./counts.mjs").Counts }>}
 */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

/**
 * @param {string} root
 * @returns {string | undefined} Git's tree of all files that are not ignored, in their present state; the index is not
 *   changed.
 */
function workTree(root) {
  const index = join(root, ".cache/index");
  const env = { ...process.env, GIT_INDEX_FILE: index };
  /** @param {readonly string[]} args */
  const git = (...args) => execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: "pipe" }).trim();
  try {
    mkdirSync(dirname(index), { recursive: true });
    const own = execFileSync("git", ["rev-parse", "--path-format=absolute", "--git-path", "index"], { cwd: root });
    copyFileSync(own.toString().trim(), index);
    git("add", "--all");
    return git("write-tree");
  } catch {
    return undefined;
  }
}
