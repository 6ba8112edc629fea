import type { Rut } from "../../contract/vocabulary/rut.ts";
import { type Beneficiary, tenantOf } from "../../patients/beneficiary.ts";
import { findBeneficiary } from "../../patients/patients.ts";
import { findUnproven } from "../../patients/unproven.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { type OpenedWidgetToken, requireLive } from "../open-widget-token.ts";

/**
 * The patient that a code in this visit is for: the record of the RUT, or else the visit's own registration. A visit's
 * registration has only the typed address, so a document's serial cannot move it to another.
 */
export async function findForCode(
  db: Database,
  { token, provider, now }: OpenedWidgetToken,
  { rut, way = "email_code" }: { readonly rut: Rut; readonly way?: "email_code" | "identity" },
): Promise<{ readonly beneficiary: Beneficiary | null; readonly own: Beneficiary | null }> {
  const record = await findBeneficiary(db, { tenant: tenantOf(provider), rut });
  const own = await findUnproven(db, [token.id], { rut, now });
  return { beneficiary: record ?? (way === "email_code" ? own : null), own };
}

/** Throws the 410 of an ended token, unless the sign-up that is now to be proved used it up. */
export function requireVisit(opened: OpenedWidgetToken, own: Beneficiary | null): void {
  if (opened.state !== "used" || own === null) requireLive(opened);
}
