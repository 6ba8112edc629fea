import { sql } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { type ErasedPatient, ofTenant } from "../platform/personal-data.ts";
import { isAddressedTo } from "./order-keys-store.ts";

/** A credit that was refused, with the reasons that the law has kept. */
export interface CreditRefusal {
  readonly reasons: readonly string[];
  readonly at: Date;
}

export interface PatientOrderKey {
  readonly providerId: string;
  readonly id: OrderId;
  readonly creditRefusal: CreditRefusal | null;
  /** The texts that were agreed to with the payment; null if none were kept. */
  readonly agreement: readonly LegalTextName[] | null;
}

/**
 * Every order under a RUT, oldest first, with the credit refusal if there was one. The refusal is read from the payment
 * attempts because the order itself may have been cancelled afterwards.
 */
export async function selectPatientOrders(
  db: Database,
  { tenant, rut }: { readonly tenant: string; readonly rut: string },
): Promise<PatientOrderKey[]> {
  const rows = await db
    .selectFrom("orders as o")
    .leftJoin("payment_attempts as a", (join) =>
      join.onRef("a.provider_id", "=", "o.provider_id").onRef("a.order_id", "=", "o.id").on("a.state", "=", "failed"),
    )
    .select(["o.provider_id", "o.id", "a.ended_at"])
    .select(
      sql<readonly string[] | null>`case a.ending ->> 'as' when 'failed' then a.ending -> 'reasons' end`.as("reasons"),
    )
    .select(
      sql<LegalTextName[] | null>`(select s.agreement -> 'texts' from payment_attempts s
        where s.provider_id = o.provider_id and s.order_id = o.id and s.state = 'succeeded')`.as("agreement"),
    )
    .where("o.customer_rut", "=", sql<never>`${rut}`)
    .where(ofTenant("o.provider_id", tenant))
    .orderBy("o.created_at")
    .orderBy("o.id")
    .execute();
  return rows.map(({ provider_id, id, reasons, ended_at: at, agreement }) => ({
    providerId: provider_id,
    id: id as OrderId,
    creditRefusal: at === null || reasons === null ? null : { reasons, at },
    agreement,
  }));
}

/** An order whose personal data was removed. */
interface EmptiedOrder {
  readonly providerId: string;
  readonly id: string;
}

/**
 * Overwrites the card's id, which stands for the mandate to charge it, and the holder's name. Brand and last digits
 * identify nobody and are kept.
 */
const NOBODYS_CARD = JSON.stringify({ id: "", holderName: "" });

/** True if an attempt to pay the order ended with a refused credit, whatever happened to the order afterwards. */
const CREDIT_REFUSED = sql<boolean>`exists (select 1 from payment_attempts a
  where a.provider_id = orders.provider_id and a.order_id = orders.id and a.state = 'failed')`;

const NO_MONEY_MOVED = sql<boolean>`not exists (select 1
  from order_payments p where p.provider_id = orders.provider_id and p.order_id = orders.id
    and p.status in ('processing', 'captured', 'undone'))`;

/**
 * Removes the customer, the card, the lines of the bill and what they were shown from orders that were cancelled or expired unpaid, also if a card was declined
 * before.
 */
export async function emptyUnpaidOrders(
  tx: Transaction,
  { tenant, rut, addressedTo }: ErasedPatient,
): Promise<EmptiedOrder[]> {
  const { rows } = await sql<EmptiedOrder>`
    with emptied as (
      update orders set customer_rut = '', customer_first_name = '', customer_last_name = '', customer_email = '',
        customer_phone = '', card = null, items = null
      where customer_rut = ${rut} and state in ('cancelled', 'expired') and ${ofTenant("provider_id", tenant)}
        and ${isAddressedTo(addressedTo)} and ${NO_MONEY_MOVED} and not ${CREDIT_REFUSED}
      returning provider_id, id
    ), emptied_cards as (
      update order_payments p set card = p.card || ${NOBODYS_CARD}::jsonb
      from emptied where p.provider_id = emptied.provider_id and p.order_id = emptied.id
    ), forgotten_agreements as (
      update payment_attempts a set agreement = null
      from emptied where a.provider_id = emptied.provider_id and a.order_id = emptied.id
    )
    select provider_id as "providerId", id from emptied
  `.execute(tx);
  return rows;
}

/** Removes telephone, card, the lines of the bill and what was shown from orders whose credit was refused. */
export async function thinRefusedCredits(
  tx: Transaction,
  { tenant, rut, addressedTo }: ErasedPatient,
): Promise<EmptiedOrder[]> {
  const { rows } = await sql<EmptiedOrder>`
    with thinned as (
      update orders set customer_phone = '', card = null, items = null
      where customer_rut = ${rut} and ${ofTenant("provider_id", tenant)} and ${isAddressedTo(addressedTo)}
        and ${NO_MONEY_MOVED} and ${CREDIT_REFUSED}
      returning provider_id, id
    ), emptied_cards as (
      update order_payments p set card = p.card || ${NOBODYS_CARD}::jsonb
      from thinned where p.provider_id = thinned.provider_id and p.order_id = thinned.id
    ), forgotten_agreements as (
      update payment_attempts a set agreement = null
      from thinned where a.provider_id = thinned.provider_id and a.order_id = thinned.id
    )
    select provider_id as "providerId", id from thinned
  `.execute(tx);
  return rows;
}
