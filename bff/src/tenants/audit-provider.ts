import { recordAudit } from "../platform/audit-store.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { ProviderOperations } from "./provider-operations.ts";

/** Records in the audit trail who changed what about a provider, in the transaction of the change. */
export function auditProvider(
  tx: Transaction,
  {
    ids,
    clock,
    actor = "service",
    credentialId = null,
  }: Pick<ProviderOperations, "ids" | "clock" | "actor" | "credentialId">,
  { act, providerId, details = {} }: { act: string; providerId: string; details?: object },
): Promise<void> {
  const subject = { kind: "provider", id: providerId };
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId,
    actor,
    credentialId,
    act,
    subject,
    details,
    at: clock.now(),
  });
}
