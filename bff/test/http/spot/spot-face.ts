import express from "express";
import { CompactEncrypt, importJWK } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Fault } from "../../../sandbox/calls/faults.ts";
import { SANDBOX_COMMISSION_TAX } from "../../../sandbox/commission-tax.ts";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { createSandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { setFaults } from "../../../sandbox/tenant-faults.ts";
import { TURNS } from "../../../src/app/features.ts";
import { createWithin } from "../../../src/app/within.ts";
import { eventSchemas } from "../../../src/app/worker.ts";
import { spendTokensOfOrder } from "../../../src/checkout/open-widget-token.ts";
import { pageStateFor } from "../../../src/checkout/page-state.ts";
import { onboardingRoutes, planRoutes, widgetTokenRoutes } from "../../../src/checkout/routes.ts";
import { countExpensesSent, filingView, readFilingFacts } from "../../../src/claims/claim-reads.ts";
import { createPictureConverter } from "../../../src/claims/picture-converter.ts";
import { expenseRoutes } from "../../../src/claims/routes.ts";
import { claimTimerHandlers, expenseTimerHandlers, handleClaimEvents } from "../../../src/claims/work.ts";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import type { Insurer } from "../../../src/contract/onboarding.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { DOCUMENT_SERIAL_PATTERN } from "../../../src/contract/vocabulary/document-serial.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import type { SealingKey } from "../../../src/contract/widget-tokens.ts";
import { GatewayUnavailable } from "../../../src/gateways/gateway-call.ts";
import { notificationTimerHandlers } from "../../../src/notifications/work.ts";
import { createOrder, createOrderWriter } from "../../../src/orders/lifecycle/create-order.ts";
import type { OrderState } from "../../../src/orders/order.ts";
import { wasPaid } from "../../../src/orders/order.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { patientOrder } from "../../../src/orders/order-view.ts";
import { notifyReceipt } from "../../../src/orders/payments/notify-receipt.ts";
import { hasOwnPatients } from "../../../src/patients/beneficiary.ts";
import { movableClock } from "../../../src/platform/clock.ts";
import { type Database, inTransaction } from "../../../src/platform/database/transaction.ts";
import { createDispatchHandler } from "../../../src/platform/dispatch-events.ts";
import { publishEvent } from "../../../src/platform/event-store.ts";
import { createAddressLimits } from "../../../src/platform/http/address-limits.ts";
import { createKnownCallers } from "../../../src/platform/http/admit-request.ts";
import { createGuardedFetch, type ResolveName } from "../../../src/platform/http/guarded-fetch.ts";
import { mountRoutes } from "../../../src/platform/http/mount-routes.ts";
import { createRateLimiter } from "../../../src/platform/http/rate-limit.ts";
import { requestContext } from "../../../src/platform/http/request-context.ts";
import { startServer } from "../../../src/platform/http/server.ts";
import { createTurns } from "../../../src/platform/http/turns.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createKeyring } from "../../../src/platform/keyring.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { createEventHandlers, dispatchKind } from "../../../src/platform/outbox.ts";
import { type Environment, type Provider, providerNow } from "../../../src/platform/provider.ts";
import { createTimerWorker } from "../../../src/platform/timers/timer-worker.ts";
import { createTracer } from "../../../src/platform/tracing/tracing.ts";
import { identifyCaller } from "../../../src/tenants/identify-caller.ts";
import { createProvider, type NewProvider } from "../../../src/tenants/manage-provider.ts";
import { findProvider } from "../../../src/tenants/providers.ts";
import { centerRoutes } from "../../../src/tenants/routes.ts";
import { emptyTables, openTestDatabase } from "../../database.ts";
import { noticeFailedTimers } from "../../failed-timers.ts";
import { orderEventPayload } from "../../order-event-payload.ts";
import { proveRegistrations } from "../../registered-patient.ts";
import { type CredentialValues, createTestClient, type TestAnswer } from "../../test-client.ts";
import { memoryStorage } from "./memory-storage.ts";
import { CAMILA } from "./people.ts";

export const START = new Date("2026-11-21T12:00:00Z");
export const WIDGET_HOST = "https://widget.example";
export const CLINIC_ORIGIN = "https://clinic.example";

/** A provider with its credentials. */
export interface TestProvider {
  readonly provider: Provider;
  readonly credentials: CredentialValues;
}

export interface SpotFace extends Awaited<ReturnType<typeof startSpotFace>> {}

/** One server per file. Each test starts with the clock reset and a new clinic without patients. */
export function beginEach(begin: (beginning: { face: SpotFace; clinic: TestProvider }) => void | Promise<void>): void {
  let face: SpotFace;
  beforeAll(async () => {
    face = await startSpotFace();
  });
  beforeEach(async () => {
    face.clock.set(START);
    // Otherwise they would be those of the previous test.
    if (!clinicsHaveTheirOwnPatients) await emptyTables(face.database, ["sandbox_sealing_keys"]);
    await begin({ face, clinic: await face.makeProvider() });
  });
  afterAll(() => face.stop());
}

/**
 * Staging, where each clinic has separate patients, unless TEST_ENVIRONMENT says production, where all clinics share
 * them.
 */
const ENVIRONMENT: Environment = process.env.TEST_ENVIRONMENT === "production" ? "production" : "staging";
/** Skips staging-only tests in production. */
export const clinicsHaveTheirOwnPatients = hasOwnPatients(ENVIRONMENT);

/** Production accepts no payment before the operator has set these texts. */
async function setTexts(db: Database): Promise<void> {
  await sql`insert into legal_texts (environment, kind, version, locale, text, set_at)
    select 'production', kind, version, locale, text, set_at from legal_texts where environment = 'staging'`.execute(
    db,
  );
}

/**
 * The spot API on its own port, with a real database and a clinic that calls it. In production all clinics share
 * patients, in staging each has its own.
 */
export async function startSpotFace(options: { resolve?: ResolveName; environment?: Environment } = {}) {
  const database = await openTestDatabase();
  const { db } = database;
  const { environment = ENVIRONMENT } = options;
  if (environment === "production") await setTexts(db);
  const clock = movableClock(START);
  const lines: string[] = [];
  const { logger, throwUnexpected } = noticeFailedTimers(
    createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } }),
  );
  const keyring = createKeyring({ keys: [{ id: "k1", secret: new Uint8Array(32).fill(7) }], environment });
  const ids = systemIds;
  const storage = memoryStorage();
  const guardedFetch = createGuardedFetch({ allowLoopback: true, ...options });
  const sandbox = createSandboxGateways({
    db,
    clock,
    ids,
    challengeOrigin: "https://bank.example",
    kill: () => undefined,
  });
  const parties = { sealingKeysAway: false };
  const sealing = async (newest: () => Promise<SealingKey>) => {
    if (parties.sealingKeysAway) throw new GatewayUnavailable("the party is away");
    return newest();
  };
  const dependencies = {
    connectors: { insurer: "sandbox" },
    db,
    clock,
    ids,
    logger,
    keyring,
    paymentPage: async () => null,
    consultationDay: async () => null,
    storage,
    guardedFetch,
    pictures: createPictureConverter(),
    widgetHostUrl: WIDGET_HOST,
    countExpensesSent,
    findProvider,
    sealingKeys: {
      card: () => sealing(() => sandbox.cardProcessor.sealingKey()),
      insurerAccess: () => sealing(() => sandbox.insurer.sealingKey()),
    },
    cardPage: () => sandbox.cardProcessor.cardPage(),
    cardPageDisplay: () => sandbox.cardProcessor.cardPageDisplay(),
    chargeLimits: () => sandbox.cardProcessor.chargeLimits(),
    financingProviderName: sandbox.financingProvider.name,
    annualCost: { convention: "linear", dayBase: 365 } as const,
    stampTax: { borneBy: "lender" } as const,
    insurer: sandbox.insurer,
    messenger: sandbox.messenger,
    identityRegistry: sandbox.identityRegistry,
    documentSerialPattern: DOCUMENT_SERIAL_PATTERN,
    environment,
    takesInsurerAccess: true,
    views: {
      forPatient: async (order: OrderRecord, now: Date) => {
        const view = patientOrder(order, now);
        if (!wasPaid(order.state)) return view;
        const { missing_step } = filingView(await readFilingFacts(db, order, { takesInsurerAccess: true }));
        return { ...view, missing_step, mandate_revoked: false, upcoming_charge: null, signed_receipt: null };
      },
    },
    isPaymentPageOver: async () => false,
  };
  const rateLimiter = createRateLimiter({ db, clock, keyring });
  const app = express();
  app.use(requestContext({ metrics: createMetrics(), tracer: createTracer(), ids, logger }));
  mountRoutes(
    app,
    {
      metrics: createMetrics(),
      identify: (endpoint, request) => identifyCaller({ clock, keyring, environment }, endpoint, request),
      clock,
      rateLimiter,
      addressLimits: createAddressLimits(
        { guessesPerMinute: 1e6, publicCallsPerMinute: 1e6 },
        { count: () => undefined },
      ),
      knownCallers: createKnownCallers(),
      turns: createTurns(TURNS),
      idempotency: { db, clock, ids, keyring },
      checkAnswers: true,
      refusesMisspelledFields: environment === "staging",
      allowsOrigin: null,
    },
    [
      ...widgetTokenRoutes(dependencies),
      ...onboardingRoutes({
        ...dependencies,
        rateLimiter,
        within: createWithin(dependencies),
      }),
      ...planRoutes(dependencies),
      ...expenseRoutes(dependencies),
      ...centerRoutes(dependencies),
    ],
  );
  const server = await startServer({ listener: app, port: 0, address: "127.0.0.1", portVariable: "PORT" });
  const url = `http://127.0.0.1:${server.port}`;
  const client = createTestClient(url);
  const eventHandlers = createEventHandlers(eventSchemas);
  handleClaimEvents(eventHandlers, dependencies);
  eventHandlers.subscribe("order.paid", (tx, event) => notifyReceipt(dependencies, tx, event));
  const worker = createTimerWorker({
    metrics: createMetrics(),
    tracer: createTracer(),
    environment,
    switchOf: {},
    db,
    clock,
    ids,
    logger,
    handlers: {
      ...expenseTimerHandlers(dependencies),
      ...claimTimerHandlers(dependencies),
      ...notificationTimerHandlers({ ...dependencies, makeDocuments: async () => [] }),
      [dispatchKind]: createDispatchHandler({ db, clock, eventHandlers }),
    },
    concurrency: 4,
    leaseMs: 60_000,
    pollMs: 1_000,
  });

  const operations = { db, clock, ids, keyring, environment, actor: "test" };
  const makeProvider = async (given: Partial<NewProvider> = {}): Promise<TestProvider> => {
    const { provider, credentials } = await createProvider(operations, {
      name: "Clínica Los Aromos del Sur SpA",
      rut: "76.900.001-1",
      commissionPercentage: 7,
      commissionTax: SANDBOX_COMMISSION_TAX,
      supportEmail: "ayuda@example.com",
      origins: [CLINIC_ORIGIN, "https://reservas.example"],
      ...given,
    });
    const values = Object.fromEntries(credentials.map(({ kind, value }) => [kind, value]));
    return { provider, credentials: values as TestProvider["credentials"] };
  };

  return {
    db,
    database,
    clock,
    storage,
    parties,
    url,
    dependencies,
    operations,
    makeProvider,
    log: () => lines.join("\n"),
    /** Proves the registrations at a clinic; see `registered-patient.ts`. */
    prove: ({ provider }: TestProvider) => proveRegistrations(dependencies, provider),
    /** Removes the files of earlier tests and the timers that would read them. */
    async forgetUploads() {
      storage.files.clear();
      await db.deleteFrom("timers").execute();
    },
    /** Runs every timer that is due. Throws if one fails. */
    async runDue() {
      await worker.runDue({ oneByOne: true });
      throwUnexpected();
    },
    /** Calls an endpoint and checks the answer against its declaration. */
    async call(
      name: keyof typeof spotEndpoints,
      path: string,
      init: { readonly body?: unknown; readonly form?: FormData; readonly headers?: Record<string, string> } = {},
    ): Promise<TestAnswer> {
      const endpoint: Endpoint = spotEndpoints[name];
      const target = new URL(path, url);
      return client(endpoint, {
        params: paramsOf(endpoint, target.pathname),
        query: Object.fromEntries(target.searchParams),
        ...(init.form === undefined ? {} : { rawBody: init.form }),
        ...(init.body === undefined ? {} : { body: init.body }),
        ...(init.headers === undefined ? {} : { headers: init.headers }),
      });
    },
    async createOrder(
      { provider }: TestProvider,
      order: { rut?: string; total?: number; reference?: string } = {},
    ): Promise<OrderId> {
      const principal = { provider, credential: "client_secret" as const, credentialId: ids.uuid() };
      const customer = {
        rut: order.rut ?? CAMILA.rut,
        first_name: "Camila",
        last_name: "Rojas Fuentes",
        email: "camila@example.com",
        phone_number: "+56912345678",
      };
      const now = providerNow(provider, clock.now());
      const body = { reference: order.reference ?? ids.uuid(), total_amount: order.total ?? 40_000, customer };
      const created = await createOrder(
        { db, clock, ids, findCenter: async () => null, write: createOrderWriter(db) },
        principal,
        body as Parameters<typeof createOrder>[2],
        { now, maximumRate: null, keep: () => null },
      );
      return created.hash;
    },
    /** Puts an order into a state as its operations would, without the outside parties. */
    async moveOrder({ provider }: TestProvider, hash: OrderId, state: OrderState): Promise<void> {
      await inTransaction(db, async (tx) => {
        const paidAt = ["paid", "partially_refunded", "refunded"].includes(state) ? clock.now() : null;
        const refunded = state === "refunded" ? 40_000 : state === "partially_refunded" ? 10_000 : 0;
        await tx
          .updateTable("orders")
          .set({ state, paid_at: paidAt, refund_accepted: refunded, refunded })
          .where("id", "=", hash)
          .execute();
        if (state === "paid") await spendTokensOfOrder(tx, { providerId: provider.id, orderId: hash, at: clock.now() });
        if (state !== "paid" && state !== "refunded") return;
        await publishEvent(tx, {
          id: ids.uuid(),
          providerId: provider.id,
          orderId: hash,
          kind: `order.${state}`,
          sequence: null,
          payload: orderEventPayload(hash, state),
          createdAt: clock.now(),
        });
      });
    },
    /** Seals an insurer access as the browser does. */
    async sealAccess(access: { insurer: Insurer; rut: string; password?: string }): Promise<string> {
      const key = await sandbox.insurer.sealingKey();
      const iat = Math.floor(clock.now().getTime() / 1_000);
      const text = JSON.stringify({ password: "clave-de-prueba", ...access, iat });
      return new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A256GCM", kid: key.kid })
        .encrypt(await importJWK(key, "RSA-OAEP-256"));
    },
    /** Injects faults into the next calls to a party. */
    fault: ({ provider }: TestProvider, fault: Fault) => setFaults({ db, canBeKilled: false }, provider.id, [fault]),
    /** Mails and messages sent to patients, oldest first. */
    async mailbox({ provider }: TestProvider) {
      const mails = await readNotifications({ db }, { providerId: provider.id, to: null, limit: 100 });
      return mails.toReversed();
    },
    page: (token: string | null, publicKey: string | null) => pageStateFor(dependencies, { token, publicKey }),
    async stop() {
      await server.close({ deadlineMs: 1_000 });
      await guardedFetch.close();
      await database.close();
    },
  };
}

/** The path parameters of an endpoint. */
function paramsOf(endpoint: Endpoint, pathname: string): Record<string, string> {
  const names = endpoint.path.split("/");
  const params: Record<string, string> = {};
  for (const [index, part] of pathname.split("/").entries()) {
    const name = /^\{(\w+)\}$/.exec(names[index] ?? "")?.[1];
    if (name !== undefined) params[name] = decodeURIComponent(part);
  }
  return params;
}
