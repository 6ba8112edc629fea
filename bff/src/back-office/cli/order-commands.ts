import { Command } from "commander";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { ORDERS_FOUND_MAX } from "../../orders/order-reads.ts";
import { listProviders } from "../../tenants/providers.ts";
import { CommandRefused, type Operator, type Terminal } from "../operator.ts";
import { findOrders, type NamedOrder } from "../timeline/find-orders.ts";
import { showOrder } from "../timeline/order-timeline.ts";
import { answer, command, readHashArgument } from "./arguments.ts";
import type { Shown } from "./print.ts";
import { shownTimeline } from "./print-timeline.ts";
import { requireProvider } from "./provider-commands.ts";

export function orderCommands(terminal: Terminal): Command {
  return new Command("orders")
    .description("find an order and its whole history; each look is audited under your name")
    .addCommand(searchCommand(terminal))
    .addCommand(showCommand(terminal));
}

function searchCommand(terminal: Terminal): Command {
  return command("search", "orders by hash, reference, or the patient's RUT or e-mail, newest first")
    .argument("<text>", "the order's hash or reference, or the patient's RUT or e-mail")
    .option("--provider <provider>", "only of this provider: its id, or its RUT")
    .action((text: string, options: { json?: boolean; provider?: string }) =>
      answer(terminal, options, async (operator) => {
        const { actor } = operator;
        const providers = await providersOf(operator, options.provider);
        return shownFound(await findOrders(operator, { text: text.trim(), providers, actor }));
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return command("show", "everything that happened to an order, what comes next, and why it waits")
    .argument("<hash>", "the order's hash", readHashArgument)
    .option("--reveal", "show the patient's data, which is audited as well")
    .action((orderId: OrderId, options: { json?: boolean; reveal?: true }) =>
      answer(terminal, options, async (operator) => {
        const { actor } = operator;
        const isRevealed = options.reveal === true;
        const providers = await providersOf(operator, undefined);
        const timeline = await showOrder(operator, { orderId, providers, actor, isRevealed });
        if (timeline === null) throw new CommandRefused(`There is no order ${orderId} in ${operator.environment}.`);
        return shownTimeline(timeline, { isRevealed, now: operator.clock.now() });
      }),
    );
}

async function providersOf(operator: Operator, named: string | undefined) {
  return named === undefined
    ? await listProviders(operator.db, operator.environment)
    : [await requireProvider(operator, named)];
}

function shownFound(found: readonly NamedOrder[]): Shown {
  const isFull = found.length >= ORDERS_FOUND_MAX;
  const orders = found.map(({ orderId, provider, reference, state, total, createdAt }) => ({
    order_hash: orderId,
    provider_id: provider.id,
    provider: provider.name,
    reference,
    state,
    total,
    created_at: createdAt.toISOString(),
  }));
  const lines = orders.map(
    (order) =>
      `${order.order_hash}  ${order.created_at}  ${order.state}  ${order.total} CLP  ${order.reference}  (${order.provider})`,
  );
  const end = `Only the newest ${ORDERS_FOUND_MAX} are listed; use --provider to find those of one provider.`;
  return {
    json: { orders, ...(isFull ? { only_newest: ORDERS_FOUND_MAX } : {}) },
    lines: orders.length === 0 ? ["There is no such order."] : [...lines, ...(isFull ? ["", end] : [])],
  };
}
