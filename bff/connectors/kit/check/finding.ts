/** The result of one check of a connector. */
export interface Finding {
  /** The operation's path, or `/` for checks of all operations. */
  readonly operation: string;
  /** Such as `repeated-key`. */
  readonly check: string;
  /** The protocol's requirement, in words. */
  readonly expected: string;
  /** The actual result; for a skipped check, the reason. */
  readonly came: string;
  readonly result: "passed" | "failed" | "not_checked";
}

export interface ConnectorReport {
  readonly url: string;
  readonly parties: readonly string[];
  readonly verdict: "conforms" | "does_not_conform";
  readonly passed: number;
  readonly failed: number;
  readonly notChecked: number;
  readonly findings: readonly Finding[];
}

/** The report for people: passed checks are counted, all others are printed in full. */
export function reportLines(report: ConnectorReport): string[] {
  const { passed, failed, notChecked, findings } = report;
  const reported = findings.filter(({ result }) => result !== "passed");
  return [
    ...reported.flatMap(({ operation, check, expected, came, result }) => [
      `${result === "failed" ? "FAILED" : "not checked"}  ${operation}  ${check}`,
      `    expected: ${expected}`,
      `    ${result === "failed" ? "came" : "because"}: ${came}`,
    ]),
    `${passed} passed, ${failed} failed, ${notChecked} not checked.`,
    report.verdict === "conforms"
      ? "The connector passed every check of the protocol."
      : "The connector does not conform to the protocol.",
  ];
}

export function reportJson(report: ConnectorReport): object {
  const { notChecked, ...rest } = report;
  return { ...rest, not_checked: notChecked };
}
