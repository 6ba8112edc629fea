import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import {
  deleteProofs,
  patientWrittenWith,
  readIsPatientOfOrder,
  selectVisits,
  writePatient,
} from "./widget-token-store.ts";

/* Records in which visits, of which orders, a patient has proved their identity. */

interface Order {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** Records the patient who proved their identity in the visit of a token. */
export function noteProvenVisit(tx: Transaction, widgetTokenId: string, beneficiaryId: string): Promise<void> {
  return writePatient(tx, widgetTokenId, beneficiaryId);
}

/** Deletes the record of a patient's proven visits, because the proof was objected to. */
export function forgetProvenVisits(tx: Transaction, beneficiaryId: string): Promise<void> {
  return deleteProofs(tx, beneficiaryId);
}

/** Whether a patient has proved their identity in a visit of an order. */
export function isPatientOfOrder(db: Database, order: Order, beneficiaryId: string): Promise<boolean> {
  return readIsPatientOfOrder(db, order, beneficiaryId);
}

/** Like `noteProvenVisit`, as a CTE that writes if the CTE `source` has a row. */
export function provenVisitWith(source: string, widgetTokenId: string, beneficiaryId: string): StatementPart {
  return patientWrittenWith(source, widgetTokenId, beneficiaryId);
}

/** A visit: one widget token, or all that were minted for an order. */
export type Visit = { readonly id: string } | Order;

/** Selects the ids of a visit's widget tokens. */
export function widgetTokensOf(visit: Visit): StatementPart {
  return selectVisits(visit);
}
