import { type RawBuilder, sql } from "kysely";
import type { Environment } from "../platform/provider.ts";

/** The current time of each provider of an environment, as a subquery: `id, now`. */
export function selectProviderClocks(environment: Environment, now: Date): RawBuilder<unknown> {
  return sql`
    select id, ${now}::timestamptz + clock_offset_ms * interval '1 millisecond' as now
    from providers where environment = ${environment}`;
}
