import type { EventHandlers } from "../../platform/outbox.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import { netRefund, owePayee } from "./owe-payee.ts";

/** What is paid is owed to somebody, and what is refunded is not any more. */
export function handlePayoutEvents(events: EventHandlers, dependencies: Pick<PayoutDependencies, "clock">): void {
  events.subscribe("order.paid", (tx, event) => owePayee(tx, dependencies, event));
  events.subscribe("order.refunded", netRefund);
}
