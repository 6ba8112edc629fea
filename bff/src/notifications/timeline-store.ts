import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { SEND_NOTIFICATION_TIMER } from "./notify-patient.ts";

/** Notifications are kept in real time. */
export function notificationEntries(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select moment.what, moment.at + ${order.clockOffsetMs}::double precision * interval '1 millisecond' as at,
        n.id::text as subject, null::bigint as amount, moment.facts
      from notices n cross join lateral (values
        ('notification.written', n.created_at, jsonb_build_object('kind', n.kind, 'channel', n.channel)),
        ('notification.ended', n.settled_at, jsonb_strip_nulls(jsonb_build_object('kind', n.kind, 'channel', n.channel,
          'state', n.state, 'refusal', n.refusal)))) as moment (what, at, facts)
      where ${ofOrder(order)} and moment.at is not null`,
  ];
}

export function notificationWaits(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'waits.notification' as what,
        n.created_at + ${order.clockOffsetMs}::double precision * interval '1 millisecond' as at,
        n.id::text as subject, null::bigint as amount, jsonb_build_object('kind', n.kind, 'channel', n.channel) as facts
      from notices n where ${ofOrder(order)} and n.state = 'waiting'`,
  ];
}

/** A notification that an operator has sent again has a timer of another key; it is due at once. */
export function notificationTimers(order: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`select ${SEND_NOTIFICATION_TIMER}::text as kind, n.id::text as key from notices n where ${ofOrder(order)}`,
  ];
}

function ofOrder({ providerId, orderId }: TimelineOrder): RawBuilder<boolean> {
  return sql<boolean>`n.provider_id = ${providerId}::uuid and n.order_id = ${orderId}::uuid`;
}
