import type { AgreementFile } from "../../contract/agreement.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { agreedTexts } from "../../orders/agreement.ts";
import type { AgreementPrinter } from "../../orders/agreement-printer.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Environment } from "../../platform/provider.ts";
import type { RightsAct } from "../see-data.ts";
import { ordersInSight } from "./patient-orders.ts";
import { proofOf } from "./rights.ts";

/**
 * The agreement that a patient accepted when they paid an order, as a file. Throws 404 `order_not_found` for an order
 * that is not theirs, or that has no stored agreement.
 */
export async function printOwnAgreement(
  {
    db,
    environment,
    agreements,
  }: { readonly db: Database; readonly environment: Environment; readonly agreements: AgreementPrinter },
  { patient, actor, now }: RightsAct,
  orderId: OrderId,
): Promise<AgreementFile> {
  const orders = await ordersInSight(db, patient, proofOf(actor));
  const own = orders.find(({ order }) => order.orderId === orderId);
  const agreed = own === undefined ? null : await agreedTexts(db, environment, own.order);
  if (own === undefined || agreed === null) throw new ApiError("order_not_found");
  const { reference, providerId } = own.order;
  return agreements.print({ reference, texts: agreed.texts, printedAt: now }, { providerId });
}
