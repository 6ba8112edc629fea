import { createServer, type Server } from "node:http";
import express from "express";
import { CompactEncrypt, importJWK } from "jose";
import { catalogueCard } from "../../../sandbox/catalogue.ts";
import { createSandboxConnector } from "../../../sandbox/connector-app.ts";
import { createPagesApp } from "../../../sandbox/pages-app.ts";
import { createSandboxGateways, type SandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import type { CardToSeal } from "../../../src/contract/orders.ts";
import { type OrderId, readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { type Phone, readPhone } from "../../../src/contract/vocabulary/phone.ts";
import { parseRut, type Rut } from "../../../src/contract/vocabulary/rut.ts";
import type { SealingKey } from "../../../src/contract/widget-tokens.ts";
import type { Bank } from "../../../src/gateways/bank.ts";
import type { CardProcessor } from "../../../src/gateways/card-processor.ts";
import { type Connector, createConnector } from "../../../src/gateways/connector.ts";
import type { FinancingProvider } from "../../../src/gateways/financing-provider.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import {
  createHttpBank,
  createHttpCardProcessor,
  createHttpFinancingProvider,
  createHttpIdentityRegistry,
  createHttpInsurer,
  createHttpMessenger,
  createHttpTaxDocuments,
} from "../../../src/gateways/http-gateways.ts";
import type { IdentityRegistry } from "../../../src/gateways/identity-registry.ts";
import type { InsurerConnector } from "../../../src/gateways/insurer.ts";
import type { Messenger } from "../../../src/gateways/messenger.ts";
import { keptSealingKey } from "../../../src/gateways/sealing-key-store.ts";
import type { TaxDocuments } from "../../../src/gateways/tax-documents.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";

/** Both ways to call a party. A contract test must pass for each. */
export const WAYS = ["the sandbox", "the adapter over HTTP"] as const;
export type Way = (typeof WAYS)[number];

export interface Gateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly identityRegistry: IdentityRegistry;
  readonly insurer: InsurerConnector;
  readonly bank: Bank;
  readonly taxDocuments: TaxDocuments;
  readonly messenger: Pick<Messenger, "sendMessage">;
}

export interface StartedGateways {
  readonly database: TestDatabase;
  readonly clock: MovableClock;
  readonly sandbox: SandboxGateways;
  /** The sandbox's parties, or adapters that reach them over HTTP. */
  parties(way: Way): Gateways;
  /** Where the bank's page is served, and the sandbox's connector below `/connector/v1`. */
  readonly origin: string;
  /** The connector's token. */
  readonly token: string;
  /** The number of times that our process would have been killed. */
  readonly kills: () => number;
  /** The whole log. */
  readonly log: () => string;
  stop(): Promise<void>;
}

export async function startGateways(): Promise<StartedGateways> {
  const database = await openTestDatabase();
  const clock = movableClock(new Date("2026-11-21T15:00:00Z"));
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } });
  let kills = 0;
  const token = "a-token-of-this-test";
  const host = express();
  const { server, origin } = await listen(host);
  const sandbox = createSandboxGateways({
    db: database.db,
    ids: systemIds,
    clock,
    challengeOrigin: origin,
    kill: () => {
      kills += 1;
    },
  });
  host.use("/connector/v1", createSandboxConnector({ ...sandbox, logger, connectorToken: token }));
  host.use(createPagesApp({ db: database.db, clock, ids: systemIds, logger, magicCard: catalogueCard }));
  const config = {
    name: "sandbox",
    baseUrl: `${origin}/connector/v1`,
    token,
    deadlineMs: 60_000,
    answerBytesMax: 1024 * 1024,
    hasCircuit: true,
  };
  const connectors: Connector[] = [];
  const connectorOf = (party: string) => {
    const connector = createConnector({ metrics: createMetrics(), party, config, clock, logger });
    connectors.push(connector);
    return connector;
  };
  const adapters: Gateways = {
    cardProcessor: createHttpCardProcessor({
      connector: connectorOf("card-processor"),
      challengeOrigin: origin,
      clock,
      kept: keptSealingKey(database.db, "card-processor"),
    }),
    financingProvider: createHttpFinancingProvider({
      connector: connectorOf("financing-provider"),
      name: sandbox.financingProvider.name,
    }),
    identityRegistry: createHttpIdentityRegistry({ connector: connectorOf("identity-registry") }),
    insurer: createHttpInsurer({
      connector: connectorOf("insurer"),
      clock,
      kept: keptSealingKey(database.db, "insurer"),
    }),
    bank: createHttpBank({ connector: connectorOf("bank") }),
    taxDocuments: createHttpTaxDocuments({ connector: connectorOf("tax-documents") }),
    messenger: createHttpMessenger({ connector: connectorOf("messages"), clock }),
  };
  return {
    database,
    clock,
    sandbox,
    parties: (way) => (way === "the sandbox" ? sandbox : adapters),
    origin,
    token,
    kills: () => kills,
    log: () => lines.join(""),
    async stop() {
      await Promise.all(connectors.map((connector) => connector.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
    },
  };
}

async function listen(app: express.Express): Promise<{ server: Server; origin: string }> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The test server has no port.");
  return { server, origin: `http://127.0.0.1:${address.port}` };
}

/** A call for a new provider. */
export function callOf(overrides: Partial<GatewayCall> = {}): GatewayCall {
  return {
    providerId: systemIds.uuid(),
    idempotencyKey: systemIds.uuid(),
    at: new Date("2026-11-21T15:00:00Z"),
    ...overrides,
  };
}

/** The next call of the same provider, this many seconds later. */
export function next(call: GatewayCall, afterSeconds = 0): GatewayCall {
  return { ...call, idempotencyKey: systemIds.uuid(), at: new Date(call.at.getTime() + afterSeconds * 1000) };
}

/** The same call, or an inquiry about it, this many seconds later. */
export function later(call: GatewayCall, afterSeconds: number): GatewayCall {
  return { ...call, at: new Date(call.at.getTime() + afterSeconds * 1000) };
}

export function newOrderId(): OrderId {
  const hash = readOrderId(systemIds.uuid());
  if (hash === null) throw new Error("A UUID is an order hash.");
  return hash;
}

export function rut(text: string): Rut {
  return parseRut(text);
}

export function phoneOf(text: string): Phone {
  const phone = readPhone(text);
  if (phone === null) throw new Error("This is no telephone number.");
  return phone;
}

/** A card as the widget would seal it, valid unless overridden. */
export function cardFor(
  order: OrderId,
  at: Date,
  overrides: Partial<Record<keyof CardToSeal, unknown>> = {},
): Record<string, unknown> {
  return {
    number: "4051885600446623",
    exp_month: 12,
    exp_year: 2029,
    cvc: "739",
    holder_name: "CAMILA ROJAS",
    order_token: order,
    iat: Math.floor(at.getTime() / 1000),
    ...overrides,
  };
}

/** Seals as a browser does. */
export async function seal(key: SealingKey, value: unknown, header: Record<string, string> = {}): Promise<string> {
  const publicKey = await importJWK(key, "RSA-OAEP-256");
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A256GCM", kid: key.kid, ...header })
    .encrypt(publicKey);
}
