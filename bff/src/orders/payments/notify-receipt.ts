import { addClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { isOrderId, type OrderId } from "../../contract/vocabulary/identifiers.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { isLaterChargeWithdrawn } from "../../patients/consents.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { DomainEvent } from "../../platform/outbox.ts";
import type { Provider } from "../../platform/provider.ts";
import { agreedTexts } from "../agreement.ts";
import { commissionOn, latestDueDate } from "../instalment-plan.ts";
import type { OrderRecord } from "../order-record.ts";
import { readPaidQuote } from "./payment-store.ts";

export interface ReceiptEventsDependencies extends NotifyPatientDependencies {
  readonly findProvider: (db: Database, id: string) => Promise<Provider | null>;
  readonly findOrder: (
    db: Database,
    key: { readonly providerId: string; readonly orderId: OrderId },
  ) => Promise<OrderRecord | null>;
}

/** Sends the patient of a paid order its receipt. */
export async function notifyReceipt(
  dependencies: ReceiptEventsDependencies,
  tx: Transaction,
  { providerId, orderId }: DomainEvent,
): Promise<void> {
  if (orderId === null || !isOrderId(orderId)) return;
  const provider = await dependencies.findProvider(tx, providerId);
  const order = await dependencies.findOrder(tx, { providerId, orderId });
  if (provider === null || order?.paidAt == null) return;
  const quote = await readPaidQuote(tx, { providerId, orderId });
  const agreed = await agreedTexts(tx, provider.environment, { providerId, orderId });
  const commission = commissionOn(order.total, ZERO, order.commissionBasisPoints);
  await notifyPatient(dependencies, tx, {
    provider,
    cause: `payment_receipt:${orderId}`,
    to: order.customer.email,
    rut: order.customer.rut,
    telephone: order.customer.phoneNumber,
    orderId,
    notification: {
      kind: "payment_receipt",
      firstName: order.customer.firstName,
      clinic: provider.name,
      total: order.total,
      today: order.first,
      laterCharge: addClp(order.deferred, commission),
      commission,
      regime: order.commissionTax.regime,
      latestDay: latestDueDate(order.paidAt),
      isLaterChargeWithdrawn: await isLaterChargeWithdrawn(tx, { providerId, orderId, rut: order.customer.rut }),
      reference: order.reference,
      cardEnding: order.card?.last4 ?? "",
      authorisationCode: codeOf(order),
      agreement: agreed?.texts.map(({ title, blocks }) => ({ title, blocks })) ?? null,
      credit: quote && {
        financingProvider: quote.financing_provider,
        annualCostPercentage: quote.annual_cost_percentage,
      },
    },
  });
}

function codeOf({ payments }: OrderRecord): string | null {
  const first = payments.find(({ kind, status }) => kind === "first" && status === "captured");
  return first?.voucher.authorisationCode ?? null;
}
