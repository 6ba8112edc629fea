import { type RawBuilder, sql } from "kysely";
import { emailKey } from "../../contract/vocabulary/email.ts";
import type { OrdersOfPatient } from "../../platform/personal-data.ts";

/* Sets of orders as SQL, for statements of other rooms that check whether an order belongs to the set. */

/** Fully refunded orders: `provider_id, id, updated_at`, the last being the time of the refund. */
export const refundedOrderKeys: RawBuilder<unknown> = sql`
  select provider_id, id, updated_at from orders where state = 'refunded'`;

/** A patient's orders: `provider_id, id`. */
export function patientOrderKeys({ rut, addressedTo }: OrdersOfPatient): RawBuilder<unknown> {
  return sql`select provider_id, id from orders where customer_rut = ${rut} and ${isAddressedTo(addressedTo)}`;
}

export function isAddressedTo(mailbox: string | null): RawBuilder<boolean> {
  return mailbox === null ? sql<boolean>`true` : sql<boolean>`lower(customer_email collate "C") = ${emailKey(mailbox)}`;
}
