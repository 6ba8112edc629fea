import { type RawBuilder, sql } from "kysely";
import type { PrincipalVersion } from "../../providers/provider.ts";

/**
 * The condition that a caller still is who it was, for the first statement that a request makes: so a caller that is
 * remembered needs no statement of its own to be known again. `source` is a CTE with the columns `provider_id`,
 * `credential_id`, `credential_row` and `provider_row`; without a credential the caller was looked up just now.
 */
export function principalStands(source: string): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${source}.${column}`);
  return sql<boolean>`(${of("credential_id")} is null or exists (
    select from credentials join providers on providers.id = credentials.provider_id
    where credentials.id = ${of("credential_id")} and credentials.xmin = ${of("credential_row")}
      and providers.id = ${of("provider_id")} and providers.xmin = ${of("provider_row")}))`;
}

/** The same for one caller, as a condition of the statement that loads what it asks for. */
export function callerStands(providerId: string, version: PrincipalVersion): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from credentials join providers on providers.id = credentials.provider_id
    where credentials.id = ${version.credentialId} and credentials.xmin = ${version.credentialRow}::xid
      and providers.id = ${providerId} and providers.xmin = ${version.providerRow}::xid)`;
}
