import { type RawBuilder, sql } from "kysely";

/** What names a caller as it was looked up: values, or columns. */
interface NamedVersion {
  readonly credentialId: unknown;
  readonly credentialRow: unknown;
  readonly providerRow: unknown;
}

/** The condition that a credential and its provider still are as they were when they were looked up. */
export function versionStands({ credentialId, credentialRow, providerRow }: NamedVersion): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from credentials join providers on providers.id = credentials.provider_id
    where credentials.id = ${credentialId} and credentials.xmin = ${credentialRow}::xid
      and providers.xmin = ${providerRow}::xid)`;
}

/**
 * The same for the first statement that a request makes: so a caller that is remembered needs no statement of its own to be
 * known again. `source` is a CTE with the columns `credential_id`, `credential_row` and `provider_row`; without a credential
 * the caller was looked up just now.
 */
export function principalStands(source: string): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${source}.${column}`);
  const version = {
    credentialId: of("credential_id"),
    credentialRow: of("credential_row"),
    providerRow: of("provider_row"),
  };
  return sql<boolean>`(${of("credential_id")} is null or ${versionStands(version)})`;
}
