import { type FoundOrder, personNamedBy, searchOrders } from "../../orders/order-reads.ts";
import { type AuditEntry, recordAudit } from "../../platform/audit-store.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { Provider } from "../../platform/provider.ts";
import { lookEntry, type TimelineDependencies } from "./order-timeline.ts";

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
    const looks = named.map(({ orderId, provider }) =>
      lookEntry(dependencies, provider, { orderId, actor, isRevealed: false }),
    );
    const by = personNamedBy(text);
    const searches = by === null ? [] : [searchEntry(dependencies, { actor, by, found: named.length })];
    await recordAudit(tx, ...looks, ...searches);
    return named;
  });
}

/** An empty result reveals something about a person too. */
function searchEntry(
  { ids, clock }: Pick<TimelineDependencies, "ids" | "clock">,
  { actor, by, found }: { readonly actor: string; readonly by: string; readonly found: number },
): AuditEntry {
  return {
    id: ids.uuid(),
    providerId: null,
    actor,
    credentialId: null,
    act: "patients.searched",
    subject: { kind: "search", id: by },
    details: { found },
    at: clock.now(),
  };
}
