import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The inputs of every step. */
const common = [".ci", ".config", "package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"];

/**
 * Passed steps whose inputs have not changed since. A step without `reads` depends on the whole work tree.
 *
 * @typedef {object} Passed
 * @property {(step: import("./plan.mjs").Step) => import("./counts.mjs").Counts | undefined} find
 * @property {(step: import("./plan.mjs").Step, counts: import("./counts.mjs").Counts) => void} keep
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
  if (tree === undefined) return { find: () => undefined, keep: () => undefined };
  /** @param {import("./plan.mjs").Step} step */
  const keyOf = ({ name, program, args, env, reads }) => {
    const inputs =
      reads === undefined
        ? tree
        : execFileSync("git", ["ls-tree", tree, "--", ...common, ...reads], { cwd: root, encoding: "utf8" });
    return createHash("sha256")
      .update(JSON.stringify([name, program, args, env, inputs, versions]))
      .digest("hex");
  };
  return {
    find(step) {
      const kept = read(path)[step.name];
      return step.reads?.length !== 0 && kept?.key === keyOf(step) ? kept.counts : undefined;
    },
    keep(step, counts) {
      writeFileSync(path, JSON.stringify({ ...read(path), [step.name]: { key: keyOf(step), counts } }));
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
