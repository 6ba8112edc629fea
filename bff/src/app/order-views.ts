import { filingColumn, filingView } from "../claims/claim-reads.ts";
import { hasClaimEnded } from "../claims/filing-facts.ts";
import { isRevokedIn } from "../collection/mandate.ts";
import { collectionView, laterChargeColumn, upcomingChargeOf } from "../collection/upcoming-charge.ts";
import type { OrderViews } from "../orders/dependencies.ts";
import { wasPaid } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { partnerOrder, patientOrder } from "../orders/order-view.ts";
import { signReceipt } from "../orders/signed-receipts.ts";
import { columnsTogether, readColumn } from "../platform/database/read-column.ts";
import type { Config } from "./config.ts";
import type { Base } from "./parts.ts";

/** The views of an order: what `orders` knows, with the parts of the rooms above it. */
export function createOrderViews({ addresses }: Config, base: Base): OrderViews {
  const signing = { ...base, issuer: addresses.order.publicUrl };
  const views: OrderViews = {
    async forPartner(order, now) {
      const { filing, later } = await readRelated(base, order);
      const { expense } = filing;
      const related = {
        expense: expense && { id: expense.id, status: expense.status },
        collection: collectionView(later.collection, order),
        ...(wasPaid(order.state) ? filingView(filing) : { claim: null, missing_step: null }),
      };
      return partnerOrder(order, related, now);
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
  const { filing, later } = await readRelated(base, order);
  const claimEnded = async () => hasClaimEnded(filing.facts);
  return {
    missing_step: filingView(filing).missing_step,
    mandate_revoked: isRevokedIn(later, order),
    upcoming_charge: await upcomingChargeOf(base.db, order, { ...later, claimEnded }, now),
  };
}

/** Reads the claim and the later charge of an order in one statement. */
function readRelated(base: Base, order: OrderRecord) {
  return readColumn(base.db, columnsTogether({ filing: filingColumn(order, base), later: laterChargeColumn(order) }));
}
