import type { Transaction } from "../platform/database/transaction.ts";
import { scheduleTimers } from "../platform/timers/timer-store.ts";
import type { ClaimKey } from "./claim-store.ts";

/** Sends access to the insurer for a filed claim: new access, or again if the insurer may have forgotten it. */
export const RENEW_ACCESS_TIMER = "reimbursements.renew_access";

/**
 * Has the access sent for filed claims. `causeId` is a UUID; the call's idempotency key is derived from it. `at` is
 * real time.
 */
export async function scheduleRenewals(
  tx: Transaction,
  claims: readonly ClaimKey[],
  { causeId, accessAt, at }: { readonly causeId: string; readonly at: Date } & Pick<Renewal, "accessAt">,
): Promise<void> {
  await scheduleTimers(
    tx,
    claims.map(({ providerId, id }) => ({
      kind: RENEW_ACCESS_TIMER,
      key: `${id}:${causeId}`,
      providerId,
      dueAt: at,
      payload: renewalPayload({ claimId: id, inquiries: 0, accessAt }),
    })),
  );
}

/** Thrown when a timer does not name its claim: a defect. */
export class TimerWithoutClaim extends Error {
  override readonly name = "TimerWithoutClaim";
  readonly code = "timer_without_claim";
}

export interface Renewal {
  readonly claimId: string;
  readonly inquiries: number;
  /** When the patient gave the access, if it is new to the insurer; null if it is sent again. */
  readonly accessAt: Date | null;
}

export function renewalPayload({ claimId, inquiries, accessAt }: Renewal) {
  return { claim_id: claimId, inquiries, access_at: accessAt?.toISOString() ?? null };
}

export function readRenewal(payload: unknown): Renewal {
  if (typeof payload === "object" && payload !== null && "claim_id" in payload && "inquiries" in payload) {
    const { claim_id: claimId, inquiries } = payload;
    const accessAt = "access_at" in payload && typeof payload.access_at === "string" ? payload.access_at : null;
    if (typeof claimId === "string" && typeof inquiries === "number")
      return { claimId, inquiries, accessAt: accessAt === null ? null : new Date(accessAt) };
  }
  throw new TimerWithoutClaim("A timer of a claim does not name it.");
}
