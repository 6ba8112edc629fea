import type * as z from "zod/mini";
import type { setSubscriptionRequestSchema, setSubscriptionResponseSchema } from "../../contract/onboarding.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import { requestTime } from "../../platform/http/request-time.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Principal } from "../../platform/provider.ts";
import { writePlan } from "./plan-store.ts";

/** Sets a patient's plan, replacing the previous one, and records who did so. Throws `validation_error`. */
export async function setSubscription(
  { db, ids }: { readonly db: Database; readonly ids: Ids },
  wanted: {
    readonly principal: Principal;
    readonly beneficiary: Beneficiary;
    readonly body: z.output<typeof setSubscriptionRequestSchema>;
    /** The provider's time. */
    readonly now: Date;
  },
): Promise<z.infer<typeof setSubscriptionResponseSchema>> {
  const { principal, beneficiary, body, now } = wanted;
  const { plan, status, paid_by: paidBy } = body;
  const validUntil = body.valid_until == null ? null : requestTime("valid_until", body.valid_until);
  const providerId = principal.provider.id;
  await inTransaction(db, async (tx) => {
    const written = { beneficiaryId: beneficiary.id, plan, status, paidBy, providerId, validUntil, updatedAt: now };
    await writePlan(tx, written);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId,
      actor: `credential:${principal.credential}`,
      credentialId: principal.credentialId,
      act: "subscription.set",
      subject: { kind: "beneficiary", id: beneficiary.id },
      details: { plan, status, paid_by: paidBy },
      at: now,
    });
  });
  return {
    rut: beneficiary.rut,
    plan,
    status,
    valid_until: validUntil?.toISOString() ?? null,
    paid_by: paidBy,
    updated_at: now.toISOString(),
  };
}
