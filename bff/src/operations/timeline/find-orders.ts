import { type FoundOrder, searchOrders } from "../../orders/orders/search-orders.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import { recordLook, type TimelineDependencies } from "./order-timeline.ts";

export interface NamedOrder extends FoundOrder {
  readonly provider: Provider;
}

/**
 * Finds orders by hash, reference, RUT or e-mail. Each order that is found becomes a row of the audit trail, since its patient
 * was looked at. The searched text is not kept.
 */
export function findOrders(
  dependencies: TimelineDependencies,
  {
    text,
    providers,
    actor,
  }: { readonly text: string; readonly providers: readonly Provider[]; readonly actor: string },
): Promise<NamedOrder[]> {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  return inTransaction(dependencies.db, async (tx) => {
    const found = await searchOrders(tx, text, providers);
    const named = found.flatMap((order) => {
      const provider = byId.get(order.providerId);
      return provider === undefined ? [] : [{ ...order, provider }];
    });
    for (const { orderId, provider } of named)
      await recordLook(tx, dependencies, provider, { orderId, actor, isRevealed: false });
    return named;
  });
}
