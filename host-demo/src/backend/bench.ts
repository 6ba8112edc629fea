import type { Clinic } from "./clinic.ts";

/**
 * What testers can do to the clinic. Each action concerns one purchase, so that parallel tests do not disturb each
 * other.
 */
export interface Bench {
  /** Makes the clinic's receiver answer the next webhooks of a purchase with 503, as if it were down. */
  failNextWebhooks(purchaseId: string, count: number): void;
  /** Whether the webhook that has just arrived must fail. If so, it is recorded in the purchase's timeline. */
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
