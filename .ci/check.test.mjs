/**
 * The check is only as good as its failures, so each of these tests runs a real test runner on tests written for it
 * here.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runCommand } from "./commands.mjs";
import {
  areAllLeftOut,
  countNodeTests,
  countOne,
  countPlaywright,
  countSkippedEverywhere,
  countVitest,
  tallyLine,
} from "./counts.mjs";
import { findPostgres, startPostgres } from "./postgres.mjs";
import { countProcessor } from "./processor.mjs";
import { openPassed } from "./unchanged.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Inside the package, so that the files written there find the test runner that they import.
const cache = join(root, "e2e/.cache");
/** @type {string} */
let folder;

before(() => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "check-"));
});
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Partial<import("./commands.mjs").Command>} [more]
 */
async function run(program, args, more) {
  const { signal } = new AbortController();
  return await runCommand({
    program,
    args,
    cwd: folder,
    logPath: join(folder, "log"),
    // Next to thirty other processes, a browser's test runner alone took more than a minute to start.
    limits: { stallMs: 300_000, mostMs: 300_000 },
    signal,
    ...more,
  });
}

/**
 * @param {string} name
 * @param {Record<string, string>} files
 */
function project(name, files) {
  const place = join(folder, name);
  mkdirSync(place);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
  return place;
}

/**
 * @param {string} place
 * @param {{ skipsAllowed: boolean, isShort?: boolean }} [options]
 * @param {readonly string[]} [more]
 */
async function vitest(place, options = { skipsAllowed: false }, more = []) {
  const report = join(place, "report.json");
  const program = join(root, "bff/node_modules/.bin/vitest");
  const args = ["run", "--root", place, "--globals", "--reporter=json", `--outputFile.json=${report}`, ...more];
  const { code } = await run(program, args, { cwd: place });
  return countVitest(JSON.parse(readFileSync(report, "utf8")), code, options);
}

/** @param {string} place */
async function playwright(place) {
  const report = join(place, "report.json");
  writeFileSync(join(place, "playwright.config.ts"), "export default { retries: 1, workers: 1 };");
  const program = join(root, "e2e/node_modules/.bin/playwright");
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: report };
  const { code } = await run(program, ["test", "--reporter=json"], { cwd: place, env });
  return countPlaywright(JSON.parse(readFileSync(report, "utf8")), code);
}

test("a vitest run counts only tests that ran and passed as passed", async () => {
  const counts = await vitest(
    project("mixed", {
      "a.test.ts": `
        test("holds", () => expect(1).toBe(1));
        describe("deep", () => test("breaks", () => expect("what was seen").toBe("what was wanted")));
        test.skip("rests", () => {});
        test.todo("some day");`,
      "b.test.ts": `import "./does-not-exist.ts"; test("never runs", () => {});`,
    }),
  );
  assert.equal(counts.passed, 1);
  assert.equal(counts.failed, 4);
  assert.match(counts.failures.join("\n"), /a\.test\.ts deep breaks\n.*what was seen/s);
  assert.match(counts.failures.join("\n"), /does-not-exist/);
});

test("a test may be skipped on one database, if it runs on another", async () => {
  const place = project("twice", {
    "a.test.ts": `
      test("here and there", () => {});
      test.skip("not here", () => {});
      test.todo("some day");`,
  });
  const here = await vitest(place, { skipsAllowed: true });
  assert.deepEqual([here.passed, here.failed, here.skipped.length], [1, 1, 1]);
  assert.equal(countSkippedEverywhere([here.skipped, []]).failed, 0);
  assert.deepEqual([countSkippedEverywhere([here.skipped, here.skipped]).failed], [1]);
});

test("a short run skips only tests with the tag `long`; any other skipped test fails it", async () => {
  const place = project("short", {
    "vitest.config.ts": `export default { test: { tags: [{ name: "long" }] } };`,
    "a.test.ts": `
      test("short", () => {});
      test("long", { tags: ["long"] }, () => {});
      test.skip("rests", () => {});`,
  });
  const short = await vitest(place, { skipsAllowed: false, isShort: true }, ["--tagsFilter=!long"]);
  assert.deepEqual([short.passed, short.failed], [1, 1]);
  assert.match(short.failures.join("\n"), /rests/);
});

test("a vitest run whose tests pass but leave an error behind counts as failed", async () => {
  const counts = await vitest(
    project("stray", {
      "a.test.ts": `test("holds", () => { void Promise.reject(new Error("nobody caught this")); });`,
    }),
  );
  assert.deepEqual([counts.passed, counts.failed], [1, 1]);
});

test("a vitest run without tests counts as failed", async () => {
  const counts = await vitest(project("empty", {}));
  assert.deepEqual([counts.passed, counts.failed], [0, 1]);
});

