import { collectionOf } from "../../../src/collection/collection-reads.ts";
import type { CollectionKey } from "../../../src/collection/collection-record.ts";
import type { CollectionDependencies } from "../../../src/collection/dependencies.ts";
import { pullTrigger } from "../../../src/collection/pull-trigger.ts";
import { readOrderHash } from "../../../src/contract/vocabulary/identifiers.ts";
import { findOrder } from "../../../src/orders/order-reads.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { type FaultKind, isFaultPoint } from "../../../src/outside/sandbox-party/faults.ts";
import { replaceFaults } from "../../../src/outside/sandbox-party/party-call-store.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import type { NewProvider } from "../../../src/providers/create-provider.ts";
import { type StartOptions, startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { present } from "../orders/orders-world.ts";

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** Cards of the sandbox's catalogue whose first charge is captured. */
export const LATER = {
  captured: "4051885600446623",
  declined: "4051885600000065",
  declinedTwice: "5186059550000013",
  stolen: "5186059550000021",
  answerLost: "4051885600000073",
  debit: "4051884239937763",
} as const;

/** Thrown where the process would be killed: what comes after it never happens. */
export class Killed extends Error {
  override readonly name = "Killed";
}

export interface Clinic extends Checkout {
  readonly clinic: TestProvider;
  key(hash: string): CollectionKey;
  order(hash: string): Promise<OrderRecord>;
  /** What the order shows, as `status reason`. */
  standing(hash: string): Promise<string>;
  /** When the next charge is due. */
  dueAt(hash: string): Promise<string | null>;
  /** The insurer has approved, by the clock. */
  approve(hash: string): Promise<boolean>;
  /** All charges of the deferred part that an order shows, as `status`. */
  tries(hash: string): Promise<string[]>;
  fault(party: string, method: string, kind: FaultKind, calls?: number): Promise<void>;
}

export interface AfterPaidWorld {
  readonly bff: TestBff;
  readonly collection: CollectionDependencies;
  /** A provider of its own, so that no test meets another's orders. */
  newClinic(overrides?: Partial<NewProvider>): Promise<Clinic>;
}

/** The whole service, with its collections in reach. */
export async function startAfterPaid(options: StartOptions = {}): Promise<AfterPaidWorld> {
  const bff = await startBff({
    ...options,
    kill() {
      throw new Killed("the process dies here");
    },
  });
  const { db } = bff.database;
  const { cardProcessor } = checkoutOf(bff).sandbox;
  const collection = { db, clock: bff.clock, ids: systemIds, cardProcessor };
  return {
    bff,
    collection,
    async newClinic(overrides) {
      const clinic = await bff.createProvider(overrides);
      return clinicOf({ ...bff, clinic }, clinic);
    },
  };
}

function clinicOf(bff: TestBff, clinic: TestProvider): Clinic {
  const { db } = bff.database;
  const providerId = clinic.provider.id;
  const key = (hash: string) => ({ providerId, orderId: present(readOrderHash(hash)) });
  return {
    ...checkoutOf(bff),
    clinic,
    key,
    order: async (hash) => present(await findOrder(db, { providerId, id: key(hash).orderId })),
    async standing(hash) {
      const shown = await collectionOf(db, providerId, key(hash).orderId);
      return `${shown?.status} ${shown?.reason}`;
    },
    dueAt: async (hash) => (await collectionOf(db, providerId, key(hash).orderId))?.due_at ?? null,
    approve: (hash) =>
      inTransaction(db, (tx) =>
        pullTrigger(tx, key(hash), { reason: "approved", at: bff.clock.now(), evidence: { claim: "of a test" } }),
      ),
    async tries(hash) {
      const order = present(await findOrder(db, { providerId, id: key(hash).orderId }));
      return order.payments.filter(({ kind }) => kind === "deferred").map(({ status }) => status);
    },
    async fault(party, method, kind, calls = 1) {
      if (!isFaultPoint(party, method)) throw new Error(`No party ${party} has a method ${method}.`);
      await inTransaction(db, (tx) => replaceFaults(tx, providerId, [{ party, method, kind, calls }]));
    },
  };
}
