import type { ChargeOutcome } from "../../src/gateways/card-processor.ts";

/** Level 2 must be requested from Transbank for each shop code: the same numbers then mean something else. */
export type CodeLevel = 1 | 2;

export type Declined = Extract<ChargeOutcome, { readonly outcome: "declined" }>;

const SOFT: Declined = { outcome: "declined", reason: "declined", hard: false };
const HARD: Declined = { outcome: "declined", reason: "declined", hard: true };
const AMOUNT: Declined = { ...SOFT, limit: "amount" };
const USES: Declined = { ...SOFT, limit: "uses" };

/** Codes with one meaning at both levels: a deleted enrolment, and the limits of Oneclick. */
const BOTH: Readonly<Record<number, Declined>> = { [-96]: HARD, [-97]: AMOUNT, [-98]: AMOUNT, [-99]: USES };

const BY_LEVEL: Readonly<Record<CodeLevel, Readonly<Record<number, Declined>>>> = {
  // -5: risk of fraud, which a retry would raise.
  1: { [-5]: HARD },
  2: {
    [-1]: HARD,
    [-3]: AMOUNT,
    [-4]: { ...HARD, reason: "card_expired" },
    [-7]: { ...HARD, reason: "card_blocked" },
    [-8]: { ...HARD, reason: "card_expired" },
    [-9]: HARD,
    // Too many retries: the networks fine the next one.
    [-11]: HARD,
  },
};

/** The refusal that a detail's code names. An unknown code is a plain refusal. */
export function declineOf(
  detail: { readonly code: number | null; readonly status: string },
  level: CodeLevel,
): Declined {
  const { code, status } = detail;
  const known = code === null ? undefined : (BOTH[code] ?? BY_LEVEL[level][code]);
  return known ?? (status === "CONSTRAINTS_VIOLATED" ? AMOUNT : SOFT);
}
