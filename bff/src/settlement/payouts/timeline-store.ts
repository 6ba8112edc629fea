import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow, TimerName } from "../../platform/timeline.ts";
import { PAYOUT_RUN_TIMER } from "./owe-payee.ts";
import { SEND_PAYOUT_TIMER } from "./run-payouts.ts";

const ofOrder = ({ providerId, orderId }: TimelineOrder) =>
  sql<boolean>`i.provider_id = ${providerId}::uuid and i.order_id = ${orderId}::uuid`;
const payoutsOfItems = sql`payout_items i join payouts p on p.provider_id = i.provider_id and p.id = i.payout_id`;

export function payoutEntries(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select case when y.kind = 'lender' then 'remittance' else 'payout' end || moment.what as what, moment.at,
        p.id::text as subject, null::bigint as amount, moment.facts
      from ${payoutsOfItems} join payees y on y.provider_id = p.provider_id and y.id = p.payee_id
      cross join lateral (values
        ('.included', p.created_at, jsonb_build_object('net', i.net, 'fee', i.fee, 'day', p.day)),
        ('.ended', p.settled_at, jsonb_strip_nulls(jsonb_build_object('state', p.state, 'refusal', p.refusal)))
        ) as moment (what, at, facts)
      where ${ofOrder(order)} and moment.at is not null`,
  ];
}

export function payoutWaits(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'waits.payout' as what, i.moved_at as at, null::text as subject, null::bigint as amount,
        '{}'::jsonb as facts
      from payable_orders i where ${ofOrder(order)} and i.moved_at is not null`,
    sql`
      select 'waits.remittance', i.moved_at, null::text, null::bigint, '{}'::jsonb
      from collected_orders i join lender_accounts a on a.provider_id = i.provider_id
      where ${ofOrder(order)} and i.moved_at is not null`,
    sql`
      select 'waits.bank', p.created_at, p.id::text, null::bigint,
        jsonb_build_object('day', p.day, 'inquiries', p.inquiries)
      from ${payoutsOfItems} where ${ofOrder(order)} and p.state = 'sending'`,
  ];
}

export function payoutTimers(order: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`
      select ${PAYOUT_RUN_TIMER}::text as kind, i.provider_id::text as key
      from payable_orders i where ${ofOrder(order)} and i.moved_at is not null
      union
      select ${PAYOUT_RUN_TIMER}, i.provider_id::text
      from collected_orders i join lender_accounts a on a.provider_id = i.provider_id
      where ${ofOrder(order)} and i.moved_at is not null`,
    sql`select ${SEND_PAYOUT_TIMER}, i.payout_id::text from payout_items i where ${ofOrder(order)}`,
  ];
}
