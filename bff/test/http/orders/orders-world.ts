import { expect } from "vitest";
import { type FaultKind, isFaultPoint, SLOW_SECONDS } from "../../../sandbox/calls/faults.ts";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { createSandboxGateways, type SandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import {
  createOrderRequestSchema,
  type GivenConsent,
  type Order,
  orderSchema,
  type PayOrderResponse,
  patientOrderSchema,
  type RefundOrderRequest,
  type RefundOrderResponse,
  refundOrderRequestSchema,
  refundOrderResponseSchema,
} from "../../../src/contract/orders.ts";
import { parseRut, type Rut } from "../../../src/contract/vocabulary/rut.ts";
import type { CardProcessor } from "../../../src/gateways/card-processor.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import { addPaymentMethod } from "../../../src/orders/add-payment-method.ts";
import {
  type DeferredCharge,
  type DeferredOutcome,
  openDeferredCharge,
  settleDeferredCharge,
} from "../../../src/orders/deferred-charge.ts";
import type { OrdersDependencies, PaymentGateways } from "../../../src/orders/dependencies.ts";
import { hashKey } from "../../../src/orders/derived-ids.ts";
import { createDocumentPrinter } from "../../../src/orders/document-printer.ts";
import { validateIdentity } from "../../../src/orders/identity/validate-identity.ts";
import { presentTexts } from "../../../src/orders/legal-texts.ts";
import { createOrder, createOrderWriter } from "../../../src/orders/lifecycle/create-order.ts";
import { wasPaid } from "../../../src/orders/order.ts";
import { findOrder } from "../../../src/orders/order-reads.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { partnerOrder, patientOrder, refundPart } from "../../../src/orders/order-view.ts";
import { payOrder } from "../../../src/orders/pay-order.ts";
import { parseAmount, refundOrder } from "../../../src/orders/refunds/refund-order.ts";
import { orderTimerHandlers } from "../../../src/orders/work.ts";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { createBackgroundWork } from "../../../src/platform/background-work.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { type Database, inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createKeyring } from "../../../src/platform/keyring.ts";
import { createLogger, silentLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { type Principal, type Provider, type ProviderSettings, providerNow } from "../../../src/platform/provider.ts";
import { createTimerWorker } from "../../../src/platform/timers/timer-worker.ts";
import { createTracer } from "../../../src/platform/tracing/tracing.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";
import { noticeFailedTimers } from "../../failed-timers.ts";
import { allTextsShown } from "../../texts-shown.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";

/** Cards of the sandbox's catalogue. */
export const CARDS = {
  approved: "4051885600446623",
  declined: "5186059559590568",
  noFunds: "4051885600000016",
  challenge: "4051885600000040",
  answerLost: "4051885600000073",
  callLost: "4051885600000081",
  debit: "4051884239937763",
  prepaid: "4051886000056590",
  returnPending: "4051885600000206",
} as const;

/** Cards of the sandbox's catalogue that accept no return. */
export const RETURN_REFUSED = { pending: "4051885600000214", tooOld: "4051885600000222" } as const;

/** People of the sandbox's catalogue. */
export const PATIENTS = {
  good: parseRut("40100000-3"),
  creditRefused: parseRut("40237731-3"),
  reviewAuthorised: parseRut("40375462-5"),
  reviewRefused: parseRut("40513193-5"),
  confirmationRefused: parseRut("40650924-9"),
} as const;

/** Replacements for real dependencies in a test. */
export type Overrides = Partial<OrdersDependencies>;

export interface OrdersWorld {
  readonly database: TestDatabase;
  readonly clock: MovableClock;
  readonly sandbox: SandboxGateways;
  readonly dependencies: OrdersDependencies;
  /** A new provider. The sandbox's records are separate per provider. */
  newProvider(settings?: Partial<ProviderSettings>, scopes?: readonly string[]): Provider;
  principal(provider: Provider): Principal;
  createOrder(provider: Provider, given?: { total?: number; rut?: Rut; reference?: string }): Promise<OrderRecord>;
  /** An order whose identity is validated and whose card is added. */
  readyOrder(provider: Provider, given?: { total?: number; rut?: Rut; card?: string }): Promise<OrderRecord>;
  refund(
    order: OrderRecord,
    body?: RefundOrderRequest,
    given?: { key?: string; overrides?: Overrides },
  ): Promise<RefundOrderResponse>;
  /**
   * Collects the deferred part with its commission, like the collection feature. `unresolved` leaves the charge without
   * an outcome.
   */
  collect(order: OrderRecord, ending?: "captured" | "declined" | "unresolved"): Promise<DeferredCharge>;
  /** Collects, if there is anything to collect now. */
  tryToCollect(order: OrderRecord, ending: "captured" | "declined"): Promise<void>;
  /** Finishes everything in progress: runs all inquiries and waits for returns of two days. */
  settleDown(): Promise<void>;
  settleCollection(order: OrderRecord, charge: DeferredCharge, ending: "captured" | "declined"): Promise<void>;
  paidOrder(provider: Provider, given?: { total?: number; rut?: Rut; card?: string }): Promise<OrderRecord>;
  addCard(order: OrderRecord, number: string): Promise<OrderRecord>;
  pay(
    order: OrderRecord,
    given?: { key?: string; overrides?: Overrides; consents?: GivenConsent[] },
  ): Promise<PayOrderResponse>;
  reload(order: OrderRecord): Promise<OrderRecord>;
  show(order: OrderRecord): Promise<Order>;
  /** Runs everything that is due by the clock, after all started work has ended. */
  runDue(overrides?: Overrides): Promise<void>;
  /** Like `runDue`, without waiting for started work. */
  runDueNow(overrides?: Overrides): Promise<void>;
  /** Moves the clock and runs due work step by step, so that each timer runs at its due time. */
  pass(seconds: number, overrides?: Overrides): Promise<void>;
  events(order: OrderRecord): Promise<{ kind: string; sequence: number | null; payload: Record<string, unknown> }[]>;
  stop(): Promise<void>;
}

export const acceptedConsents: GivenConsent[] = consentTexts("es-CL", "payment").map(
  ({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }),
);

/** The start time of every world. */
export const START = new Date("2026-11-21T15:00:00Z");

const STEP_SECONDS = 5;

/** No other room knows anything about the orders of this world. */
const NOTHING_RELATED = { expense: null, collection: null, claim: null, missing_step: null };

/** Orders with the sandbox's parties and a real database, with a clock that the test moves. */
export async function startOrdersWorld(): Promise<OrdersWorld> {
  const database = await openTestDatabase();
  const { db } = database;
  const clock = movableClock(START);
  const ids = systemIds;
  const sandbox = createSandboxGateways({
    db,
    ids,
    clock,
    challengeOrigin: "http://challenge.test",
    kill: () => undefined,
  });
  const providers = new Map<string, Provider>();
  const background = createBackgroundWork(silentLogger);
  const dependencies: OrdersDependencies = {
    ...sandbox,
    connectors: {
      cardProcessor: "sandbox",
      financingProvider: "sandbox",
      insurer: "sandbox",
      bank: "sandbox",
      taxDocuments: "sandbox",
    },
    environment: "staging",
    documents: createDocumentPrinter(),
    logos: { read: async () => null },
    db,
    clock,
    ids,
    logger: silentLogger,
    background,
    keyring: createKeyring({ keys: [{ id: "test", secret: new Uint8Array(32).fill(7) }], environment: "staging" }),
    returnUrl: ({ attemptId }) => `http://widget.test/return/${attemptId}`,
    paymentPage: async () => null,
    consultationDay: async () => null,
    related: { expenseOf: async () => null, collectionOf: async () => null },
    annualCost: { convention: "linear", dayBase: 365 },
    stampTax: { borneBy: "lender" },
    findProvider: async (id) => present(providers.get(id)),
    findCenter: async () => null,
    within: async () => undefined,
    patient: {
      refuseCollision: async () => undefined,
      recognised: async () => null,
      shownTexts: () => allTextsShown(new Date("2026-11-21T14:59:00Z"), "https://clinic.test"),
    },
    documentSerialPattern: "^[A-Z]?\\d{9}$",
    // Real time, which a busy machine may need for a single call. Tests of the limit set their own.
    answerWithinMs: 600_000,
  };

  const world: OrdersWorld = {
    database,
    clock,
    sandbox,
    dependencies,
    newProvider(settings = {}, scopes = []) {
      const provider = buildProvider(
        {
          commissionBasisPoints: 700,
          commissionTax: { regime: "interest" },
          captureFirst: false,
          cardPage: false,
          knownPatients: false,
          identityTrustedDays: 180,
          takesMinors: false,
          unpaidOrderExpiryMinutes: null,
          ...settings,
        },
        scopes,
      );
      providers.set(provider.id, provider);
      return provider;
    },
    principal: (provider) => ({ provider, credential: "client_secret", credentialId: systemIds.uuid() }),
    async createOrder(provider, { total = 40_000, rut = PATIENTS.good, reference = systemIds.uuid() } = {}) {
      const body = createOrderRequestSchema.parse(orderBody({ total, rut, reference }));
      const creation = { now: nowOf(provider, clock), maximumRate: null, keep: () => null };
      const creating = { ...dependencies, write: createOrderWriter(db) };
      const created = await createOrder(creating, world.principal(provider), body, creation);
      return present(await findOrder(db, { providerId: provider.id, orderId: created.hash }));
    },
    async readyOrder(provider, { total, rut, card = CARDS.approved } = {}) {
      const order = await world.createOrder(provider, { ...(total !== undefined && { total }), ...(rut && { rut }) });
      const request = { provider, documentSerial: "123456789", documentType: "CEDULA" as const };
      const validated = await validateIdentity(dependencies, { ...request, order, now: nowOf(provider, clock) });
      return world.addCard(validated, card);
    },
    async paidOrder(provider, given = {}) {
      const order = await world.readyOrder(provider, given);
      await world.pay(order);
      return world.reload(order);
    },
    async addCard(order, number) {
      const provider = present(providers.get(order.providerId));
      const now = nowOf(provider, clock);
      const given = { consents: [], ip: "203.0.113.7", userAgent: null };
      const sealedCard = await seal(await sandbox.cardProcessor.sealingKey(), cardFor(order.orderId, now, { number }));
      return (await addPaymentMethod(dependencies, { provider, order, card: { ...given, sealedCard }, now })).order;
    },
    async pay(order, { key, overrides = {}, consents = acceptedConsents } = {}) {
      const provider = present(providers.get(order.providerId));
      const { order: after, payment } = await payOrder(
        { ...dependencies, ...overrides },
        {
          provider,
          order: await world.reload(order),
          texts: await presentTexts(db, "staging"),
          beneficiary: null,
          consents,
          quoteSha256: null,
          keyHash: hashKey(key),
          ip: "127.0.0.1",
          userAgent: "a test",
          now: nowOf(provider, clock),
        },
      );
      return { order: patientOrderSchema.parse(patientOrder(after, nowOf(provider, clock))), payment };
    },
    async refund(order, body = {}, { key, overrides = {} } = {}) {
      const provider = present(providers.get(order.providerId));
      const { amount, reason, refund_reference: reference } = refundOrderRequestSchema.parse(body);
      const { order: after, refund } = await refundOrder(
        { ...dependencies, ...overrides },
        {
          principal: world.principal(provider),
          order,
          amount: parseAmount(amount),
          reason: reason ?? null,
          refundReference: reference ?? null,
          keyHash: hashKey(key),
          now: nowOf(provider, clock),
        },
      );
      const view = partnerOrder(after, NOTHING_RELATED, nowOf(provider, clock));
      return refundOrderResponseSchema.parse({ ...view, refund: refundPart(after, refund) });
    },
    async collect(order, ending = "captured") {
      const at = nowOf(present(providers.get(order.providerId)), clock);
      const charge = present(await inTransaction(db, (tx) => openDeferredCharge(tx, order, { card: null, at })));
      if (ending !== "unresolved") await world.settleCollection(order, charge, ending);
      return charge;
    },
    async tryToCollect(order, ending) {
      const { payments, deferred, deferredCancelled, deferredCollected, state } = await world.reload(order);
      const isBusy = payments.some(({ status }) => status === "processing");
      if (wasPaid(state) && !isBusy && deferred > deferredCancelled + deferredCollected)
        await world.collect(order, ending);
    },
    async settleDown() {
      const refunding = db.selectFrom("order_refunds").select("id").where("status", "=", "processing").limit(1);
      // A return takes at most two days, and two returns of one refund run one after the other.
      for (let hours = 0; hours < 56 || (hours < 112 && (await refunding.execute()).length > 0); hours += 1) {
        clock.advance(3_600_000);
        await world.runDue();
      }
    },
    async settleCollection(order, charge, ending) {
      const at = nowOf(present(providers.get(order.providerId)), clock);
      const call = { providerId: order.providerId, idempotencyKey: `${charge.paymentId}:collection`, at };
      const first = order.payments.find(({ kind, card }) => kind === "first" && card.id === charge.card.id);
      const of = { amount: charge.amount, orderHash: order.orderId, initialChargeId: first?.chargeId ?? null };
      const input = { cardId: charge.card.id, ...of };
      const answer =
        ending === "declined"
          ? ({ outcome: "declined", reason: "insufficient_funds" } as const)
          : await chargeSurely(sandbox.cardProcessor, call, input);
      await inTransaction(db, (tx) =>
        settleDeferredCharge(tx, dependencies, order, { paymentId: charge.paymentId, result: answer, at }),
      );
    },
    reload: async (order) => present(await findOrder(db, order)),
    async show(order) {
      const provider = present(providers.get(order.providerId));
      return orderSchema.parse(partnerOrder(await world.reload(order), NOTHING_RELATED, nowOf(provider, clock)));
    },
    async runDue(overrides) {
      await background.idle();
      await world.runDueNow(overrides);
    },
    async runDueNow(overrides = {}) {
      const handlers = orderTimerHandlers({ ...dependencies, ...overrides });
      const { logger, throwUnexpected } = noticeFailedTimers(silentLogger);
      await createTimerWorker({
        metrics: createMetrics(),
        tracer: createTracer(),
        environment: "staging",
        switchOf: {},
        db,
        clock,
        ids,
        logger,
        handlers,
        concurrency: 4,
        leaseMs: 60_000,
        pollMs: 60_000,
      }).runDue();
      throwUnexpected();
    },
    async pass(seconds, overrides) {
      await world.runDue(overrides);
      for (let left = seconds; left > 0; left -= STEP_SECONDS) {
        clock.advance(Math.min(left, STEP_SECONDS) * 1_000);
        await world.runDue(overrides);
      }
    },
    async events(order) {
      const rows = await db
        .selectFrom("events")
        .select(["kind", "sequence", "payload"])
        .where("order_id", "=", order.orderId)
        .orderBy("sequence")
        .execute();
      return rows.map(({ kind, sequence, payload }) => ({ kind, sequence, payload: { ...payload } }));
    },
    async stop() {
      await background.idle();
      await database.close();
    },
  };
  return world;
}

/** Charges, and inquires with growing delays if the answer is lost or late. */
async function chargeSurely(
  processor: CardProcessor,
  call: GatewayCall,
  input: Omit<Parameters<CardProcessor["charge"]>[1], "initiator" | "authenticationId">,
): Promise<DeferredOutcome> {
  for (let time = 0; time < 5; time += 1) {
    const later = { ...call, at: new Date(call.at.getTime() + time * SLOW_SECONDS * 1_000) };
    const answer = await processor.charge(later, { ...input, initiator: "merchant", authenticationId: null });
    const known = answer.outcome === "unknown" ? await processor.inquireCharge(later) : answer;
    if (known.outcome === "captured") return { ...known, voucher: known, disputes: [] };
    if (known.outcome === "declined") return known;
  }
  throw new Error("The sandbox does not report the outcome of a charge.");
}

export function nowOf(provider: Provider, clock: MovableClock): Date {
  return providerNow(provider, clock.now());
}

export function orderBody({
  total,
  rut,
  reference,
  customer = {},
}: {
  total: number | string;
  rut: string;
  reference: string;
  /** The fields of the patient that differ from the defaults. */
  customer?: CustomerOverrides;
}) {
  return {
    reference,
    total_amount: total,
    customer: {
      rut,
      first_name: "Camila",
      last_name: "Rojas Fuentes",
      email: "camila@example.com",
      phone_number: "+56912345678",
      ...customer,
    },
  };
}

/** The contact data of an order's patient. */
export type CustomerOverrides = Partial<Record<"email" | "phone_number", string>>;

function buildProvider(settings: ProviderSettings, scopes: readonly string[]): Provider {
  return {
    id: systemIds.uuid(),
    name: "Clínica Los Aromos del Sur SpA",
    rut: parseRut("76.900.001-1"),
    environment: "staging",
    active: true,
    scopes,
    origins: ["https://clinic.test"],
    returnUrls: [],
    isFramed: true,
    logoUrl: null,
    appearance: {},
    supportEmail: "ayuda@example.com",
    supportPhone: null,
    supportWhatsapp: null,
    settings,
    clockOffsetMs: 0,
  };
}

type Moment = "before" | "after";

/**
 * The gateways with a hook around each call. An error thrown by the hook ends the process; it does not count as the
 * gateway's answer.
 */
export function watchedGateways(
  parties: Pick<PaymentGateways, "cardProcessor" | "financingProvider">,
  hook: (method: string, moment: Moment) => void | Promise<void>,
): Pick<PaymentGateways, "cardProcessor" | "financingProvider"> {
  return {
    cardProcessor: watched(parties.cardProcessor, hook),
    financingProvider: watched(parties.financingProvider, hook),
  };
}

function watched<Party extends object>(
  party: Party,
  hook: (method: string, moment: Moment) => void | Promise<void>,
): Party {
  return new Proxy(party, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]) => {
        await hook(String(name), "before");
        const answer: unknown = await Reflect.apply(value, target, given);
        await hook(String(name), "after");
        return answer;
      };
    },
  });
}

