import { type AccessTerms, expenseOfOrder, filingColumn, filingView } from "../claims/claim-reads.ts";
import { hasClaimEnded } from "../claims/filing-facts.ts";
import { isRevokedIn } from "../collection/mandate.ts";
import { collectionOf, collectionView, laterChargeColumn, upcomingChargeOf } from "../collection/upcoming-charge.ts";
import type { RelatedToOrder } from "../orders/dependencies.ts";
import { wasPaid } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { signReceipt } from "../orders/signed-receipts.ts";
import { columnsTogether, readColumn } from "../platform/database/read-column.ts";
import type { Database } from "../platform/database/transaction.ts";
import { isPaymentPageOver } from "../self-service/payment-page-end.ts";
import type { Config } from "./config.ts";
import type { Base } from "./parts.ts";

/** The parts that other features add to the view of an order. */
export function relatedToOrder({ addresses }: Config, base: Base): RelatedToOrder {
  const issuer = addresses.order.publicUrl;
  return {
    expenseOf: expenseOfOrder,
    collectionOf,
    async ofPatient(db, order, now) {
      const { filing, later } = await readRelated(db, order, base);
      const claimEnded = async () => hasClaimEnded(filing.facts);
      return {
        missing_step: filingView(filing).missing_step,
        mandate_revoked: isRevokedIn(later, order),
        upcoming_charge: await upcomingChargeOf(db, order, { ...later, claimEnded }, now),
      };
    },
    async ofPartner(db, order) {
      const { filing, later } = await readRelated(db, order, base);
      const { expense } = filing;
      return {
        expense: expense && { id: expense.id, status: expense.status },
        collection: collectionView(later.collection, order),
        ...(wasPaid(order.state) ? filingView(filing) : { claim: null, missing_step: null }),
      };
    },
    paymentPageUrl: async (db, order) => (await base.paymentPage(db, order))?.url ?? null,
    isPaymentPageOver,
    signedReceiptOf: (order) => signReceipt({ ...base, issuer }, order),
  };
}

/** Reads the claim and the later charge of an order in one statement. */
function readRelated(db: Database, order: OrderRecord, terms: AccessTerms) {
  return readColumn(db, columnsTogether({ filing: filingColumn(order, terms), later: laterChargeColumn(order) }));
}
