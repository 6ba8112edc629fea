import { type RawBuilder, sql } from "kysely";

/* Types by which features identify the patient whose data is read or erased. */

/** Identifies a patient's orders: those for one mailbox, or (null) all for the RUT. */
export interface OrdersOfPatient {
  readonly rut: string;
  readonly addressedTo: string | null;
}

/** A patient whose data is erased. `beneficiaryId` is null if the patient is not registered. */
export interface ErasedPatient extends OrdersOfPatient {
  readonly beneficiaryId: string | null;
  readonly tenant: string;
  readonly at: Date;
}

/**
 * The SQL condition that a row belongs to one of a tenant's providers; production has the single tenant `everybody`.
 */
export function ofTenant(column: string, tenant: string): RawBuilder<boolean> {
  return tenant === "everybody" ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${tenant}::uuid`;
}
