import { type FoundOrder, personNamedBy, searchOrders } from "../../orders/order-reads.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import { recordLook, type TimelineDependencies } from "./order-timeline.ts";

export interface NamedOrder extends FoundOrder {
  readonly provider: Provider;
}

/**
 * Finds orders by hash, reference, RUT or e-mail. Each found order is audited, since its patient was looked at, and so
 * is each search for a person, whether or not it finds anything. The searched text is not stored.
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
    const by = personNamedBy(text);
    if (by !== null) await recordSearch(tx, dependencies, { actor, by, found: named.length });
    return named;
  });
}

/** An empty result reveals something about a person too. */
function recordSearch(
  tx: Transaction,
  { ids, clock }: Pick<TimelineDependencies, "ids" | "clock">,
  { actor, by, found }: { readonly actor: string; readonly by: string; readonly found: number },
): Promise<void> {
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId: null,
    actor,
    credentialId: null,
    act: "patients.searched",
    subject: { kind: "search", id: by },
    details: { found },
    at: clock.now(),
  });
}
