import type { EventHandlers } from "../../platform/outbox.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import { oweLender } from "./owe-lender.ts";
import { netRefund, owePayee } from "./owe-payee.ts";

/** Adds an order to its payee's payouts when it is paid, has refunds deducted, and adds what is collected to the lender's. */
export function handlePayoutEvents(events: EventHandlers, dependencies: Pick<PayoutDependencies, "clock">): void {
  events.subscribe("order.paid", (tx, event) => owePayee(tx, dependencies, event));
  events.subscribe("order.refunded", netRefund);
  events.subscribe("collection.captured", (tx, event) => oweLender(tx, dependencies, event));
  events.subscribe("collection.paid_otherwise", (tx, event) => oweLender(tx, dependencies, event));
}
