import type { CallbackListener } from "../callback-listener.ts";
import { checkBank } from "./check-bank.ts";
import { checkCallbacks } from "./check-callbacks.ts";
import { checkCardProcessor } from "./check-card-processor.ts";
import { checkIdentityRegistry } from "./check-identity-registry.ts";
import { checkInsurer } from "./check-insurer.ts";
import { checkFinancingProvider } from "./check-loans.ts";
import { checkMessenger } from "./check-messenger.ts";
import { type CheckDependencies, type CheckRun, IN_TIME, NO_SECRETS, startRun } from "./check-run.ts";
import { checkTaxDocuments } from "./check-tax-documents.ts";
import type { ConnectorReport, Finding } from "./finding.ts";

/** The parties that a connector may represent, in the order in which they are checked. */
const CHECKS = {
  "card-processor": checkCardProcessor,
  "financing-provider": checkFinancingProvider,
  "identity-registry": checkIdentityRegistry,
  insurer: checkInsurer,
  bank: checkBank,
  "tax-documents": checkTaxDocuments,
  messenger: checkMessenger,
} as const satisfies Readonly<Record<string, (run: CheckRun) => Promise<void>>>;

export type CheckedParty = keyof typeof CHECKS;
export const CHECKED_PARTIES = Object.keys(CHECKS) as readonly CheckedParty[];

export interface ConnectorToCheck {
  readonly url: string;
  readonly parties: readonly CheckedParty[];
  /** Null if there is no listener. */
  readonly callbacks: CallbackListener | null;
  readonly callbackWaitMs: number;
}

/**
 * Checks a connector against the protocol, from outside and with real effects: it charges, lends and pays as requested.
 * For test environments only.
 */
export async function checkConnector(
  dependencies: CheckDependencies,
  { url, parties, callbacks, callbackWaitMs }: ConnectorToCheck,
): Promise<ConnectorReport> {
  const run = startRun(dependencies);
  for (const party of CHECKED_PARTIES.filter((each) => parties.includes(each))) await CHECKS[party](run);
  for (const check of run.later) await check();
  for (const check of run.atLast) await check();
  if (parties.includes("insurer")) await checkCallbacks(run, callbacks, { waitMs: callbackWaitMs });
  noteWhereNone(run, "no-secrets", NO_SECRETS);
  noteWhereNone(run, "in-time", IN_TIME);
  const findings = withoutRepeats(run.findings);
  const count = (result: Finding["result"]) => findings.filter((finding) => finding.result === result).length;
  return {
    url,
    parties,
    verdict: count("failed") === 0 && count("passed") > 0 ? "conforms" : "does_not_conform",
    passed: count("passed"),
    failed: count("failed"),
    notChecked: count("not_checked"),
    findings,
  };
}

/** A check that applies to every answer passes if no failure of it was noted. */
function noteWhereNone(run: CheckRun, check: string, expected: string): void {
  if (!run.findings.some((finding) => finding.check === check)) run.note("/", check, expected, null);
}

/** The first finding of each check that failed repeatedly for one operation. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ operation, check, result }) => {
    const name = `${operation} ${check} ${result}`;
    return seen.has(name) ? false : seen.add(name);
  });
}
