import type { Quote } from "./quote.ts";

/**
 * The quote of an order of $45.952 on 21 November 2026, for examples and pictures of the widget. A test compares every
 * figure with `quoteFor`.
 */
export const quoteExample = {
  total: 45_952,
  today: 13_786,
  later: 32_166,
  commission: 3_217,
  commission_percentage: 7,
  commission_regime: "taxed_service",
  later_charge: 35_383,
  total_cost: 49_169,
  annual_cost_percentage: 81.12,
  latest_due_date: "2027-01-05",
  financing_provider: "Financiera Andina S.A.",
  triggers: { approval: true, access_blocked_days: 3, latest_day: 45 },
} as const satisfies Readonly<Record<Exclude<keyof Quote, "texts" | "sha256">, unknown>>;