/** The database with a hook before each query. An error thrown by the hook ends the process. */
export function watchedDatabase(db: Database, hook: () => void): Database {
  const watched = db.withPlugin({
    transformQuery({ node }) {
      hook();
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  // A compiled query bypasses the plugins.
  const executeQuery: Database["executeQuery"] = async (query) => {
    hook();
    return db.executeQuery(query);
  };
  return Object.assign(watched, { executeQuery });
}

/** Makes the next calls of a method of one of the provider's parties fail. */
export async function fault(
  { database }: Pick<OrdersWorld, "database">,
  provider: Provider,
  method: string,
  kind: FaultKind,
  calls = 1,
): Promise<void> {
  const party = ["card-processor", "financing-provider"].find((name) => isFaultPoint(name, method));
  if (party === undefined || !isFaultPoint(party, method)) throw new Error(`No party has a method ${method}.`);
  await inTransaction(database.db, (tx) => replaceFaults(tx, provider.id, [{ party, method, kind, calls }]));
}

/** A log, with access to the lines that require an operator. */
export function logged() {
  const lines: unknown[] = [];
  const logger = createLogger({ level: "error", destination: { write: (line) => lines.push(JSON.parse(line)) } });
  return { lines, overrides: { logger } };
}

const always = [new Date("2000-01-01"), new Date("2100-01-01")] as const;

/** Checks what must hold for every order while nothing is in progress. */
export async function expectSoundBooks(world: OrdersWorld, order: OrderRecord): Promise<void> {
  const { database, sandbox } = world;
  const now = await world.reload(order);
  const isPaid = wasPaid(now.state);
  const movements = await sandbox.cardProcessor.listMovements(order.providerId, ...always);
  const atProcessor = movements.filter(({ orderHash: orderId }) => orderId === order.orderId);
  const sumOf = (kind: string) => sum(atProcessor.filter((one) => one.kind === kind).map(({ amount }) => amount));
  const captured = now.payments.filter(({ status }) => status === "captured" || status === "undone");
  expect(sumOf("charge"), "our charges equal the processor's").toBe(sum(captured.map(({ amount }) => amount)));
  expect(sumOf("return"), "our returns equal the processor's").toBe(sum(captured.map(({ returned }) => returned)));
  for (const { returned, amount } of now.payments) expect(returned).toBeLessThanOrEqual(amount);
  expect(now.refunded).toBeLessThanOrEqual(now.refundAccepted);
  expect(now.refundAccepted).toBeLessThanOrEqual(now.total);
  expect(now.deferredCancelled + now.deferredCollected).toBeLessThanOrEqual(now.deferred);

  const loans = (await sandbox.financingProvider.listLoans(order.providerId, ...always)).filter(
    ({ orderHash: orderId }) => orderId === order.orderId,
  );
  const live = loans.filter(({ status }) => status === "confirmed" || status === "authorised");
  const lent = now.deferred - now.deferredCancelled;
  expect(sum(live.map(({ amount }) => amount)), "the lent amount equals the uncancelled amount").toBe(
    isPaid ? lent : 0,
  );
  if (isPaid && lent > 0) expect(live.map(({ status }) => status)).toEqual(["confirmed"]);

  const transfers = await database.db
    .selectFrom("ledger_transfers")
    .selectAll()
    .where("order_id", "=", order.orderId)
    .execute();
  const balance = (account: string) =>
    sum(transfers.map(({ debit, credit, amount }) => (debit === account ? amount : credit === account ? -amount : 0)));
  expect(balance("order"), "the clinic is owed the paid price less refunds").toBe(
    isPaid ? now.refunded - now.total : 0,
  );
  expect(balance("card_processor"), "the ledger agrees with the processor").toBe(sumOf("charge") - sumOf("return"));

  const events = await world.events(order);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ kind }) => kind === "order.paid")).toHaveLength(isPaid ? 1 : 0);
  for (const { payload } of events) orderSchema.parse(payload.order);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

export function present<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error("The test expects a value here.");
  return value;
}
