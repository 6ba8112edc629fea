import { type RawBuilder, sql } from "kysely";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";

/**
 * Undelivered mails. Of those that were useful for a limited time only nothing is kept, and the patient asks for another;
 * they are listed, as an exception of their own, where the mail server cannot carry the address, because asking for another
 * does not help.
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
