import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";
import { type ErasedPatient, ofTenant } from "../platform/personal-data.ts";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { SEND_NOTIFICATION_TIMER } from "./notify-patient.ts";

/**
 * Undelivered mails. A mail of limited usefulness is not kept, because the patient requests another. It is only listed,
 * under a separate kind, if the mail server cannot deliver to the address, because another mail would fail too.
 */
export function notificationExceptionQueries(): readonly ExceptionQuery[] {
  return [
    { rows: undelivered("notice_undelivered", sql`useful_until is null`) },
    { rows: undelivered("notice_not_carried", sql`useful_until is not null and refusal is not null`) },
  ];
}

function undelivered(kind: string, which: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql<ExceptionRow>`
    select ${kind}::text as kind, provider_id, id::text as subject, order_id, settled_at as since,
      jsonb_build_object('notice', kind, 'why', coalesce(refusal, state)) as facts
    from notices where state in ('refused', 'given_up') and channel = 'email' and ${which}`;
}

/** Notifications use real time. */
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

/** A notification that an operator has sent again has a timer with another key, which is due at once. */
export function notificationTimers(order: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`select ${SEND_NOTIFICATION_TIMER}::text as kind, n.id::text as key from notices n where ${ofOrder(order)}`,
  ];
}

function ofOrder({ providerId, orderId }: TimelineOrder): RawBuilder<boolean> {
  return sql<boolean>`n.provider_id = ${providerId}::uuid and n.order_id = ${orderId}::uuid`;
}

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
 * Deletes address and text of a patient's waiting and undelivered notifications, and gives up the waiting ones without
 * listing them as undelivered.
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
