import { addClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { isOrderId } from "../../contract/vocabulary/identifiers.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { isLaterChargeWithdrawn } from "../../patients/consents.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { DomainEvent } from "../../platform/outbox.ts";
import type { Provider } from "../../platform/provider.ts";
import { aboutOrder, findOrder } from "../order-reads.ts";
import type { OrderRecord } from "../order-record.ts";
import { commissionOn, latestDueDate } from "../quote.ts";
import { readAccepted } from "./payment-store.ts";

export interface ReceiptEventsDependencies extends NotifyPatientDependencies {
  readonly findProvider: (db: Database, id: string) => Promise<Provider | null>;
}

/** Sends the patient of a paid order its receipt. */
export async function notifyReceipt(
  dependencies: ReceiptEventsDependencies,
  tx: Transaction,
  { providerId, orderId }: DomainEvent,
): Promise<void> {
  if (orderId === null || !isOrderId(orderId)) return;
  const provider = await dependencies.findProvider(tx, providerId);
  const order = await findOrder(tx, { providerId, orderId });
  if (provider === null || order?.paidAt == null) return;
  const { quote, agreed } = await readAccepted(tx, { providerId, orderId });
  const commission = commissionOn(order.total, ZERO, order.commissionBasisPoints);
  const about = await aboutOrder(tx, provider, order);
  await notifyPatient(dependencies, tx, {
    provider,
    about,
    cause: `payment_receipt:${orderId}`,
    to: order.customer.email,
    rut: order.customer.rut,
    telephone: order.customer.phoneNumber,
    orderId,
    notification: {
      kind: "payment_receipt",
      firstName: order.customer.firstName,
      clinic: about.clinic,
      total: order.total,
      today: order.first,
      laterCharge: addClp(order.deferred, commission),
      commission,
      tax: order.commissionTax,
      latestDay: latestDueDate(order.paidAt),
      isLaterChargeWithdrawn: await isLaterChargeWithdrawn(tx, { providerId, orderId, rut: order.customer.rut }),
      authorisationCode: codeOf(order),
      hasAgreement: agreed !== null,
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
