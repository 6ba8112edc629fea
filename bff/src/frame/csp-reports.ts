import * as z from "zod/mini";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import { readWidgetToken, type WidgetToken } from "../contract/vocabulary/identifiers.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/metrics.ts";

/**
 * The fields read from a report: the violated rule, the origin of the blocked content, and the page's token, which
 * makes it credible. URLs are neither stored nor logged, because they contain the token.
 */
export interface Violation {
  readonly directive: string;
  readonly blocked: string;
  /** `null` for a report that names no page with a token. */
  readonly widgetToken: WidgetToken | null;
}

/** The maximum number of bytes that are read of a report or batch of reports. */
export const REPORT_BYTES_MAX = 16_384;
const VIOLATIONS_PER_REQUEST_MAX = 20;
/** The maximum number of kinds of violation that one process counts separately; a broken page has a few. */
export const KINDS_MAX = 50;
/**
 * After this time the counts restart, so that neither an old violation nor an invented one hides a new one for good.
 */
const WINDOW_MS = HOUR_MS;

/** `report-uri` sends one object (CSP 2); `report-to` sends a list of reports of several types (Reporting API). */
const legacyReportSchema = z.object({
  "csp-report": z.object({
    "effective-directive": z.optional(z.string()),
    "violated-directive": z.optional(z.string()),
    "blocked-uri": z.optional(z.string()),
    "document-uri": z.optional(z.string()),
  }),
});
const reportsSchema = z.array(
  z.object({
    type: z.string(),
    body: z.object({
      effectiveDirective: z.optional(z.string()),
      blockedURL: z.optional(z.string()),
      documentURL: z.optional(z.string()),
    }),
  }),
);

/** Reads either form of report and ignores everything that is not a violation. */
export function readViolations(body: unknown): Violation[] {
  const legacy = legacyReportSchema.safeParse(body);
  if (legacy.success) {
    const report = legacy.data["csp-report"];
    const directive = report["effective-directive"] ?? report["violated-directive"];
    return [violation(directive, report["blocked-uri"], report["document-uri"])];
  }
  const reports = reportsSchema.safeParse(body);
  if (!reports.success) return [];
  return reports.data
    .filter(({ type }) => type === "csp-violation")
    .slice(0, VIOLATIONS_PER_REQUEST_MAX)
    .map((report) => violation(report.body.effectiveDirective, report.body.blockedURL, report.body.documentURL));
}

function violation(directive = "", blocked = "", page = ""): Violation {
  // Older browsers send the whole directive with its sources here.
  const name = /^[a-z-]{1,40}/.exec(directive)?.[0] ?? "unknown";
  return { directive: name, blocked: originOrKeyword(blocked), widgetToken: tokenIn(page) };
}

function tokenIn(page: string): WidgetToken | null {
  return URL.canParse(page) ? readWidgetToken(new URL(page).searchParams.get("widget_token") ?? "") : null;
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
  /** How often this process has seen each kind in the current window. */
  totals(): ReadonlyMap<string, number>;
}

/** Where violations of further kinds are counted once there are `KINDS_MAX`. */
const OTHERS = { directive: "others", blocked: "unknown" } as const;

/**
 * Counts violations and logs each kind the first, second, fourth, eighth … time in an hour, so that a broken page is
 * noticed at once without flooding the log. Kinds beyond `KINDS_MAX` are counted and logged as `others`. Many invented
 * kinds can thus hide the name of a real one for an hour, but `others` reveals the attempt.
 */
export function createViolationCounter({
  logger,
  clock,
  metrics,
}: {
  readonly logger: Logger;
  readonly clock: Pick<Clock, "now">;
  readonly metrics: Pick<Metrics, "violationsReported">;
}): ViolationCounter {
  let totals = new Map<string, number>();
  let endsAt = 0;
  const count = ({ directive, blocked }: Pick<Violation, "directive" | "blocked">) => {
    const kind = `${directive} ${blocked}`;
    const times = (totals.get(kind) ?? 0) + 1;
    totals.set(kind, times);
    const isPowerOfTwo = (times & (times - 1)) === 0;
    if (isPowerOfTwo) logger.warn("csp.violation", { kind: directive, address: blocked, count: times });
  };
  return {
    count(violations) {
      metrics.violationsReported(violations.length);
      const now = clock.now().getTime();
      if (now >= endsAt) {
        totals = new Map();
        endsAt = now + WINDOW_MS;
      }
      for (const violation of violations) {
        const isApart = totals.size < KINDS_MAX || totals.has(`${violation.directive} ${violation.blocked}`);
        count(isApart ? violation : OTHERS);
      }
    },
    totals: () => totals,
  };
}
