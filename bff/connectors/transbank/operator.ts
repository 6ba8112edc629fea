import type { GatewayCall } from "../../src/gateways/gateway-call.ts";
import { chargeOperation, chargeReadInPortal } from "./charges.ts";
import type { Oneclick } from "./oneclick.ts";
import { returnOperation, returnReadInPortal } from "./returns.ts";

/** An operator's finding in Transbank's portal about an unanswered call. */
export interface PortalReading {
  readonly by: string;
  readonly because: string;
  /** Whether the portal shows the charge or the refund. */
  readonly wasDone: boolean;
  readonly authorisationCode?: string | undefined;
}

export type SettledCall = Pick<GatewayCall, "providerId" | "idempotencyKey"> & {
  readonly operation: "charge" | "return";
};

/**
 * Settles a charge or refund with an unknown outcome for good, because Transbank answers inquiries for only 7 days.
 * Returns false if there is no such call, or it has an answer.
 */
export async function settleUnknown(
  oneclick: Oneclick,
  name: SettledCall,
  { by, because, ...reading }: PortalReading,
): Promise<boolean> {
  const { calls } = oneclick;
  if (name.operation === "charge")
    return calls.settleByHand(chargeOperation(oneclick), name, {
      outcome: (plan) => chargeReadInPortal(plan, reading),
      by,
      because,
    });
  return calls.settleByHand(returnOperation(oneclick), name, {
    outcome: (plan) => returnReadInPortal(plan, reading),
    by,
    because,
  });
}
