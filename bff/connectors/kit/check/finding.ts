/** What one check of a connector has found. */
export interface Finding {
  /** The operation's path, or `/` for what is looked at in all of them. */
  readonly operation: string;
  /** Such as `repeated-key`. */
  readonly check: string;
  /** What the protocol asks for, in words. */
  readonly expected: string;
  /** What came; of a check that was not made, why. */
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

/** The report for people: what passed is counted, what did not is told in full. */
export function reportLines(report: ConnectorReport): string[] {
  const { passed, failed, notChecked, findings } = report;
  const told = findings.filter(({ result }) => result !== "passed");
  return [
    ...told.flatMap(({ operation, check, expected, came, result }) => [
      `${result === "failed" ? "FAILED" : "not checked"}  ${operation}  ${check}`,
      `    expected: ${expected}`,
      `    ${result === "failed" ? "came" : "because"}: ${came}`,
    ]),
    `${passed} passed, ${failed} failed, ${notChecked} not checked.`,
    report.verdict === "conforms"
      ? "The connector conforms to the protocol in everything that was checked."
      : "The connector does not conform to the protocol.",
  ];
}

export function reportJson(report: ConnectorReport): object {
  const { notChecked, ...rest } = report;
  return { ...rest, not_checked: notChecked };
}
