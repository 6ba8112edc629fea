import { ACCOUNT_REFUSALS, type TransferRefusal } from "../../src/contract/vocabulary/banks.ts";
import type { Clp } from "../../src/contract/vocabulary/clp.ts";
import { clp } from "../../src/contract/vocabulary/clp.ts";
import { DAY_MS, HOUR_MS } from "../../src/contract/vocabulary/durations.ts";
import type { TransferOutcome } from "../../src/gateways/bank.ts";
import type { Unknown } from "../../src/gateways/gateway-call.ts";
import { inProviderTime } from "../kit/provider-time.ts";

/** Fintoc's limit for one transfer in Chile. */
export const PART_MAX = 7_000_000;
const COMMENT_CHARACTERS = 40;

export type PartState = "planned" | "pending" | "paid" | "failed" | "returned";

/** One transfer of Fintoc. */
export interface Part {
  readonly transferId: string;
  readonly part: number;
  readonly amount: Clp;
  readonly attempt: number;
  readonly state: PartState;
  readonly fintocId: string | null;
  readonly reason: TransferRefusal | null;
  readonly changedAt: Date;
  readonly paidAt: Date | null;
}

/** The amounts of the parts, as equal as whole pesos allow: none exceeds Fintoc's limit. */
export function amountsOf(amount: Clp): readonly Clp[] {
  const count = Math.ceil(amount / PART_MAX);
  const [each, rest] = [Math.floor(amount / count), amount % count];
  return Array.from({ length: count }, (_, index) => clp(each + (index < rest ? 1 : 0)));
}

/** Fintoc's idempotency key of a part, and its name in the list. */
export function partName({ transferId, part, attempt }: Pick<Part, "transferId" | "part" | "attempt">): string {
  return `${transferId}-${part}-${attempt}`;
}

/** Fintoc takes no second transfer with the same account, amount and comment on a day: each part has its own. */
export function commentOf(
  reference: string,
  { transferId, part, attempt }: Pick<Part, "transferId" | "part" | "attempt">,
): string {
  const suffix = ` ${transferId.slice(1, 7)}-${part}${attempt === 0 ? "" : `.${attempt}`}`;
  return `${reference.slice(0, COMMENT_CHARACTERS - suffix.length)}${suffix}`;
}

const REASONS: readonly (readonly [pattern: RegExp, reason: TransferRefusal])[] = [
  [/holder_id/, "holder_differs"],
  [/closed/, "account_closed"],
  [/not_enabled|disabled/, "account_not_enabled"],
  [/institution_(?:timeout|unavailable)/, "bank_unavailable"],
  [/institution/, "bank_unknown"],
  [/account_not_found|invalid_recipient_account|account_number/, "account_unknown"],
  [/insufficient|balance|funds/, "funds_missing"],
  [/limit|amount/, "limit_exceeded"],
  [/fraud|risk|suspicious|blocked|rejected/, "stopped_by_bank"],
];

/** Fintoc's `error_reason`, or the code and field of an error, in the protocol's words. */
export function reasonOf(text: string): TransferRefusal {
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? "other";
}

/** What Fintoc's status says about a part. */
export function stateOf({ status, error_reason }: { status: string; error_reason?: string | null | undefined }): {
  readonly state: Exclude<PartState, "planned">;
  readonly reason: TransferRefusal | null;
} {
  switch (status) {
    case "succeeded":
      return { state: "paid", reason: null };
    case "failed":
      return { state: "failed", reason: reasonOf(error_reason ?? "") };
    case "rejected":
      return { state: "failed", reason: "stopped_by_bank" };
    case "returned":
      return { state: "returned", reason: reasonOf(error_reason ?? "") };
    default:
      return { state: "pending", reason: null };
  }
}

const RETRY_MS = HOUR_MS;

/** The part to work on; null if none. Parts follow one another, so that a wrong account is paid nothing. */
export function nextPart(parts: readonly Part[], now: Date): Part | null {
  if (isRefused(parts)) return null;
  const next = parts.find(({ state }) => state !== "paid" && state !== "returned");
  if (next === undefined) return null;
  return next.state !== "failed" || mayRetry(next, now) ? next : null;
}

/** Nothing is paid or on its way, and something failed: the service decides how to pay. */
function isRefused(parts: readonly Part[]): boolean {
  return (
    parts.every(({ state }) => state !== "paid" && state !== "pending") &&
    parts.some(({ state }) => state !== "planned")
  );
}

/** Once a part was paid, the others are sent until they are paid as well. */
function mayRetry({ reason, changedAt }: Part, now: Date): boolean {
  const isAccount = ACCOUNT_REFUSALS.some((known) => known === reason);
  return !isAccount && now.getTime() - changedAt.getTime() >= RETRY_MS;
}

export function isPartlyPaid(parts: readonly Part[]): boolean {
  return (
    parts.some(({ state }) => state === "paid") && parts.some(({ state }) => state === "failed" || state === "returned")
  );
}

/** An instant transfer takes seconds; a bank under maintenance, hours. */
const ENDS_WITHIN_MS = 2 * DAY_MS;

/** What the parts mean for the whole transfer. */
export function outcomeOf(
  transfer: { readonly id: string; readonly amount: Clp; readonly at: Date; readonly begunAt: Date },
  parts: readonly Part[],
): Exclude<TransferOutcome, Unknown> {
  const { id: transferId, amount, at } = transfer;
  const isEvery = (...states: PartState[]) => parts.every(({ state }) => states.includes(state));
  const reason = parts.findLast((part) => part.reason !== null)?.reason ?? "other";
  if (isEvery("returned")) {
    const last = Math.max(...parts.map(({ changedAt }) => changedAt.getTime()));
    const returnedAt = inProviderTime(transfer, new Date(last));
    return { outcome: "returned", transferId, amount, reason, returnedAt };
  }
  if (isEvery("paid", "returned")) return { outcome: "sent", transferId, amount };
  if (isRefused(parts)) return { outcome: "refused", reason };
  return { outcome: "pending", transferId, endsBy: new Date(at.getTime() + ENDS_WITHIN_MS) };
}
