const { spawnSync } = require("node:child_process");
const { existsSync, readdirSync } = require("node:fs");
const { delimiter, join } = require("node:path");

const ownFolder = join(__dirname, ".ci/node");

/**
 * Scripts need the Node of `nodeVersion` in pnpm-workspace.yaml or a newer one. pnpm itself also runs on an older one, and
 * then installs a Node from the registry for the scripts.
 */
module.exports = {
  hooks: {
    /**
     * @template {{ nodeVersion: string }} Config
     * @param {Config} config
     */
    updateConfig(config) {
      const oldest = Number.parseInt(config.nodeVersion, 10);
      if (majorOf("node") >= oldest) return config;
      process.env.PATH = [ownNode(oldest), process.env.PATH].join(delimiter);
      // Otherwise pnpm would warn for each package about the Node that it runs on itself.
      return { ...config, loglevel: "error" };
    },
  },
};

/**
 * @param {number} oldest
 * @returns {string} The folder with Node, which is installed if it is missing or incomplete.
 */
function ownNode(oldest) {
  const installed = installedNode(oldest);
  if (installed !== undefined) return installed;
  process.stderr.write(`The Node on the path is older than ${oldest}. Installing one in .ci/node for the scripts.\n`);
  spawnSync("npm ci --ignore-scripts --no-audit --no-fund", {
    cwd: ownFolder,
    shell: true,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const fresh = installedNode(oldest);
  if (fresh === undefined) throw new Error(`Install Node ${oldest} or newer: npm could not install it in .ci/node.`);
  return fresh;
}

/** @param {number} oldest */
function installedNode(oldest) {
  const packages = join(ownFolder, "node_modules");
  const names = existsSync(packages) ? readdirSync(packages).filter((name) => name.startsWith("node-")) : [];
  return names.map((name) => join(packages, name, "bin")).find((bin) => majorOf(join(bin, "node")) >= oldest);
}

/**
 * @param {string} program
 * @returns {number} NaN if it does not run.
 */
function majorOf(program) {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return Number.parseInt(stdout?.slice(1) ?? "", 10);
}