test("a Playwright run counts only tests that passed at the first try as passed", async () => {
  const counts = await playwright(
    project("browser", {
      "a.spec.ts": `
        import { expect, test } from "@playwright/test";
        test("holds", () => {});
        test.describe("deep", () => test("breaks", () => { expect("seen").toBe("wanted"); }));
        test("flutters", ({}, info) => { expect(info.retry).toBe(1); });
        test.skip("rests", () => {});`,
    }),
  );
  assert.deepEqual([counts.passed, counts.failed], [1, 3]);
  assert.match(counts.failures.join("\n"), /a\.spec\.ts:4 breaks \(unexpected\)\n.*wanted/s);
  assert.match(counts.failures.join("\n"), /flutters \(flaky\)/);
});

test("a Playwright run without tests, or with a file that cannot be loaded, counts as failed", async () => {
  const broken = await playwright(project("broken", { "a.spec.ts": `import "./does-not-exist.ts";` }));
  assert.equal(broken.passed, 0);
  assert.match(broken.failures.join("\n"), /does-not-exist/);
  const empty = await playwright(project("bare", {}));
  assert.deepEqual([empty.passed, empty.failed > 0], [0, true]);
});

test("node's own tests are counted from their output", () => {
  assert.deepEqual(countNodeTests("# tests 3\n# pass 3\n# fail 0\n", 0).passed, 3);
  const counts = countNodeTests("not ok 1 - a\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 1\n", 1);
  assert.deepEqual([counts.passed, counts.failed], [2, 2]);
  assert.equal(countNodeTests("", 0).failed, 1);
});

test("the tally adds up tests and checks", () => {
  assert.equal(tallyLine([countOne("", 0), countOne("why", 3), { passed: 40, failed: 2 }]), "41 passed, 3 failed");
});

test("a command that takes too long, is stopped or does not exist fails, and leaves no process running", async () => {
  const script = 'sleep 300 & echo "$!" > child; wait';
  const slow = await run("/bin/sh", ["-c", script], { limits: { stallMs: 300, mostMs: 60_000 } });
  assert.equal(slow.code, 1);
  assert.match(slow.ended ?? "", /had not got on/);
  assert.equal(await isGone(Number(readFileSync(join(folder, "child"), "utf8"))), true);

  const stopped = await run("/bin/sh", ["-c", "sleep 300"], { signal: AbortSignal.timeout(100) });
  assert.deepEqual([stopped.code, stopped.ended], [1, "it was stopped"]);

  const missing = await run("/does/not/exist", []);
  assert.equal(missing.code, 1);
  assert.match(missing.output, /ENOENT/);
});

test("a command is ended when it runs too long, unless it reports progress, which has a limit too", async () => {
  /** @param {string} line */
  const every100Ms = (line) => `for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "${line}"; sleep 0.1; done`;
  const progress = /^ok /;
  const limits = { stallMs: 800, mostMs: 60_000, progress };
  const slow = await run("/bin/sh", ["-c", every100Ms("ok $n")], { limits });
  assert.deepEqual([slow.code, slow.ended], [0, undefined]);
  const talks = await run("/bin/sh", ["-c", every100Ms("still ok")], { limits });
  assert.match(talks.ended ?? "", /had not got on/);
  const endless = await run("/bin/sh", ["-c", "while sleep 0.1; do echo ok 1; done"], {
    limits: { ...limits, mostMs: 1_000 },
  });
  assert.match(endless.ended ?? "", /the most/);
});

test("processes that a command leaves in another process group are ended and reported", async () => {
  const script = `const { spawn } = require("node:child_process");
    const child = spawn("sleep", ["301"], { detached: true, stdio: "ignore" });
    require("node:fs").writeFileSync("escaped", String(child.pid));
    child.unref();`;
  const { code, left } = await run(process.execPath, ["--eval", script], { graceMs: 500 });
  assert.deepEqual([code, left], [0, ["sleep 301"]]);
  assert.equal(await isGone(Number(readFileSync(join(folder, "escaped"), "utf8"))), true);
});

test("a command's temporary files are removed with it, and other users can read them while it runs", async () => {
  const script = 'mkdir "$TMPDIR/left"; chmod 700 "$TMPDIR/left"; stat -c %a "$TMPDIR"; echo "$TMPDIR" > temporary';
  const { output } = await run("/bin/sh", ["-c", script]);
  assert.equal(output.trim(), "711");
  assert.equal(existsSync(readFileSync(join(folder, "temporary"), "utf8").trim()), false);
});

test("a command's processor time includes everything it starts, even without waiting", async () => {
  const count = countProcessor();
  const isCounted = count.end() !== null;
  const script = `const { spawn } = require("node:child_process");
    const work = "const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 500_000);";
    spawn(process.execPath, ["--eval", work], { detached: true, stdio: "ignore" }).unref();`;
  const { processorSeconds } = await run(process.execPath, ["--eval", script]);
  // Without control groups only awaited processes count, which is less.
  if (isCounted) assert.ok((processorSeconds ?? 0) >= 0.5, `${processorSeconds} s`);
});

