import * as z from "zod/mini";
import type { Logger } from "../../platform/logger.ts";

/**
 * What is kept of a report: the violated rule and the origin of the blocked content. URLs are not kept, because they
 * contain the token.
 */
export interface Violation {
  readonly directive: string;
  readonly blocked: string;
}

/** The most bytes that are read of a report or batch of reports. */
export const REPORT_BYTES_MAX = 16_384;
const VIOLATIONS_PER_REQUEST_MAX = 20;
/** The most kinds of violation that one process counts; more than this can only be made up. */
const KINDS_MAX = 500;

/** `report-uri` sends one object (CSP 2); `report-to` sends a list of reports of several types (Reporting API). */
const legacyReportSchema = z.object({
  "csp-report": z.object({
    "effective-directive": z.optional(z.string()),
    "violated-directive": z.optional(z.string()),
    "blocked-uri": z.optional(z.string()),
  }),
});
const reportsSchema = z.array(
  z.object({
    type: z.string(),
    body: z.object({ effectiveDirective: z.optional(z.string()), blockedURL: z.optional(z.string()) }),
  }),
);

/** Reads either form of report and ignores everything that is not a violation. */
export function readViolations(body: unknown): Violation[] {
  const legacy = legacyReportSchema.safeParse(body);
  if (legacy.success) {
    const report = legacy.data["csp-report"];
    return [violation(report["effective-directive"] ?? report["violated-directive"], report["blocked-uri"])];
  }
  const reports = reportsSchema.safeParse(body);
  if (!reports.success) return [];
  return reports.data
    .filter(({ type }) => type === "csp-violation")
    .slice(0, VIOLATIONS_PER_REQUEST_MAX)
    .map((report) => violation(report.body.effectiveDirective, report.body.blockedURL));
}

function violation(directive = "", blocked = ""): Violation {
  // Older browsers send the whole directive with its sources here.
  const name = /^[a-z-]{1,40}/.exec(directive)?.[0] ?? "unknown";
  return { directive: name, blocked: originOrKeyword(blocked) };
}

/** `https://evil.example/x?y` → `https://evil.example`; `inline`, `eval`, `data` stay. */
function originOrKeyword(blocked: string): string {
  if (/^[a-z-]{1,40}$/.test(blocked)) return blocked;
  if (!URL.canParse(blocked)) return "unknown";
  const { origin, protocol } = new URL(blocked);
  return origin === "null" ? protocol.slice(0, -1) : origin;
}

export interface ViolationCounter {
  count(violations: readonly Violation[]): void;
  /** How often this process has seen each kind. */
  totals(): ReadonlyMap<string, number>;
}

/**
 * Counts violations and logs each kind the first, second, fourth, eighth … time, so that a page broken for everybody is
 * noticed at once without flooding the log.
 */
export function createViolationCounter(logger: Logger): ViolationCounter {
  const totals = new Map<string, number>();
  return {
    count(violations) {
      for (const { directive, blocked } of violations) {
        const kind = `${directive} ${blocked}`;
        const known = totals.get(kind);
        if (known === undefined && totals.size >= KINDS_MAX) continue;
        const count = (known ?? 0) + 1;
        totals.set(kind, count);
        const isPowerOfTwo = (count & (count - 1)) === 0;
        if (isPowerOfTwo) logger.warn("csp.violation", { kind: directive, address: blocked, count });
      }
    },
    totals: () => totals,
  };
}
