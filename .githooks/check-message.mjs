/**
 * Checks the message of a commit: `node .githooks/check-message.mjs FILE`. Git runs it before each commit after
 * `git config core.hooksPath .githooks`. With a range, as in `--range main..HEAD`, it checks the commits of a branch.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const SUBJECT_LENGTH_MAX = 72;
const TYPES = ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];
const SUBJECT = new RegExp(String.raw`^(?:${TYPES.join("|")})(?:\([\w./,-]+\))?!?: (?<text>.+)$`);
/** First words that look like `adds`, `added` or `adding`. */
const NOT_IMPERATIVE =
  /^(?!need|feed|embed|shed|speed|bring|process|address|pass|express|focus|discuss|dismiss|miss|cross|press|compress)\w+(?:ed|ing|s)$/;

/** @type {Record<string, string>} */
const retired = JSON.parse(readFileSync(new URL("../bff/test/english/retired-words.json", import.meta.url), "utf8"));

/**
 * The problems of a message.
 *
 * @param {string} message
 * @returns {string[]}
 */
function problemsOf(message) {
  const [subject = "", second = ""] = message.split("\n").filter((line) => !line.startsWith("#"));
  if (/^(?:Merge|Revert|fixup!|squash!) ?/.test(subject)) return [];
  const text = SUBJECT.exec(subject)?.groups?.text;
  const problems = [];
  if (subject.length > SUBJECT_LENGTH_MAX)
    problems.push(`The subject has ${subject.length} characters; the limit is ${SUBJECT_LENGTH_MAX}.`);
  if (second.trim() !== "") problems.push("Leave the second line blank.");
  if (text === undefined)
    return [...problems, `Start with a type and a scope, as in "fix(bff/orders): …". Types: ${TYPES.join(", ")}.`];
  const [verb = ""] = text.split(" ");
  if (/^[A-Z][a-z]/.test(text)) problems.push("Start the text in lower case.");
  if (NOT_IMPERATIVE.test(verb)) problems.push(`Use the imperative instead of "${verb}": add, fix, remove.`);
  if (text.endsWith(".")) problems.push("End the subject without a full stop.");
  for (const [word, pattern] of Object.entries(retired))
    if (new RegExp(pattern, "i").test(text)) problems.push(`The subject uses a retired turn: ${word}.`);
  return problems;
}

/** @param {string[]} args */
function messagesOf(args) {
  const [first = "", range = ""] = args;
  if (first !== "--range") return [readFileSync(first, "utf8")];
  const log = execFileSync("git", ["log", "--no-merges", "--format=%B%x00", range], { encoding: "utf8" });
  return log
    .split("\0")
    .map((message) => message.trim())
    .filter((message) => message !== "");
}

for (const message of messagesOf(process.argv.slice(2))) {
  const problems = problemsOf(message);
  if (problems.length === 0) continue;
  process.stderr.write(`${message.split("\n")[0]}\n${problems.map((problem) => `  ${problem}\n`).join("")}`);
  process.exitCode = 1;
}
