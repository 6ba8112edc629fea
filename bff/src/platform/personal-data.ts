import { type RawBuilder, sql } from "kysely";

/*
 * What rooms are told of a patient whose data they read or erase.
 */

/** The orders of a patient: those addressed to one mailbox, or (null) all under the RUT. */
export interface OrdersOfPatient {
  readonly rut: string;
  readonly addressedTo: string | null;
}

/** A patient whose rows are emptied; `beneficiaryId` is null where there is no record of them. */
export interface ErasedPatient extends OrdersOfPatient {
  readonly beneficiaryId: string | null;
  readonly tenant: string;
  readonly at: Date;
}

/** The condition that a row is one of a tenant's providers; `everybody` is production's tenant. */
export function ofTenant(column: string, tenant: string): RawBuilder<boolean> {
  return tenant === "everybody" ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${tenant}::uuid`;
}
