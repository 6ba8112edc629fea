import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import { type ErasedPatient, ofTenant } from "../platform/personal-data.ts";

/** Deletes address and text of notifications to a patient that could not be delivered. */
export async function emptyUndelivered(
  tx: Transaction,
  patient: ErasedPatient,
  orders: RawBuilder<unknown>,
): Promise<void> {
  await sql`update notices set sealed_email = null, sealed_message = null
    where state in ('refused', 'given_up') and ${isSentTo(patient, orders)}`.execute(tx);
}

/**
 * Deletes address and text of a patient's waiting and undelivered notifications and gives up the waiting ones, so that
 * none of them is listed as undelivered.
 */
export async function endWaiting(
  tx: Transaction,
  patient: ErasedPatient,
  { orders, realNow }: { readonly orders: RawBuilder<unknown>; readonly realNow: Date },
): Promise<void> {
  await sql`update notices set sealed_email = null, sealed_message = null, useful_until = ${realNow},
      refusal = null,
      state = case state when 'waiting' then 'given_up' else state end, settled_at = coalesce(settled_at, ${realNow})
    where state in ('waiting', 'refused', 'given_up') and ${isSentTo(patient, orders)}`.execute(tx);
}

/**
 * The condition for notifications to a registered patient, at any address, and about the orders (`provider_id, id`) of
 * that patient.
 */
function isSentTo({ beneficiaryId, tenant }: ErasedPatient, orders: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(beneficiary_id = ${beneficiaryId}::uuid or (provider_id, order_id) in (${orders}))
    and ${ofTenant("provider_id", tenant)}`;
}