test("a check that is killed outright leaves no command running, and no temporary file", async () => {
  const commands = new URL("./commands.mjs", import.meta.url).href;
  const script = `const { runCommand } = await import(${JSON.stringify(commands)});
    await runCommand({
      program: "/bin/sh", args: ["-c", 'echo "$TMPDIR" > kept-in; echo $$ > kept; sleep 302'], cwd: ".", logPath: "kept.log",
      limits: { stallMs: 60000, mostMs: 60000 }, signal: new AbortController().signal,
      // A shell that is just starting a program may ignore Ctrl-C (seen in one of twelve runs), so it is killed after
      // this time.
      graceMs: 1000,
    });`;
  const check = spawn(process.execPath, ["--input-type=module", "--eval", script], { cwd: folder, stdio: "ignore" });
  const written = () => existsSync(join(folder, "kept")) && readFileSync(join(folder, "kept"), "utf8").trim();
  while (!written()) await sleep(50);
  check.kill("SIGKILL");
  assert.equal(await isGone(Number(written())), true);
  const temporary = readFileSync(join(folder, "kept-in"), "utf8").trim();
  // Removed once all have ended, which is checked every second.
  while (existsSync(temporary)) await sleep(50);
});

test("a throw-away PostgreSQL answers, and leaves no data behind", async () => {
  const installation = await findPostgres();
  // The whole check provides one before this test. In a manual run it may be missing.
  if (installation === undefined) return assert.ok(process.env.TEST_DATABASE_URL, "PostgreSQL is not installed");
  const server = await startPostgres(installation);
  const query = await run(join(installation.bin, "psql"), [server.url, "-Atc", "select lower('ÑANDÚ')"]);
  assert.equal(query.output.trim(), "ñandú");
  assert.ok(existsSync(server.folder));
  await server.stop();
  assert.equal(existsSync(server.folder), false);
  assert.notEqual((await run(join(installation.bin, "psql"), [server.url, "-c", "select 1"])).code, 0);
});

test("a passed step is not run again before its inputs change, except in continuous integration", async () => {
  const place = project("unchanged", {
    "package.json": "{}",
    "read.txt": "1",
    "other.txt": "1",
    ".gitignore": ".cache",
  });
  await run("git", ["init", "--quiet"], { cwd: place });
  await run("git", ["commit", "--quiet", "--allow-empty", "--message", "x"], { cwd: place });
  const { CI } = process.env;
  /** @param {string} [ci] */
  const passed = (ci) => {
    if (ci === undefined) delete process.env.CI;
    else process.env.CI = ci;
    return openPassed(place, ["v1"]);
  };
  /** @type {import("./plan.mjs").Step} */
  const step = { name: "one", program: "x", args: [], folder: ".", report: "one", reads: ["read.txt"] };
  const whole = { ...step, name: "two", reads: undefined };
  const byChance = { ...step, name: "three", reads: [] };
  try {
    assert.equal(passed().find(step), undefined);
    for (const each of [step, whole, byChance]) passed().keep(each, countOne("", 0));
    const found = () => [step, whole, byChance].map((each) => passed().find(each)?.passed);
    assert.deepEqual(found(), [1, 1, undefined]);
    assert.equal(passed("true").find(step), undefined);
    assert.equal(passed().find({ ...step, args: ["another"] }), undefined);
    writeFileSync(join(place, "other.txt"), "2");
    assert.deepEqual(found(), [1, undefined, undefined]);
    // Changed while the step was running: it is unknown which content passed.
    const running = passed();
    writeFileSync(join(place, "read.txt"), "2");
    running.keep(step, countOne("", 0));
    assert.deepEqual(found(), [undefined, undefined, undefined]);
    writeFileSync(join(place, "read.txt"), "1");
    assert.deepEqual(found(), [1, undefined, undefined]);
    passed().drop(step);
    assert.deepEqual(found(), [undefined, undefined, undefined]);
    passed().keep(step, countOne("", 0));
    assert.equal(openPassed(place, ["v2"]).find(step), undefined);
    writeFileSync(join(place, "package.json"), "{ }");
    assert.deepEqual(found(), [undefined, undefined, undefined]);
  } finally {
    if (CI === undefined) delete process.env.CI;
    else process.env.CI = CI;
  }
});

/** @param {number} pid */
async function isGone(pid) {
  // Long, because a signal and the process that waits to send it may take seconds on a busy machine.
  for (let tries = 0; tries < 300; tries += 1) {
    // A process that has ended but was not collected yet is a zombie, not a running program.
    if (!existsSync(`/proc/${pid}`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return true;
    await sleep(100);
  }
  return false;
}

test("an area whose steps were all left out counts as unchecked", () => {
  const steps = [{ name: "killed on PostgreSQL" }, { name: "killed on PGlite" }];
  const build = { name: "build", note: "" };
  /** @param {string} note */
  const noted = (note) => [build, ...steps.map(({ name }) => ({ name, note }))];
  const left = noted("left out: nginx is not installed here");
  assert.equal(areAllLeftOut(steps, left), true);
  assert.equal(areAllLeftOut(steps, [...left.slice(0, 2), { name: "killed on PGlite", note: "seed 7" }]), false);
  assert.equal(areAllLeftOut([], [build]), false);
});
