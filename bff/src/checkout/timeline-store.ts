import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { SEND_RECOGNITION_TIMER } from "./recognition/start-recognition.ts";

export function checkoutEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select moment.what, moment.at, t.id::text as subject, null::bigint as amount,
        jsonb_build_object('purpose', t.purpose) as facts
      from widget_tokens t cross join lateral (values
        ('token.minted', t.created_at), ('token.shown', t.shown_at), ('token.used', t.used_at)) as moment (what, at)
      where t.provider_id = ${providerId}::uuid and t.order_id = ${orderId}::uuid and moment.at is not null`,
    sql`
      select moment.what, moment.at, r.id::text, null::bigint, jsonb_build_object('number', r.number)
      from recognitions r cross join lateral (values
        ('recognition.asked', r.created_at), ('recognition.verified', r.verified_at)) as moment (what, at)
      where r.provider_id = ${providerId}::uuid and r.order_id = ${orderId}::uuid and moment.at is not null`,
  ];
}

export function checkoutTimers({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`
      select ${SEND_RECOGNITION_TIMER}::text as kind, id::text as key
      from recognitions where provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`,
  ];
}
