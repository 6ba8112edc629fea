import type { EventHandlers } from "../../platform/outbox.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import { netRefund, owePayee } from "./owe-payee.ts";

/** Adds an order to its payee's payouts when it is paid, and has refunds deducted. */
export function handlePayoutEvents(events: EventHandlers, dependencies: Pick<PayoutDependencies, "clock">): void {
  events.subscribe("order.paid", (tx, event) => owePayee(tx, dependencies, event));
  events.subscribe("order.refunded", netRefund);
}
