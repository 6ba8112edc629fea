import { sql } from "kysely";
import { type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import { type OrderId, orderHashSchema } from "../../src/contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

export interface Charge {
  /** The mall's buy order. */
  readonly id: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  readonly orderHash: OrderId;
  readonly amount: Clp;
  readonly shopCode: string;
  readonly shopBuyOrder: string;
  readonly authorisationCode: string | null;
  readonly paymentType: string | null;
  readonly at: Date;
  readonly chargedAt: Date;
}

const COLUMNS = sql`
  id, provider_id as "providerId", idempotency_key as "idempotencyKey", order_hash as "orderHash",
  amount, shop_code as "shopCode", shop_buy_order as "shopBuyOrder",
  authorisation_code as "authorisationCode", payment_type as "paymentType", at, charged_at as "chargedAt"
`;

function readCharge(row: Charge): Charge {
  return { ...row, amount: clp(row.amount), orderHash: orderHashSchema.parse(row.orderHash) };
}

export async function insertCharge(tx: Transaction, charge: Charge): Promise<void> {
  await sql`
    insert into charges (id, provider_id, idempotency_key, order_hash, amount, shop_code, shop_buy_order,
      authorisation_code, payment_type, at, charged_at)
    values (${charge.id}, ${charge.providerId}, ${charge.idempotencyKey}, ${charge.orderHash}, ${charge.amount},
      ${charge.shopCode}, ${charge.shopBuyOrder}, ${charge.authorisationCode}, ${charge.paymentType},
      ${charge.at}::timestamptz, ${charge.chargedAt}::timestamptz)
  `.execute(tx);
}

export async function findCharge(
  db: Database,
  { chargeId, providerId, orderHash }: { chargeId: string; providerId: string; orderHash: string },
): Promise<Charge | undefined> {
  const { rows } = await sql<Charge>`
    select ${COLUMNS} from charges
    where id = ${chargeId} and provider_id = ${providerId} and order_hash = ${orderHash}
  `.execute(db);
  return rows.map(readCharge)[0];
}

/** A charge by the buy order of the mall or of the shop. */
export async function findChargeByOrder(db: Database, name: string): Promise<Charge | undefined> {
  const { rows } = await sql<Charge>`
    select ${COLUMNS} from charges where shop_buy_order = ${name} or id = ${name}
  `.execute(db);
  return rows.map(readCharge)[0];
}

/** Locks a charge, so that its refunds follow one another; true if one of them has an unknown outcome. */
export async function lockRefunds(tx: Transaction, chargeId: string): Promise<boolean> {
  await sql`select id from charges where id = ${chargeId} for update`.execute(tx);
  const { rows } = await sql`
    select 1 from connector_calls
    where operation = 'return' and answer is null and plan ->> 'chargeId' = ${chargeId} limit 1
  `.execute(tx);
  return rows.length > 0;
}

/** The amount of a charge that calls of the service have returned. */
export async function sumReturned(db: Database, chargeId: string): Promise<number> {
  const { rows } = await sql<{ returned: number }>`
    select coalesce(sum(amount), 0)::bigint as returned from returns where charge_id = ${chargeId}
  `.execute(db);
  return rows[0]?.returned ?? 0;
}

export interface Return {
  readonly id: string;
  readonly chargeId: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  readonly amount: Clp;
  readonly authorisationCode: string | null;
  readonly at: Date;
}

export async function insertReturn(tx: Transaction, given: Return): Promise<void> {
  await sql`
    insert into returns (id, charge_id, provider_id, idempotency_key, amount, authorisation_code, at)
    values (${given.id}, ${given.chargeId}, ${given.providerId}, ${given.idempotencyKey}, ${given.amount},
      ${given.authorisationCode}, ${given.at}::timestamptz)
  `.execute(tx);
}

export async function findReturns(db: Database, chargeId: string): Promise<readonly Return[]> {
  const { rows } = await sql<Return>`
    select id, charge_id as "chargeId", provider_id as "providerId", idempotency_key as "idempotencyKey",
      amount, authorisation_code as "authorisationCode", at
    from returns where charge_id = ${chargeId} order by at, id
  `.execute(db);
  return rows.map((row) => ({ ...row, amount: clp(row.amount) }));
}

/** Returns false if a chargeback with this id is already stored. */
export async function insertChargeback(
  tx: Transaction,
  { id, charge, amount, at }: { readonly id: string; readonly charge: Charge; readonly amount: Clp; readonly at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into chargebacks (id, charge_id, provider_id, amount, at)
    values (${id}, ${charge.id}, ${charge.providerId}, ${amount}, ${at}::timestamptz)
    on conflict do nothing returning id
  `.execute(tx);
  return rows.length > 0;
}

export interface Movement {
  readonly id: string;
  readonly kind: "charge" | "return" | "chargeback";
  readonly chargeId: string;
  readonly idempotencyKey: string;
  readonly orderHash: OrderId;
  readonly amount: Clp;
  readonly at: Date;
  readonly storeCode: string;
  readonly authorisationCode: string | null;
}

/** Everything that moved in [from, to), oldest first. A chargeback has no key of the service, so it has its own id. */
export async function listMovements(
  db: Database,
  { providerId, from, to }: { readonly providerId: string; readonly from: Date; readonly to: Date },
): Promise<readonly Movement[]> {
  const { rows } = await sql<Movement>`
    with moved as (
      select id, 'charge' as kind, id as charge_id, idempotency_key, amount, authorisation_code, provider_id, at
      from charges
      union all
      select id, 'return', charge_id, idempotency_key, amount, authorisation_code, provider_id, at from returns
      union all
      select id, 'chargeback', charge_id, id, amount, null, provider_id, at from chargebacks
    )
    select m.id, m.kind, m.charge_id as "chargeId", m.idempotency_key as "idempotencyKey",
      c.order_hash as "orderHash", m.amount, m.at, c.shop_code as "storeCode",
      m.authorisation_code as "authorisationCode"
    from moved m join charges c on c.id = m.charge_id
    where m.provider_id = ${providerId} and m.at >= ${from}::timestamptz and m.at < ${to}::timestamptz
    order by m.at, m.id
  `.execute(db);
  return rows.map((row) => ({ ...row, amount: clp(row.amount), orderHash: orderHashSchema.parse(row.orderHash) }));
}

/** Whether the patient's bank takes this charge back. */
export async function isDisputed(db: Database, chargeId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from chargebacks where charge_id = ${chargeId} limit 1`.execute(db);
  return rows.length > 0;
}

export async function findChargebacks(
  db: Database,
  chargeId: string,
): Promise<readonly { readonly id: string; readonly amount: number }[]> {
  const { rows } = await sql<{ id: string; amount: number }>`
    select id, amount from chargebacks where charge_id = ${chargeId} order by at, id
  `.execute(db);
  return rows;
}
