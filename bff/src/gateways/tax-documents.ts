import type { Clp } from "../contract/vocabulary/clp.ts";
import type { TaxIssuer } from "../contract/vocabulary/commission-tax.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";

/** A boleta electrónica of a commission, or a nota de crédito that corrects one. */
export interface DocumentToIssue {
  readonly kind: "boleta" | "credit_note";
  readonly issuer: TaxIssuer;
  /** The patient, who is the receiver. */
  readonly receiverRut: Rut;
  /** Absent if it was erased. */
  readonly receiverName?: string | undefined;
  /** The day of the charge, or of the return. */
  readonly day: CalendarDay;
  readonly net: Clp;
  readonly vat: Clp;
  /** The amount without VAT of interest (an exempt document); net and VAT are then 0. Absent: nothing is exempt. */
  readonly exempt?: Clp | undefined;
  /** The number of the boleta that a nota de crédito corrects; null for a boleta. */
  readonly corrects: string | null;
  readonly orderHash: OrderId;
}

/** Why a document cannot be issued now. It may be requested again, under another key. */
export type DocumentRefusal = "issuer_not_authorised" | "no_numbers_left" | "receiver_refused";

export type DocumentOutcome =
  | { readonly outcome: "issued"; readonly number: string; readonly url: string }
  /** Nothing was issued. `not_issued`: an operator has read so in the issuer's portal. */
  | { readonly outcome: "refused"; readonly reason: DocumentRefusal | "not_issued" }
  /** It was issued, and the tax authority rejected it later. It may be requested again, under another key. */
  | { readonly outcome: "rejected"; readonly number: string }
  | Unknown;

/** One line of the list of issued documents, for reconciliation. */
export interface IssuedDocument {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly kind: DocumentToIssue["kind"];
  readonly number: string;
  /** VAT included. */
  readonly amount: Clp;
  readonly at: Date;
  /** The tax authority rejected it after it was issued. */
  readonly rejected?: boolean | undefined;
}

/** The issuer of the operator's tax documents, in the service's own terms. Every call is idempotent by its key. */
export interface TaxDocuments {
  issueDocument(call: GatewayCall, document: DocumentToIssue): Promise<DocumentOutcome>;
  inquireDocument(call: GatewayCall): Promise<DocumentOutcome | NotFound>;
  /** All documents for one provider in [from, to), where `to` is excluded, oldest first. */
  listDocuments(providerId: string, from: Date, to: Date): Promise<readonly IssuedDocument[]>;
}
