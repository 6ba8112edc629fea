import { type AccessTerms, filingColumn, filingOf, filingView } from "../claims/claim-reads.ts";
import { hasClaimEnded } from "../claims/filing-facts.ts";
import { isRevokedIn } from "../collection/mandate.ts";
import { collectionView, laterChargeColumn, upcomingChargeOf } from "../collection/upcoming-charge.ts";
import type { OrderViews } from "../orders/dependencies.ts";
import { wasPaid } from "../orders/order.ts";
import { type OrderInStatement, readForOrder, readForOrders } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { partnerOrder, patientOrder, type RelatedParts } from "../orders/order-view.ts";
import { signReceipt } from "../orders/signed-receipts.ts";
import { columnsTogether } from "../platform/database/read-column.ts";
import type { Config } from "./config.ts";
import type { Base } from "./parts.ts";

/** The views of an order: what `orders` knows, with the parts of the rooms above it. */
export function createOrderViews({ addresses }: Config, base: Base): OrderViews {
  const signing = { ...base, issuer: addresses.order.publicUrl };
  const views: OrderViews = {
    forPartner: async (order, now) =>
      partnerOrder(order, relatedParts(order, await readForOrder(base.db, order, relatedColumn), base), now),
    async listForPartner(orders, now) {
      const related = await readForOrders(base.db, orders, relatedColumn);
      return orders.map((order, index) => {
        const found = related[index];
        if (found === undefined) throw new Error("A list has fewer rows than orders.");
        return partnerOrder(order, relatedParts(order, found, base), now);
      });
    },
    async forPatient(order, now) {
      const view = patientOrder(order, now);
      if (!wasPaid(order.state)) return view;
      const { missing_step, mandate_revoked, upcoming_charge } = await readOfPatient(base, order, now);
      const signed_receipt = signReceipt(signing, order);
      return { ...view, missing_step, mandate_revoked, upcoming_charge, signed_receipt };
    },
    async forCaller({ credential }, order, now) {
      if (credential !== "client_secret") return views.forPatient(order, now);
      const view = await views.forPartner(order, now);
      if (!wasPaid(order.state)) return view;
      return { ...view, payment_page_url: (await base.paymentPage(base.db, order))?.url ?? null };
    },
    upcomingCharge: async (order, now) => (await readOfPatient(base, order, now)).upcoming_charge,
  };
  return views;
}

/** The parts that only the patient of a paid order sees. */
async function readOfPatient(base: Base, order: OrderRecord, now: Date) {
  const related = await readForOrder(base.db, order, relatedColumn);
  const { later } = related;
  const filing = filingOf(order, related.filing, base);
  const claimEnded = async () => hasClaimEnded(filing.facts);
  return {
    missing_step: filingView(filing).missing_step,
    mandate_revoked: isRevokedIn(later, order),
    upcoming_charge: await upcomingChargeOf(base.db, order, { ...later, claimEnded }, now),
  };
}

type Related = ReturnType<ReturnType<typeof relatedColumn>["read"]>;

/** The claim and the later charge of an order, as a column of a statement. */
function relatedColumn(order: OrderInStatement) {
  return columnsTogether({ filing: filingColumn(order), later: laterChargeColumn(order) });
}

function relatedParts(order: OrderRecord, { filing, later }: Related, terms: AccessTerms): RelatedParts {
  const read = filingOf(order, filing, terms);
  const { expense } = read;
  return {
    expense: expense && { id: expense.id, status: expense.status },
    collection: collectionView(later.collection, order),
    ...(wasPaid(order.state) ? filingView(read) : { claim: null, missing_step: null }),
  };
}
