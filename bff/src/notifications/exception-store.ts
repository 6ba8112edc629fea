import { sql } from "kysely";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";

/**
 * Undelivered mails, except those that were useful for a limited time only; with a mail server that cannot carry the
 * address, also these, because asking for another does not help.
 */
export function notificationExceptionQueries(): readonly ExceptionQuery[] {
  const rows = sql<ExceptionRow>`
    select 'notice_undelivered' as kind, provider_id, id::text as subject, order_id, settled_at as since,
      jsonb_build_object('notice', kind, 'why', coalesce(refusal, state)) as facts
    from notices where state in ('refused', 'given_up') and channel = 'email'
      and (useful_until is null or refusal is not null)`;
  return [{ rows }];
}
