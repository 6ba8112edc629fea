import { join } from "node:path";
import express from "express";
import { createConnectorApp } from "../../../connectors/kit/connector-service.ts";
import type { PartyClient } from "../../../connectors/kit/party-client.ts";
import { serveCardProcessor } from "../../../connectors/kit/serve/serve-card-processor.ts";
import { createCardProcessor } from "../../../connectors/transbank/card-processor.ts";
import type { Oneclick, Terms } from "../../../connectors/transbank/oneclick.ts";
import { buildOneclick, createTransbankClient } from "../../../connectors/transbank/open-oneclick.ts";
import { createPagesApp } from "../../../connectors/transbank/pages-app.ts";
import { createStandIn, type StandIn } from "../../../connectors/transbank/stand-in/stand-in.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { type OrderId, orderHashSchema } from "../../../src/contract/vocabulary/identifiers.ts";
import type { CardProcessor } from "../../../src/gateways/card-processor.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { type OpenDatabase, openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger, type Logger } from "../../../src/platform/logger.ts";
import { packageFolder } from "../../../src/platform/program.ts";
import { createMortalClient, type Death, listen } from "./connector-process.ts";

export const MALL_CODE = "597055555541";
export const SHOP_CODE = "597055555542";
/** The stand-in's own key, not Transbank's public one. */
export const SEAL_KEY = "clave-que-cifra-cada-usuario-de-prueba";
export const API_KEY = "clave-de-prueba-del-comercio";
export const CONNECTOR_TOKEN = "token-del-conector-de-prueba";
export const VISA = "4051885600446623";
export const DEBIT = "4051884239937763";
export const REFUSED_VISA = "5186059559590568";

export interface Transbank {
  readonly clock: MovableClock;
  readonly standIn: StandIn;
  readonly standInUrl: string;
  readonly database: OpenDatabase;
  /** The address of the running process; changes after `restart`. */
  readonly processor: CardProcessor;
  readonly oneclick: Oneclick;
  readonly connectorUrl: string;
  readonly log: readonly string[];
  /** The process dies at its next request to Transbank with such a path. None of its code runs afterwards. */
  dieAt(death: Death, path?: RegExp): void;
  isDead(): boolean;
  restart(terms?: Partial<Terms>): void;
  call(key?: string): GatewayCall;
  order(): OrderId;
  stop(): Promise<void>;
}

const providerId = systemIds.uuid();

/** `clock`: the service's, if the connector serves one. */
export async function startTransbank({ clock = movableClock(new Date()) } = {}): Promise<Transbank> {
  const log: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void log.push(line) } });
  const standInServer = await listen();
  const standIn = createStandIn({
    clock,
    ids: systemIds,
    mallCode: MALL_CODE,
    apiKey: API_KEY,
    shopCodes: [SHOP_CODE, "597055555543"],
    origin: () => standInServer.url,
  });
  standInServer.serve(standIn.app);
  const database = await openDatabase({ url: "memory://" }, logger);
  await migrate(database, { clock, logger }, join(packageFolder, "connectors/transbank/migrations"));
  const connectorServer = await listen();
  const client = createTransbankClient({ baseUrl: standInServer.url, mallCode: MALL_CODE, apiKey: API_KEY });
  const { mortal, dieAt, isDead } = createMortalClient(client);
  const begin = (terms: Partial<Terms> = {}) =>
    beginProcess({ database, clock, logger, client: mortal, terms, pageOrigin: connectorServer.url });
  let process = begin();
  connectorServer.serve((request, response) => process.app(request, response));
  return {
    clock,
    standIn,
    standInUrl: standInServer.url,
    database,
    log,
    connectorUrl: `${connectorServer.url}/connector/v1`,
    get processor() {
      return process.processor;
    },
    get oneclick() {
      return process.oneclick;
    },
    dieAt,
    isDead,
    restart(terms) {
      process = begin(terms);
    },
    call: (key = systemIds.uuid()) => ({ providerId, idempotencyKey: key, at: clock.now() }),
    order: () => orderHashSchema.parse(systemIds.uuid()),
    async stop() {
      await connectorServer.close();
      await standInServer.close();
      await client.close();
      await database.close();
    },
  };
}

