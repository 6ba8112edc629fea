import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { FILE_CLAIM_TIMER } from "./consider-claim.ts";
import { POLL_CLAIM_TIMER } from "./poll-claim.ts";
import { REMIND_UNFILED_TIMER } from "./remind-unfiled.ts";

const ofOrder = ({ providerId, orderId }: TimelineOrder) =>
  sql<boolean>`provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`;

export function claimEntries(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'expense.received' as what, created_at as at, id::text as subject, null::bigint as amount,
        '{}'::jsonb as facts
      from expenses where ${ofOrder(order)}`,
    sql`
      select 'receipt.missed', noticed_at, null::text, null::bigint, '{}'::jsonb
      from missing_receipts where ${ofOrder(order)}`,
    sql`
      select moment.what, moment.at, c.id::text, null::bigint, moment.facts
      from claims c cross join lateral (values
        ('claim.made', c.created_at, '{}'::jsonb),
        ('claim.filed', c.filed_at, jsonb_strip_nulls(jsonb_build_object('at_insurer', c.insurer_claim_id))),
        ('claim.access_blocked', c.blocked_since, '{}'::jsonb),
        ('claim.access_renewed', c.renewed_access_at, '{}'::jsonb),
        ('claim.ended', case when c.state in ('approved', 'rejected', 'stopped') then c.updated_at end,
          jsonb_strip_nulls(jsonb_build_object('state', c.state, 'reimbursed', c.reimbursed)))
        ) as moment (what, at, facts)
      where ${ofOrder(order)} and moment.at is not null`,
  ];
}

export function claimWaits(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'waits.receipt' as what, noticed_at as at, null::text as subject, null::bigint as amount,
        '{}'::jsonb as facts
      from missing_receipts m where ${ofOrder(order)}
        and not exists (select from expenses e where e.provider_id = m.provider_id and e.order_id = m.order_id)`,
    sql`
      select 'waits.claim', updated_at, id::text, null::bigint,
        jsonb_strip_nulls(jsonb_build_object('state', state, 'reason', reason, 'inquiries', inquiries))
      from claims where ${ofOrder(order)} and state not in ('approved', 'rejected', 'stopped')`,
  ];
}

export function claimTimers(order: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`select ${REMIND_UNFILED_TIMER}::text as kind, ${order.orderId}::text as key`,
    sql`select ${POLL_CLAIM_TIMER}, id::text from claims where ${ofOrder(order)}`,
    sql`select ${FILE_CLAIM_TIMER}, id::text || ':' || attempt::text from claims where ${ofOrder(order)}`,
  ];
}
