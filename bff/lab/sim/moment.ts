import type { OpenDatabase } from "../../src/platform/database/database.ts";
import type { Moment } from "./order-path.ts";

/*
 * The state of an order at one moment, read from the service's tables, and its whole history, which the database itself
 * records.
 */

/** Selects a row of a moment for each order `o`. */
const MOMENT = `
  select o.state as "order", o.total, o.deferred_part as deferred, o.refund_accepted as accepted, o.refunded,
    o.deferred_cancelled as cancelled, o.deferred_collected as collected,
    (select count(*)::int from events e where e.order_id = o.id and e.kind = 'order.paid') as "paidEvents",
    (select coalesce(jsonb_agg(jsonb_build_object('state', a.state, 'ending', coalesce(a.ending ->> 'as', ''),
        'payment', p.status) order by p.number), '[]')
      from payment_attempts a join order_payments p on p.order_id = a.order_id and p.id = a.id
      where a.order_id = o.id) as attempts,
    (select coalesce(jsonb_agg(jsonb_build_object('amount', r.amount, 'status', r.status, 'allocated', r.allocated,
        'movements', (select coalesce(jsonb_agg(jsonb_build_object('kind', m.kind, 'amount', m.amount,
            'commission', m.commission, 'status', m.status) order by m.position), '[]')
          from refund_movements m where m.refund_id = r.id)) order by r.number), '[]')
      from order_refunds r where r.order_id = o.id) as refunds,
    (select jsonb_build_object('state', c.state, 'failure', coalesce(c.failure, ''), 'trigger', coalesce(
        (select t.reason from collection_triggers t where t.order_id = o.id), ''))
      from collections c where c.order_id = o.id) as collection,
    (select coalesce(jsonb_agg(jsonb_build_object('status', p.status, 'price', p.amount - p.commission,
        'commission', p.commission) order by p.number), '[]')
      from order_payments p where p.order_id = o.id and p.kind = 'deferred') as charges,
    (select count(*)::int from chargebacks b where b.order_id = o.id) as disputes,
    (select count(*)::int from chargebacks b where b.order_id = o.id and b.released_at is null) as "openDisputes"
  from orders o`;

export function readMoment(database: OpenDatabase, orderId: string): Promise<Moment> {
  return database.withSession(async (session) => {
    const { rows }: { rows: readonly Moment[] } = await session.query(`${MOMENT} where o.id::text = $1::text`, [
      orderId,
    ]);
    const [moment] = rows;
    if (moment === undefined) throw new Error("Order not found.");
    return moment;
  });
}

const TABLES = [
  "orders",
  "payment_attempts",
  "order_payments",
  "order_refunds",
  "refund_movements",
  "collections",
  "collection_triggers",
  "chargebacks",
];

/**
 * Makes the database record the state of each order that a transaction changes, in a separate table. Rolled back
 * changes are not recorded.
 */
export async function noteHistory(database: OpenDatabase): Promise<void> {
  const triggers = TABLES.map(
    (table) => `
      create constraint trigger model_history after insert or update on ${table} deferrable initially deferred
        for each row execute function model_note_moment('${table === "orders" ? "id" : "order_id"}');`,
  );
  await database.withSession((session) =>
    session.script(`
      create table model_history (
        number bigserial primary key, order_id uuid not null, transaction bigint not null, moment jsonb not null,
        unique (order_id, transaction));
      create function model_note_moment() returns trigger language plpgsql as $$
      declare about uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
      begin
        if not exists (select from model_history where order_id = about and transaction = txid_current()) then
          insert into model_history (order_id, transaction, moment)
            select about, txid_current(), to_jsonb(moment) from (${MOMENT} where o.id = about) moment;
        end if;
        return null;
      end $$;
      ${triggers.join("\n")}`),
  );
}

/** The changes of one order, recorded at the end of one transaction. */
export interface Noted {
  readonly order_id: string;
  readonly moment: Moment;
}

/** The records since the last call, in the order of the transactions. */
export function takeHistory(database: OpenDatabase): Promise<readonly Noted[]> {
  return database.withSession(async (session) => {
    const { rows }: { rows: readonly Noted[] } = await session.query(
      `with taken as (delete from model_history returning number, order_id, moment)
        select order_id, moment from taken order by number`,
      [],
    );
    return rows;
  });
}
