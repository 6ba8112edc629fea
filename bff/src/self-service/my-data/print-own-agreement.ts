import type { AgreementFile } from "../../contract/agreement.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { type DocumentDependencies, printAgreed } from "../../orders/order-documents.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { requireProvider } from "../../tenants/providers.ts";
import type { RightsAct } from "../see-data.ts";
import { ordersInSight } from "./patient-orders.ts";
import { proofOf } from "./rights.ts";

/**
 * The agreement that a patient accepted when they paid an order, as a file. Throws 404 `order_not_found` for an order
 * that is not theirs, or that has no stored agreement.
 */
export async function printOwnAgreement(
  { printing }: { readonly printing: DocumentDependencies },
  { patient, actor, now }: RightsAct,
  orderId: OrderId,
): Promise<AgreementFile> {
  const { db } = printing;
  const orders = await ordersInSight(db, patient, proofOf(actor));
  const own = orders.find(({ order }) => order.orderId === orderId);
  if (own === undefined) throw new ApiError("order_not_found");
  const { order } = own;
  const provider = await requireProvider(db, order.providerId);
  const agreement = await printAgreed(printing, { provider, order, locale: "es-CL", now });
  if (agreement === null) throw new ApiError("order_not_found");
  return agreement;
}
