import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import {
  deleteProofs,
  patientWrittenWith,
  readIsPatientOfOrder,
  selectVisits,
  writePatient,
} from "./widget-token-store.ts";

/* In which visits, of which orders, a patient has proved who they are. */

interface Order {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** Records the patient who has proved who they are in the visit of a token. */
export function noteProvenVisit(tx: Transaction, widgetTokenId: string, beneficiaryId: string): Promise<void> {
  return writePatient(tx, widgetTokenId, beneficiaryId);
}

/** Forgets in which visits a patient has proved who they are, because the proof was objected to. */
export function forgetProvenVisits(tx: Transaction, beneficiaryId: string): Promise<void> {
  return deleteProofs(tx, beneficiaryId);
}

/** Whether a patient has proved who they are in a visit of an order. */
export function isPatientOfOrder(db: Database, order: Order, beneficiaryId: string): Promise<boolean> {
  return readIsPatientOfOrder(db, order, beneficiaryId);
}

/** Notes as a CTE what `noteProvenVisit` does, if the CTE `source` has a row. */
export function provenVisitWith(source: string, widgetTokenId: string, beneficiaryId: string): StatementPart {
  return patientWrittenWith(source, widgetTokenId, beneficiaryId);
}

/** A visit: one widget token, or all that were minted for an order. */
export type Visit = { readonly id: string } | Order;

/** Selects the ids of a visit's widget tokens. */
export function widgetTokensOf(visit: Visit): StatementPart {
  return selectVisits(visit);
}
