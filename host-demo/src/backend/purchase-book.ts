import type { Journal } from "./journal.ts";
import {
  type Happening,
  happen,
  type JournalEntry,
  type Purchase,
  type PurchaseStart,
  startPurchase,
} from "./purchase.ts";

/** The clinic's purchases, kept in a journal on disk, so that they survive the end of the process. */
export interface PurchaseBook {
  all(): readonly Purchase[];
  find(id: string): Purchase | null;
  /** The purchase in its present state. Throws if there is none. */
  get(id: string): Purchase;
  start(purchase: PurchaseStart): Promise<Purchase>;
  record(id: string, happening: Happening): Promise<void>;
  /** Calls back at every change, until the returned function is called. */
  watch(id: string, listener: (purchase: Purchase) => void): () => void;
}

export function openPurchaseBook({
  journal,
  now,
}: {
  readonly journal: Journal<JournalEntry>;
  readonly now: () => Date;
}): PurchaseBook {
  const purchases = new Map<string, Purchase>();
  const listeners = new Map<string, Set<(purchase: Purchase) => void>>();

  function apply(entry: JournalEntry): void {
    if (entry.type === "started") {
      purchases.set(entry.purchase.id, startPurchase(entry.purchase));
      return;
    }
    const purchase = purchases.get(entry.purchaseId);
    if (purchase === undefined) return;
    const next = happen(purchase, entry.at, entry.happening);
    purchases.set(entry.purchaseId, next);
    for (const listener of listeners.get(entry.purchaseId) ?? []) listener(next);
  }

  async function keep(entry: JournalEntry): Promise<void> {
    await journal.append(entry);
    apply(entry);
  }

  function get(id: string): Purchase {
    const purchase = purchases.get(id);
    if (purchase === undefined) throw new Error("unknown purchase");
    return purchase;
  }

  for (const entry of journal.entries) apply(entry);

  return {
    all: () => [...purchases.values()],
    find: (id) => purchases.get(id) ?? null,
    get,
    async start(purchase) {
      await keep({ type: "started", purchase });
      return get(purchase.id);
    },
    record: (purchaseId, happening) => keep({ type: "happened", purchaseId, at: now().toISOString(), happening }),
    watch(id, listener) {
      const those = listeners.get(id) ?? new Set();
      listeners.set(id, those.add(listener));
      return () => {
        those.delete(listener);
      };
    },
  };
}
