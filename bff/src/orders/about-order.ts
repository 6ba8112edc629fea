import type { AboutPayment } from "../notifications/notification-definition.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { nameOfClinic } from "../tenants/centers.ts";
import type { OrderRecord } from "./order-record.ts";

/**
 * The facts that every notification about an order states: the treating clinic, the reference, the day and the card.
 */
export async function aboutOrder(
  db: Database,
  provider: Pick<Provider, "id" | "name">,
  { center, reference, paidAt, payments }: Pick<OrderRecord, "center" | "reference" | "paidAt" | "payments">,
): Promise<Omit<AboutPayment, "consultationDay">> {
  const first = payments.find(({ kind, status }) => kind === "first" && status === "captured");
  return {
    clinic: await nameOfClinic(db, provider, center),
    reference,
    paidOn: paidAt === null ? null : santiagoDay(paidAt),
    cardEnding: paidAt === null ? null : (first?.card.last4 ?? null),
  };
}
