/**
 * Compares the current interface (the OpenAPI document, and the messages between page and frame) with the released one
 * (`lab/changes/released/interface.json`), and the connector protocol with its own
 * (`lab/changes/released/connector-protocol.json`).
 *
 *     pnpm changes [--strict | --keep [--breaking]]
 *
 * Prints every difference, and exits with 1 if one breaks partners' programs; with `--strict` if one is not recorded.
 * `--keep` records the present interface as released, and adds the differences to the changelog. It refuses a
 * difference that the changelog's text does not name, and a breaking one without `--breaking`. See
 * docs/how-to/change-the-interface.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { DIFFERENCES_FILE, readKeptReleases } from "../../src/partner-docs/kept-differences.ts";
import { changes } from "../../src/partner-docs/pages/changelog-page.ts";
import { readCommandLine } from "../command-line.ts";
import { codeInterface, INTERFACE_FILE } from "./code-interface.ts";
import { type Difference, differencesBetween } from "./compare.ts";
import {
  CONNECTOR_FILE,
  codeConnectorProtocol,
  connectorDifferences,
  connectorProtocolText,
  parseConnectorProtocol,
  wrongVersion,
} from "./connector-protocol.ts";
import { interfaceText, parseInterface } from "./interface.ts";
import { decideKeeping, recordedDifference } from "./keep.ts";

const { values } = readCommandLine(import.meta.filename, {
  options: {
    keep: { type: "boolean", default: false },
    breaking: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
  },
});

const PLACES_SHOWN = 6;

const say = (text: string) => process.stdout.write(`${text}\n`);

function tell(differences: readonly Difference[]): void {
  for (const { what, breaks, where } of recordedDifference(differences)) {
    const more = where.length > PLACES_SHOWN ? [`and ${where.length - PLACES_SHOWN} more places`] : [];
    say(`${breaks ? "BREAKS" : "ok    "}  ${what}`);
    for (const place of [...where.slice(0, PLACES_SHOWN), ...more]) say(`          ${place}`);
  }
}

function compareInterface(): number {
  const now = codeInterface();
  const text = interfaceText(now);
  const kept = readFileSync(INTERFACE_FILE, "utf8");
  if (kept === text) {
    say("The interface is the one that was released.");
    return 0;
  }
  const differences = differencesBetween(parseInterface(JSON.parse(kept)), now);
  tell(differences);
  if (differences.length === 0) {
    // At most, schemas were renamed or restructured.
    if (values.keep) writeFileSync(INTERFACE_FILE, text);
    say("Nothing that a program can notice differs from what was released.");
    return 0;
  }
  if (values.keep) return keep(differences, text);
  if (differences.some(({ breaks }) => breaks)) {
    say("\nThis breaks what partners have: see docs/how-to/change-the-interface.md for a way that adds.");
    return 1;
  }
  say("\nThis only adds. Nobody has kept it yet: pnpm changes --keep");
  return values.strict ? 1 : 0;
}

function keep(differences: readonly Difference[], text: string): number {
  const keeping = decideKeeping(differences, changes, readKeptReleases(), values.breaking);
  if ("refused" in keeping) {
    say(`\nNot kept. ${keeping.refused}`);
    return 1;
  }
  writeFileSync(INTERFACE_FILE, text);
  writeFileSync(DIFFERENCES_FILE, `${JSON.stringify(keeping.releases, null, 1)}\n`);
  say("\nKept as released.");
  return 0;
}

/** Connectors learn about a difference from the protocol's version, so it has no line in the partners' changelog. */
function compareConnectorProtocol(): number {
  const now = codeConnectorProtocol();
  const text = connectorProtocolText(now);
  const kept = readFileSync(CONNECTOR_FILE, "utf8");
  if (kept === text) {
    say(`The connector protocol is ${now.version}, as it was released.`);
    return 0;
  }
  const before = parseConnectorProtocol(JSON.parse(kept));
  const differences = connectorDifferences(before, now);
  tell(differences);
  const wrong = wrongVersion(before.version, now.version, differences);
  if (wrong !== null) {
    say(`\n${values.keep ? "Not kept. " : ""}${wrong} It stands in src/gateways/connector/protocol.ts.`);
    return 1;
  }
  if (values.keep) {
    writeFileSync(CONNECTOR_FILE, text);
    say(`\nThe connector protocol is kept as ${now.version}.`);
    return 0;
  }
  say(`\nNobody has kept the connector protocol ${now.version} yet: pnpm changes --keep`);
  return values.strict ? 1 : 0;
}

process.exitCode = Math.max(compareInterface(), compareConnectorProtocol());
