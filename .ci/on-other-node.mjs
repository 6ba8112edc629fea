#!/usr/bin/env node
/**
 * `node .ci/on-other-node.mjs [--or-this] <script> [arguments]`: runs a script on the other Node that the check has found
 * (`provision.mjs`), and what it starts as well. `--or-this`: on this one where there is no other.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";

const isOptional = process.argv[2] === "--or-this";
const args = process.argv.slice(isOptional ? 3 : 2);
const other = process.env.OTHER_NODE_PATH || (isOptional ? process.execPath : "");
if (other === "" || args.length === 0) {
  console.error(
    other === "" ? "There is no other Node here." : "Usage: node .ci/on-other-node.mjs [--or-this] <script>",
  );
  process.exit(1);
}
console.log(`node ${execFileSync(other, ["--version"], { encoding: "utf8" }).trim()}`);
const path = `${dirname(other)}${delimiter}${process.env.PATH ?? ""}`;
const child = spawn(other, args, { stdio: "inherit", env: { ...process.env, PATH: path } });
// The terminal sends Ctrl-C to the script as well; what ends it ends this.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
const [code] = await once(child, "exit");
process.exitCode = typeof code === "number" ? code : 1;
