/**
 * `pnpm english [path …]`: what breaks a rule of the project's English, in files under the paths. `--summary` prints
 * numbers by folder. `--keep` records today's numbers in `debt.json`, unless one is higher than recorded.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { allFindings, DEBT_FILE, type Debt, debtChanges, debtOf, recordedDebt } from "./debt.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const options = new Set(process.argv.slice(2).filter((arg) => arg.startsWith("--")));
const paths = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const findings = allFindings(repository);
const print = (text: string) => process.stdout.write(`${text}\n`);

if (options.has("--keep")) keep(debtOf(findings));
else if (options.has("--summary")) process.stdout.write(debtText(debtOf(findings)));
else {
  const shown = findings.filter(({ path }) => paths.length === 0 || paths.some((start) => path.startsWith(start)));
  for (const { path, line, rule, text } of shown) print(`${path}:${line} ${rule}: ${text}`);
  print(`\n${shown.length} of ${findings.length} findings.`);
}

function keep(debt: Debt): void {
  const risen = debtChanges(recordedDebt(), debt).filter((change) => change.now > change.recorded);
  for (const { folder, rule, recorded: before, now } of risen)
    print(`${folder}: ${rule} rose from ${before} to ${now}.`);
  if (risen.length > 0) process.exitCode = 1;
  else writeFileSync(DEBT_FILE, debtText(debt));
}

function debtText(debt: Debt): string {
  return `${JSON.stringify(debt, null, 2)}\n`;
}
