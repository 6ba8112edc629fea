import { answerVisit } from "../../../sandbox/card-processor/card-page-visit.ts";
import { answerChallenge } from "../../../sandbox/card-processor/challenge.ts";
import { catalogueCard } from "../../../sandbox/catalogue.ts";
import { createSandboxGateways, type SandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import type { Order } from "../../../src/contract/orders.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import type { TestBff, TestProvider } from "../../start-bff.ts";
import type { CallOptions, TestAnswer } from "../../test-client.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { acceptedConsents, CARDS, type CustomerOverrides, orderBody, PATIENTS, present } from "./orders-world.ts";

export interface OrderGiven {
  total?: number;
  rut?: string;
  card?: string;
  customer?: CustomerOverrides;
}

/** The order API as a partner's back end and a patient's widget call it. */
export interface Checkout {
  readonly bff: TestBff;
  readonly sandbox: SandboxGateways;
  /** Calls an endpoint about an order, as the clinic. */
  call(name: keyof typeof orderEndpoints, hash: string, options?: CallOptions): Promise<TestAnswer>;
  create(given?: {
    total?: number | string;
    rut?: string;
    reference?: string;
    as?: TestProvider;
    customer?: CustomerOverrides;
    items?: readonly { readonly description: string; readonly quantity?: number; readonly amount: number }[];
  }): Promise<TestAnswer>;
  identify(hash: string, serial?: string): Promise<TestAnswer>;
  /** A card as the browser seals it for this order. */
  sealed(hash: string, number?: string, overrides?: Record<string, unknown>): Promise<string>;
  addCard(hash: string, number?: string, overrides?: Record<string, unknown>): Promise<TestAnswer>;
  pay(hash: string, options?: CallOptions): Promise<TestAnswer>;
  refund(hash: string, body?: unknown, options?: CallOptions): Promise<TestAnswer>;
  /** The clinic's view of the order. */
  read(hash: string): Promise<Order>;
  /** Presses a button on the bank's page. */
  press(url: string, choice: "approve" | "reject" | "cancel"): Promise<void>;
  /** Types a card on the processor's page, or leaves it. `confirm` is for a card that was sealed before. */
  onCardPage(url: string, card: string | "cancel" | "confirm", expiry?: string): Promise<void>;
  /** The next three create an order that is new, ready to pay or paid, and return its hash. */
  newOrder(given?: Parameters<Checkout["create"]>[0]): Promise<string>;
  readyOrder(given?: OrderGiven): Promise<string>;
  paidOrder(given?: OrderGiven): Promise<string>;
}

/** A hash that no order has. */
export const NO_HASH = "00000000-0000-4000-8000-000000000000";

export function checkoutOf(bff: TestBff): Checkout {
  const { clinic } = bff;
  const { db } = bff.database;
  // The sandbox's gateways, with their state in the database.
  const sandbox = createSandboxGateways({
    db,
    ids: systemIds,
    clock: bff.clock,
    challengeOrigin: bff.sandboxGateways,
    kill: () => undefined,
  });
  const checkout: Checkout = {
    bff,
    sandbox,
    call: (name, hash, options = {}) =>
      bff.callOrderApi(orderEndpoints[name], { as: clinic, params: { hash }, ...options }),
    create({
      total = 40_000,
      rut = PATIENTS.good,
      reference = systemIds.uuid(),
      as = clinic,
      customer = {},
      items,
    } = {}) {
      const body = { ...orderBody({ total, rut, reference, customer }), ...(items === undefined ? {} : { items }) };
      return bff.callOrderApi(orderEndpoints.createOrder, { as, body });
    },
    identify: (hash, serial = "123.456.789") =>
      checkout.call("validateIdentity", hash, { body: { document_serial: serial } }),
    async sealed(hash, number = CARDS.approved, overrides = {}) {
      const card = { ...cardFor(present(readOrderId(hash)), bff.clock.now(), { number }), ...overrides };
      return seal(await sandbox.cardProcessor.sealingKey(), card);
    },
    addCard: async (hash, number, overrides) =>
      checkout.call("addPaymentMethod", hash, {
        body: { sealed_card: await checkout.sealed(hash, number, overrides) },
      }),
    pay: (hash, options = {}) => checkout.call("payOrder", hash, { body: { consents: acceptedConsents }, ...options }),
    refund: (hash, body = {}, options = {}) => checkout.call("refundOrder", hash, { body, ...options }),
    read: async (hash) => (await checkout.call("getOrder", hash)).body,
    async press(url, choice) {
      await answerChallenge({ db, clock: bff.clock }, url.split("/").at(-1) ?? "", choice);
    },
    async onCardPage(url, card, expiry = "12/29") {
      const dependencies = { db, clock: bff.clock, ids: systemIds, magicCard: catalogueCard };
      const body = { number: card, expiry, cvc: "123", holder_name: "CAMILA ROJAS" };
      const choice = card === "cancel" ? card : "register";
      await answerVisit(dependencies, url.split("/").at(-1) ?? "", { choice, body });
    },
    newOrder: async (given) => (await checkout.create(given)).body.hash,
    async readyOrder({ card, ...given } = {}) {
      const hash = await checkout.newOrder(given);
      await checkout.identify(hash);
      await checkout.addCard(hash, card);
      return hash;
    },
    async paidOrder(given) {
      const hash = await checkout.readyOrder(given);
      await checkout.pay(hash);
      return hash;
    },
  };
  return checkout;
}