function beginProcess({
  database,
  terms,
  ...parts
}: {
  database: OpenDatabase;
  clock: MovableClock;
  logger: Logger;
  client: PartyClient;
  terms: Partial<Terms>;
  pageOrigin: string;
}) {
  const oneclick = buildOneclick({
    sealKeys: [SEAL_KEY],
    ...parts,
    db: database.db,
    ids: systemIds,
    terms: {
      shopCode: SHOP_CODE,
      codeLevel: 1,
      limits: {},
      refundDays: 90,
      email: "pagos@operadora.example",
      ...terms,
    },
  });
  const processor = createCardProcessor(oneclick);
  const app = express();
  const { logger } = parts;
  const serve = (service: Parameters<typeof serveCardProcessor>[0]) => serveCardProcessor(service, processor);
  app.use("/connector/v1", createConnectorApp({ token: CONNECTOR_TOKEN, logger, serve }));
  app.use(createPagesApp(oneclick));
  return { oneclick, processor, app };
}

export type Choice = "accept" | "reject" | "cancel";

/** The patient's press on the page: the form that opens Webpay. */
export async function pressStart(page: string): Promise<{ readonly url: string; readonly token: string }> {
  const text = await (await fetch(`${page}/start`, { method: "POST" })).text();
  return { url: matchIn(text, /data-submit action="([^"]+)"|action="([^"]+)" data-submit/), token: tokenIn(text) };
}

/** The patient's choice on Webpay's page; the answer sends the browser back. */
export async function chooseAtWebpay(
  { url, token }: { readonly url: string; readonly token: string },
  { number = VISA, choice = "accept" }: { number?: string; choice?: Choice } = {},
): Promise<Response> {
  const shown = await fetch(url, { method: "POST", body: new URLSearchParams({ TBK_TOKEN: token }) });
  if (shown.headers.get("x-frame-options") !== "DENY") throw new Error("Webpay's page refuses to be framed.");
  const body = new URLSearchParams({ TBK_TOKEN: token, number, choice });
  return fetch(new URL("answer", url), { method: "POST", body, redirect: "manual" });
}

/** Follows Webpay's answer to the return route; the page that the patient then sees. */
export async function comeBackFrom(answer: Response): Promise<string> {
  const location = answer.headers.get("location");
  if (location !== null) return (await fetch(location)).text();
  const form = await answer.text();
  const fields = new URLSearchParams();
  for (const [, name = "", value = ""] of form.matchAll(/name="([^"]+)" value="([^"]*)"/g)) fields.set(name, value);
  const url = matchIn(form, /action="([^"]+)"/);
  return (await fetch(url, { method: "POST", body: fields })).text();
}

/** Plays a whole visit to a page, and returns what the patient sees at its end. */
export async function enrolOn(page: string, given: { number?: string; choice?: Choice } = {}): Promise<string> {
  await fetch(page);
  return comeBackFrom(await chooseAtWebpay(await pressStart(page), given));
}

/** Opens the page of a card for an order. */
export async function openPage(transbank: Transbank, orderHash: OrderId, call = transbank.call()) {
  const input = { sealedCard: null, orderHash, returnUrl: "https://checkout.example/return/1" };
  const opened = await transbank.processor.registerCard(call, input);
  if (opened.outcome !== "page") throw new Error(`The page was not opened: ${opened.outcome}.`);
  return { call, page: opened.url };
}

/** An enrolled card of a new order. */
export async function enrol(transbank: Transbank, number = VISA): Promise<{ cardId: string; orderHash: OrderId }> {
  const orderHash = transbank.order();
  const { call, page } = await openPage(transbank, orderHash);
  await enrolOn(page, { number });
  const known = await transbank.processor.inquireRegistration(call);
  if (known.outcome !== "registered") throw new Error(`The card was not registered: ${known.outcome}.`);
  return { cardId: known.card.id, orderHash };
}

export const chargeInput = (card: { readonly cardId: string; readonly orderHash: OrderId }, amount = 10_000) => ({
  ...card,
  amount: clp(amount),
  initiator: "merchant" as const,
  authenticationId: null,
  initialChargeId: null,
});

function tokenIn(text: string): string {
  return matchIn(text, /name="TBK_TOKEN" value="([^"]+)"/);
}

function matchIn(text: string, pattern: RegExp): string {
  const found = pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  if (found === undefined) throw new Error(`The page has no ${pattern.source}.`);
  return found;
}
