import type { Clinic } from "./clinic.ts";

/** What whoever tests may do to the clinic, one purchase at a time, so that tests side by side leave each other alone. */
export interface Bench {
  /** The clinic's receiver answers the next webhooks of a purchase with 503, as a partner that is down would. */
  failNextWebhooks(purchaseId: string, count: number): void;
  /** True when the webhook that has just come is one to fail; it is shown among what happened. */
  failsNow(reference: string): Promise<boolean>;
}

export function createBench(clinic: Clinic): Bench {
  const left = new Map<string, number>();
  return {
    failNextWebhooks: (purchaseId, count) => {
      left.set(purchaseId, count);
    },
    async failsNow(reference) {
      const purchase = clinic.purchases().find((candidate) => candidate.reference === reference);
      const count = purchase === undefined ? 0 : (left.get(purchase.id) ?? 0);
      if (purchase === undefined || count === 0) return false;
      left.set(purchase.id, count - 1);
      await clinic.noteRefusedWebhook(purchase.id, "el receptor está caído (prueba)");
      return true;
    },
  };
}
