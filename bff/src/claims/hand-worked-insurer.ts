import { clp } from "../contract/vocabulary/clp.ts";
import { GatewayUnavailable } from "../gateways/gateway-call.ts";
import type { ClaimOutcome, FilingOutcome, InsurerConnector } from "../gateways/insurer.ts";
import type { Database } from "../platform/database/transaction.ts";
import {
  findByKey,
  findByNumber,
  type HandWorkedClaim,
  type NumberAtInsurer,
  queueClaim,
} from "./by-hand/hand-claim-store.ts";

/**
 * The isapres without a connector: an operator files each claim on the portal and enters the answers in the console.
 * It needs no patient's password.
 */
export function createHandWorkedInsurer({ db }: { readonly db: Database }): InsurerConnector {
  return {
    takesAccess: false,
    sealingKey: () => Promise.reject(new GatewayUnavailable("Claims are filed by hand, without passwords.")),
    async fileClaim({ providerId, idempotencyKey: key, at }, { orderHash: orderId }) {
      if (orderId === null) return { outcome: "unknown" };
      return filingOf(await queueClaim(db, { providerId, orderId, key, at }));
    },
    async inquireFiling({ providerId, idempotencyKey }) {
      const queued = await findByKey(db, providerId, idempotencyKey);
      return queued === null ? { outcome: "not_found" } : filingOf(queued);
    },
    async inquireClaim({ providerId }, { claimId }): Promise<ClaimOutcome> {
      const worked = await findByNumber(db, providerId, readClaimId(claimId));
      switch (worked?.answer) {
        case "approved":
          return {
            outcome: "approved",
            reimbursed: clp(worked.reimbursed ?? 0),
            at: worked.answered_at ?? worked.queued_at,
          };
        case "rejected":
          return { outcome: "rejected", reason: worked.reason ?? "" };
        case "waiting":
          return { outcome: "waiting" };
        default:
          // Filed through a connector, before the claims were worked by hand.
          return { outcome: "unknown" };
      }
    },
  };
}

/** No number has a colon. */
function readClaimId(claimId: string): NumberAtInsurer {
  const [number = "", insurer = null] = claimId.split(":").toReversed();
  return { insurer, number };
}

/** The filing as the gateway's answer. */
function filingOf({ insurer, insurer_claim_id: number, lacking }: HandWorkedClaim): FilingOutcome {
  if (number !== null) return { outcome: "filed", claimId: insurer === null ? number : `${insurer}:${number}` };
  return lacking === null ? { outcome: "queued" } : { outcome: "held", missing: [lacking] };
}
