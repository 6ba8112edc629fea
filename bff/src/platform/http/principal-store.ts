import { type RawBuilder, sql } from "kysely";
import type { Placeholder } from "../database/prepared-statement.ts";

/**
 * Which rows a caller was known by. As long as neither has been written since, the caller is who it was: any change of the
 * credential (its end) or of the provider (its access, settings, origins, clock) makes a new version of the row.
 */
export interface PrincipalVersion {
  readonly credentialId: string;
  readonly credentialRow: string;
  readonly providerRow: string;
}

/**
 * The condition that a caller still is who it was, for the first statement that a request makes: so a caller that is
 * remembered needs no statement of its own to be known again. Without a version (null) it was looked up just now.
 */
export function principalStands(given: Placeholder<"providerId" | keyof PrincipalVersion>): RawBuilder<boolean> {
  return sql<boolean>`(${given("credentialId")}::uuid is null or exists (
    select from credentials join providers on providers.id = credentials.provider_id
    where credentials.id = ${given("credentialId")}::uuid and credentials.xmin = ${given("credentialRow")}::xid
      and providers.id = ${given("providerId")}::uuid and providers.xmin = ${given("providerRow")}::xid))`;
}
