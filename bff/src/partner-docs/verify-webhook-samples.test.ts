import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../platform/program.ts";
import { VECTOR_BODY, VECTOR_SECRET, vectorHeaders } from "./pages/guide-values.ts";

/*
 * Each sample runs unchanged, called by a few lines that read cases from the command line. Languages without a runtime
 * on this machine are skipped. C# has none here.
 */

const samples = join(packageFolder, "docs/site");
const around = join(packageFolder, "test/verify-webhook");

const signature = vectorHeaders("Service")["X-Service-Signature"] ?? "";
const body = Buffer.from(VECTOR_BODY, "utf8");

const CASES: readonly (readonly [string, boolean, Buffer, string | null, string])[] = [
  ["the test vector", true, body, signature, VECTOR_SECRET],
  ["another body", false, Buffer.from(`${VECTOR_BODY} `), signature, VECTOR_SECRET],
  ["another secret", false, body, signature, `${VECTOR_SECRET}=`],
  ["no signature", false, body, null, VECTOR_SECRET],
  ["one of another scheme", false, body, signature.replace("sha256", "sha512"), VECTOR_SECRET],
  ["one cut short", false, body, signature.slice(0, -2), VECTOR_SECRET],
  ["one that is too long", false, body, `${signature}00`, VECTOR_SECRET],
  ["letters beyond ASCII", false, body, "sha256=ñ", VECTOR_SECRET],
  [
    "the body encoded again",
    false,
    Buffer.from(JSON.stringify(JSON.parse(VECTOR_BODY), null, 1)),
    signature,
    VECTOR_SECRET,
  ],
];
const given = CASES.flatMap(([, , bytes, sent, secret]) => [bytes.toString("base64"), sent ?? "-", secret]);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aapd-samples-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Language {
  readonly name: string;
  /** The command that proves that the runtime is installed. */
  readonly probe: readonly [string, ...string[]];
  readonly run: () => readonly [string, ...string[]];
}

const LANGUAGES: readonly Language[] = [
  { name: "Python", probe: ["python3", "--version"], run: () => ["python3", join(around, "main.py")] },
  { name: "PHP", probe: ["php", "--version"], run: () => ["php", join(around, "main.php")] },
  { name: "Ruby", probe: ["ruby", "--version"], run: () => ["ruby", join(around, "main.rb")] },
  {
    name: "Java",
    probe: ["javac", "--version"],
    run() {
      const files = [join(samples, "VerifyWebhook.java"), join(around, "Main.java")];
      expect(spawnSync("javac", ["-d", folder, ...files], { encoding: "utf8" }).stderr).toBe("");
      return ["java", "-cp", folder, "Main"];
    },
  },
  {
    name: "Go",
    probe: ["go", "version"],
    run() {
      const sample = readFileSync(join(samples, "verify_webhook.go"), "utf8");
      writeFileSync(join(folder, "sample.go"), sample.replace("package webhook", "package main"));
      copyFileSync(join(around, "main.go"), join(folder, "main.go"));
      return ["go", "run", join(folder, "sample.go"), join(folder, "main.go")];
    },
  },
];

function isThere([command, ...options]: Language["probe"]): boolean {
  return spawnSync(command, options).status === 0;
}

describe("a webhook's signature in another language, as printed", () => {
  // Languages with a runtime on this machine. A skipped test protects nothing, so it counts as failed.
  for (const { name, run } of LANGUAGES.filter(({ probe }) => isThere(probe))) {
    it(`${name} accepts the test vector, and nothing else`, { timeout: 120_000 }, () => {
      const [command, ...options] = run();
      const env = { ...process.env, SAMPLES: samples, PYTHONPATH: samples, PYTHONDONTWRITEBYTECODE: "1" };
      const { stdout, stderr } = spawnSync(command, [...options, ...given], { encoding: "utf8", env });
      expect(stderr).toBe("");
      const found = stdout.trim().split("\n");
      expect(found.map((line, at) => [CASES[at]?.[0], line])).toEqual(
        CASES.map(([what, isGenuine]) => [what, String(isGenuine)]),
      );
    });
  }
});
