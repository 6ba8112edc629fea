/**
 * Counts passed and failed tests from the reports of the test runners. A test counts as passed only if it passed at the
 * first try; a test that was skipped, not reached or repeated counts as failed. A run without any test has failed. If
 * the same tests run on several databases, a test may be skipped on some of them, but not on all.
 */

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} failures The text of each failure, for developers.
 * @property {string[]} skipped Tests that may be skipped in this run if they run in another.
 */

/**
 * @typedef {object} VitestReport
 * @property {{
 *   name: string,
 *   status: string,
 *   message: string,
 *   assertionResults: { fullName: string, status: string, failureMessages: string[] | null, tags?: string[] }[],
 * }[]} testResults
 */

/**
 * @param {VitestReport} report The output of vitest's `json` reporter.
 * @param {number} exitCode The exit code of the process.
 * @param {{ skipsAllowed: boolean, isShort?: boolean }} run In a short run, tests with the tag `long` are not counted.
 * @returns {Counts}
 */
export function countVitest(report, exitCode, { skipsAllowed, isShort = false }) {
  const counts = noCounts();
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (isShort && test.status === "skipped" && test.tags?.includes("long")) continue;
      const name = `${file.name} ${test.fullName}`;
      if (test.status === "passed") counts.passed += 1;
      else if (test.status === "skipped" && skipsAllowed) counts.skipped.push(name);
      else addFailure(counts, name, (test.failureMessages ?? []).join("\n") || test.status);
    }
    // A file that cannot be loaded has no tests to report, only itself.
    const explained = file.assertionResults.some((test) => test.status === "failed");
    if (file.status === "failed" && !explained) addFailure(counts, file.name, file.message);
  }
  return settle(counts, exitCode);
}

/**
 * @typedef {object} PlaywrightSuite
 * @property {string} title
 * @property {PlaywrightSuite[]} [suites]
 * @property {{
 *   title: string,
 *   file: string,
 *   line: number,
 *   tests: { projectName: string, status: string, results: { errors?: { message?: string }[] }[] }[],
 * }[]} [specs]
 */

/**
 * @param {{ suites: PlaywrightSuite[], errors: { message?: string }[] }} report The output of Playwright's `json`
 *   reporter.
 * @param {number} exitCode The exit code of the process.
 * @returns {Counts}
 */
export function countPlaywright(report, exitCode) {
  const counts = noCounts();
  for (const suite of report.suites) countSuite(counts, suite);
  for (const error of report.errors) addFailure(counts, "before any test", error.message ?? "");
  return settle(counts, exitCode);
}

/**
 * @param {Counts} counts
 * @param {PlaywrightSuite} suite
 */
function countSuite(counts, suite) {
  for (const spec of suite.specs ?? []) {
    for (const test of spec.tests) {
      if (test.status === "expected") {
        counts.passed += 1;
        continue;
      }
      const messages = test.results.flatMap((result) => (result.errors ?? []).map((error) => error.message ?? ""));
      const project = test.projectName ? ` [${test.projectName}]` : "";
      addFailure(counts, `${spec.file}:${spec.line} ${spec.title}${project} (${test.status})`, messages.join("\n"));
    }
  }
  for (const inner of suite.suites ?? []) countSuite(counts, inner);
}

/**
 * @param {string} output The output of `node --test --test-reporter=tap`.
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countNodeTests(output, exitCode) {
  const counts = noCounts();
  /** @param {string} word */
  const counted = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  counts.passed = counted("pass");
  counts.failed = counted("fail") + counted("cancelled") + counted("skipped") + counted("todo");
  if (counts.failed > 0) counts.failures.push(lastLines(output, 120));
  return settle(counts, exitCode);
}

/**
 * @param {string} output
 * @param {number} exitCode
 * @returns {Counts} One check that passed or failed as a whole.
 */
export function countOne(output, exitCode) {
  if (exitCode === 0) return { ...noCounts(), passed: 1 };
  return { ...noCounts(), failed: 1, failures: [lastLines(output, 120)] };
}

/**
 * @param {readonly { readonly name: string }[]} steps
 * @param {readonly { readonly name: string, readonly note: string }[]} outcomes
 * @returns {boolean} Whether all steps were left out, so that an absence of failures proves nothing.
 */
export function areAllLeftOut(steps, outcomes) {
  const left = outcomes.filter(({ note }) => note.startsWith("left out")).map(({ name }) => name);
  return steps.length > 0 && steps.every(({ name }) => left.includes(name));
}

/**
 * @param {readonly { passed: number, failed: number }[]} all
 * @returns {string} The line that continuous integration reads.
 */
export function tallyLine(all) {
  const passed = all.reduce((sum, counts) => sum + counts.passed, 0);
  const failed = all.reduce((sum, counts) => sum + counts.failed, 0);
  return `${passed} passed, ${failed} failed`;
}

/**
 * @param {string} text
 * @param {number} linesMax
 * @returns {string} The end of a text, where tools print the error.
 */
export function lastLines(text, linesMax) {
  return text.trimEnd().split("\n").slice(-linesMax).join("\n");
}

/**
 * @param {readonly (readonly string[])[]} runs The tests that each of several runs of the same tests skipped.
 * @returns {Counts} One failure for every test that all of them skipped.
 */
export function countSkippedEverywhere([first, ...others]) {
  const counts = noCounts();
  const everywhere = (first ?? []).filter((name) => others.every((skipped) => skipped.includes(name)));
  for (const name of everywhere) addFailure(counts, name, "skipped every time");
  return counts;
}

/**
 * @param {string} failure
 * @returns {Counts}
 */
export function countFailure(failure) {
  return { ...noCounts(), failed: 1, failures: [failure] };
}

/** @returns {Counts} */
export function noCounts() {
  return { passed: 0, failed: 0, failures: [], skipped: [] };
}

/**
 * @param {Counts} counts
 * @param {string} name
 * @param {string} message
 */
export function addFailure(counts, name, message) {
  counts.failed += 1;
  counts.failures.push(`${name}\n${firstLines(message, 30)}`.trimEnd());
}

/**
 * @param {string} text
 * @param {number} linesMax
 */
function firstLines(text, linesMax) {
  return text.trimEnd().split("\n").slice(0, linesMax).join("\n");
}

/**
 * Adds the failures that no test explains: an exit code, and a run without tests.
 *
 * @param {Counts} counts
 * @param {number} exitCode
 * @returns {Counts}
 */
function settle(counts, exitCode) {
  if (counts.passed + counts.failed === 0) addFailure(counts, "no tests were found", "");
  else if (exitCode !== 0 && counts.failed === 0) {
    addFailure(counts, `every test passed, but the process ended with code ${exitCode}`, "");
  }
  return counts;
}
