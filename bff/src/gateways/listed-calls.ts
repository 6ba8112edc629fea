import { addClp, type Clp } from "../contract/vocabulary/clp.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Bank, TransferOutcome } from "./bank.ts";
import type { CardProcessor, ChargeOutcome, ReturnOutcome } from "./card-processor.ts";
import type {
  ConfirmationOutcome,
  FinancingProvider,
  Loan,
  LoanOutcome,
  ReductionOutcome,
} from "./financing-provider.ts";
import { type Answered, type GatewayCall, GatewayUnavailable, type NotFound, type Unknown } from "./gateway-call.ts";
import type { ListedCall } from "./run-call.ts";
import type { DocumentOutcome, IssuedDocument, TaxDocuments } from "./tax-documents.ts";

/*
 * Finds calls in their gateway's list. A call that moved money stays listed under its key, even after the gateway has
 * forgotten the key; a call that moved nothing is not listed.
 */

const NOT_FOUND: NotFound = { outcome: "not_found" };
const UNKNOWN: Unknown = { outcome: "unknown" };

export function listedCharge(
  processor: Pick<CardProcessor, "listMovements">,
  under: GatewayCall,
  since: Date,
): ListedCall<Answered<ChargeOutcome>> {
  return inList(
    under,
    since,
    (...range) => processor.listMovements(...range),
    (movements) => {
      const charge = movements.find(
        ({ kind, idempotencyKey }) => kind === "charge" && idempotencyKey === under.idempotencyKey,
      );
      if (charge === undefined) return NOT_FOUND;
      const { chargeId, amount, buyOrder, storeCode, authorisationCode } = charge;
      return { outcome: "captured", chargeId, amount, buyOrder, storeCode, authorisationCode };
    },
  );
}

export function listedReturn(
  processor: Pick<CardProcessor, "listMovements">,
  under: GatewayCall,
  since: Date,
): ListedCall<Answered<ReturnOutcome>> {
  return inList(
    under,
    since,
    (...range) => processor.listMovements(...range),
    (movements) => {
      const found = movements.find(
        ({ kind, idempotencyKey }) => kind === "return" && idempotencyKey === under.idempotencyKey,
      );
      if (found === undefined) return NOT_FOUND;
      const { id: returnId, amount, buyOrder, storeCode, authorisationCode } = found;
      return { outcome: "returned", returnId, amount, buyOrder, storeCode, authorisationCode };
    },
  );
}

/** A loan that was refused or cancelled lends nothing: it counts as not listed, and is requested again. */
export function listedLoan(
  lender: Pick<FinancingProvider, "listLoans">,
  under: GatewayCall,
  since: Date,
): ListedCall<Answered<LoanOutcome>> {
  return inList(
    under,
    since,
    (...range) => lender.listLoans(...range),
    (loans) => {
      const loan = loans.find(({ idempotencyKey }) => idempotencyKey === under.idempotencyKey);
      return loan === undefined ? NOT_FOUND : loanOutcome(loan);
    },
  );
}

function loanOutcome({ id: loanId, status }: Loan): Answered<LoanOutcome> | NotFound {
  switch (status) {
    case "under_review":
      return { outcome: "under_review", loanId };
    case "authorised":
    case "confirmed":
    case "settled":
      return { outcome: "authorised", loanId };
    case "refused":
    case "cancelled":
      return NOT_FOUND;
  }
}

export function listedConfirmation(
  lender: Pick<FinancingProvider, "listLoans">,
  under: GatewayCall,
  since: Date,
  loanId: string,
): ListedCall<Answered<ConfirmationOutcome>> {
  return inList<Loan, Answered<ConfirmationOutcome>>(
    under,
    since,
    (...range) => lender.listLoans(...range),
    (loans) =>
      loans.some(({ id, status }) => id === loanId && (status === "confirmed" || status === "settled"))
        ? { outcome: "confirmed" }
        : NOT_FOUND,
  );
}

/**
 * A list shows a loan's remaining amount but not its reductions: they are distinguished by the remaining amount after
 * this one.
 */
export function listedReduction(
  lender: Pick<FinancingProvider, "listLoans">,
  under: GatewayCall,
  since: Date,
  { loanId, amount, remaining }: { readonly loanId: string; readonly amount: Clp; readonly remaining: Clp },
): ListedCall<Answered<ReductionOutcome>> {
  return inList(
    under,
    since,
    (...range) => lender.listLoans(...range),
    (loans) => {
      const loan = loans.find(({ id }) => id === loanId);
      // A list of changes omits a loan that was not reduced.
      if (loan === undefined || loan.amount === addClp(remaining, amount)) return NOT_FOUND;
      return loan.amount === remaining ? { outcome: "reduced", remaining: loan.amount } : UNKNOWN;
    },
  );
}

export function listedTransfer(
  bank: Pick<Bank, "listTransfers">,
  under: GatewayCall,
  since: Date,
): ListedCall<Answered<TransferOutcome>> {
  return inList(
    under,
    since,
    (...range) => bank.listTransfers(...range),
    (transfers) => {
      const lines = transfers.filter(({ idempotencyKey }) => idempotencyKey === under.idempotencyKey);
      const sent = lines.find(({ kind }) => kind !== "return");
      if (sent === undefined) return NOT_FOUND;
      const { id: transferId, amount } = sent;
      const returned = lines.find(({ kind }) => kind === "return");
      // A partial return is no outcome of the protocol: the reconciliation lists it.
      if (returned?.amount !== amount) return { outcome: "sent", transferId, amount };
      return { outcome: "returned", transferId, amount, reason: returned.reason ?? "other", returnedAt: returned.at };
    },
  );
}

/** A list omits a document's address: an issued document waits for an operator. */
export function listedDocument(
  issuer: Pick<TaxDocuments, "listDocuments">,
  under: GatewayCall,
  since: Date,
): ListedCall<Answered<DocumentOutcome>> {
  return inList<IssuedDocument, Answered<DocumentOutcome>>(
    under,
    since,
    (...range) => issuer.listDocuments(...range),
    (documents) => {
      const document = documents.find(({ idempotencyKey }) => idempotencyKey === under.idempotencyKey);
      if (document === undefined) return NOT_FOUND;
      return document.rejected === true ? { outcome: "rejected", number: document.number } : UNKNOWN;
    },
  );
}

function inList<Item, Answer extends object>(
  { providerId, at }: GatewayCall,
  since: Date,
  list: (providerId: string, from: Date, to: Date) => Promise<readonly Item[]>,
  read: (items: readonly Item[]) => Answer | Unknown | NotFound,
): ListedCall<Answer> {
  // A day is added on either side, because the gateway's clock may differ.
  const [from, to] = [new Date(since.getTime() - DAY_MS), new Date(at.getTime() + DAY_MS)];
  const find = async () => {
    try {
      return read(await list(providerId, from, to));
    } catch (error) {
      if (error instanceof GatewayUnavailable) return UNKNOWN;
      throw error;
    }
  };
  return { since, find };
}
