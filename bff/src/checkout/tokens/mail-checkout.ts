import { type Email, sameEmail } from "../../contract/vocabulary/email.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { aboutOrder } from "../../orders/order-reads.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import { splitTotal } from "../../orders/quote.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Provider } from "../../platform/provider.ts";
import { santiagoDay, santiagoTime } from "../../platform/santiago-time.ts";

/** An order whose checkout is mailed to its customer. */
export type DeliveredOrder = Pick<
  OrderRecord,
  "orderId" | "total" | "customer" | "center" | "reference" | "paidAt" | "payments"
>;

/**
 * The order, if its checkout may be mailed to this address, that is, if it is the order's customer's. Throws a 422 that
 * does not reveal the customer's address.
 */
export function deliveredTo<Order extends DeliveredOrder>(order: Order | null, email: Email): Order {
  if (order === null)
    throw new ApiError("validation_error", { errors: [{ path: "order_token", message: "is required with deliver" }] });
  if (!sameEmail(order.customer.email, email))
    throw new ApiError("validation_error", {
      errors: [{ path: "deliver.email", message: "is not the e-mail of the order's customer" }],
    });
  return order;
}

export interface CheckoutMail {
  readonly provider: Provider;
  readonly order: DeliveredOrder;
  /** The token's row. */
  readonly tokenId: string;
  readonly url: string;
  /** The language of the token, if the caller named one. */
  readonly locale: Locale | undefined;
  /** The provider's time. */
  readonly now: Date;
  readonly expiresAt: Date;
}

/**
 * Mails the address of a checkout to the customer of its order, unless the checkout has ended. Sealed in storage until
 * it is sent.
 */
export async function mailCheckout(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  { provider, order, tokenId, url, locale, now, expiresAt }: CheckoutMail,
): Promise<void> {
  const { customer, orderId, total } = order;
  const about = await aboutOrder(tx, provider, order);
  await notifyPatient(dependencies, tx, {
    provider,
    about,
    cause: `checkout_link:${tokenId}`,
    to: customer.email,
    rut: customer.rut,
    ...(locale === undefined ? {} : { locale }),
    orderId,
    usefulForMs: expiresAt.getTime() - now.getTime(),
    notification: {
      kind: "checkout_link",
      firstName: customer.firstName,
      clinic: about.clinic,
      total,
      today: splitTotal(total).first,
      validUntil: { day: santiagoDay(expiresAt), time: santiagoTime(expiresAt) },
      url,
    },
  });
}
