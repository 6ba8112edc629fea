import { type RawBuilder, sql } from "kysely";
import { RIGHTS_WARNING_DAYS } from "../contract/terms.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";

/** Patients' requests that a person must answer: listed at once, and again when their time runs out. */
export function requestExceptionQueries(): readonly ExceptionQuery[] {
  return [{ rows: openRequests("rights_request") }, lateRequests];
}

const lateRequests: ExceptionQuery = {
  rows: openRequests("rights_request_late"),
  afterHours: RIGHTS_WARNING_DAYS * 24,
};

function openRequests(kind: string): RawBuilder<ExceptionRow> {
  return sql`
    select ${kind}::text as kind, provider_id, id::text as subject, null::uuid as order_id, asked_at as since,
      jsonb_build_object('asked', kind) as facts
    from rights_requests where state = 'open'`;
}
