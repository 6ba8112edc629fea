import express from "express";
import * as z from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Ids } from "../../../src/platform/ids.ts";
import { createFaults, type Faults } from "../../kit/stand-in/faults.ts";
import { TEST_CARDS, type TestCard } from "./test-cards.ts";

/*
 * Plays Transbank's Oneclick Mall on this machine: the nine routes, with the answers, times and limits that are
 * documented. Where the documentation is silent, it takes the worse side.
 */

const TOKEN_MS = 10 * MINUTE_MS;
const FINISH_MS = 60 * SECOND_MS;
const STATUS_MS = 7 * DAY_MS;
const REVERSAL_MS = 3 * HOUR_MS;

export interface StandInConfig {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mallCode: string;
  readonly apiKey: string;
  readonly shopCodes: readonly string[];
  /** Its origin. */
  readonly origin: () => string;
  readonly refundDays?: number;
}

interface Inscription {
  readonly username: string;
  readonly responseUrl: string;
  readonly startedAt: number;
  card: TestCard | null;
  state: "waiting" | "approved" | "refused" | "cancelled" | "finished";
  returnedAt: number | null;
}

interface Detail {
  readonly commerce_code: string;
  readonly buy_order: string;
  readonly amount: number;
  readonly response_code: number;
  readonly installments_number: number;
  readonly payment_type_code: string;
  readonly authorization_code: string;
  status: string;
  balance?: number;
}

interface Transaction {
  readonly at: number;
  readonly details: Detail[];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StandIn {
  readonly app: express.Express;
  readonly faults: Faults;
  /** Every request of the API that arrived, in order. */
  readonly requests: { readonly method: string; readonly path: string; readonly body: unknown }[];
  /** All charges by their buy orders, refused ones too. */
  readonly charges: ReadonlyMap<string, Transaction>;
  /** Buy orders that were sent once more. */
  readonly sentAgain: string[];
  /** The enrolled users that can be charged. */
  users(): number;
  /** The codes of the next charges, in order; a word is a status without an approval. */
  readonly nextCodes: (number | "CONSTRAINTS_VIOLATED" | "INITIALIZED")[];
  /** How the browser comes back. */
  returnBy: "GET" | "POST";
  /** How many instalments the next charges have. */
  instalments: number;
}

/** Thrown for what Transbank refuses. */
class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

const refuse = (status: number, text: string): never => {
  throw new ApiRefusal(status, text);
};

const startSchema = z.strictObject({
  username: z.string().min(1).max(40),
  email: z.email().max(100),
  response_url: z.url().max(255),
});
const removeSchema = z.strictObject({ tbk_user: z.string(), username: z.string() });
const authorizeSchema = z.strictObject({
  username: z.string().max(40),
  tbk_user: z.string(),
  buy_order: z.string().regex(/^[\w.-]{1,26}$/),
  details: z
    .array(
      z.strictObject({
        commerce_code: z.string().length(12),
        buy_order: z.string().regex(/^[\w.-]{1,26}$/),
        amount: z.number().positive(),
        installments_number: z.number().optional(),
      }),
    )
    .min(1),
});
const refundSchema = z.strictObject({ commerce_code: z.string(), detail_buy_order: z.string(), amount: z.number() });
const captureSchema = z.strictObject({
  commerce_code: z.string(),
  buy_order: z.string(),
  authorization_code: z.string(),
  capture_amount: z.number(),
});
const binSchema = z.strictObject({ tbk_user: z.string() });

function read<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join(".") ?? "";
  return refuse(422, `Invalid value for parameter: ${field}`);
}

/** The state of the stand-in, which its routes share. */
interface World extends StandInConfig {
  readonly standIn: StandIn;
  readonly inscriptions: Map<string, Inscription>;
  readonly users: Map<string, { readonly username: string; readonly card: TestCard }>;
  readonly transactions: Map<string, Transaction>;
  now(): number;
}

type Act = (request: express.Request) => { readonly status?: number; readonly body?: unknown };

export function createStandIn(config: StandInConfig): StandIn {
  const [inscriptions, transactions] = [new Map<string, Inscription>(), new Map<string, Transaction>()];
  const users: World["users"] = new Map();
  const app = express();
  app.disable("x-powered-by");
  const standIn: StandIn = {
    app,
    faults: createFaults(),
    requests: [],
    charges: transactions,
    sentAgain: [],
    users: () => users.size,
    nextCodes: [],
    returnBy: "GET",
    instalments: 0,
  };
  const now = () => config.clock.now().getTime();
  const world: World = { ...config, standIn, inscriptions, users, transactions, now };
  const api = express.Router();
  api.use((request, response, next) => {
    const isKnown =
      request.get("tbk-api-key-id") === config.mallCode && request.get("tbk-api-key-secret") === config.apiKey;
    if (isKnown) next();
    else response.status(401).json({ error_message: "Not Authorized" });
  });
  api.use(express.json());
  api.use((request, _response, next) => {
    standIn.requests.push({ method: request.method, path: request.path, body: request.body });
    next();
  });
  addInscriptions(api, world);
  addCharges(api, world);
  addRefunds(api, world);
  api.use((_request, response) => void response.status(404).json({ error_message: "Not found" }));
  app.use("/rswebpaytransaction/api/oneclick/v1.2", api);
  app.use("/webpayserver", webpay(world));
  return standIn;
}

/** A route with its faults. A refusal is answered with Transbank's error. */
function route({ standIn }: World, name: string, act: Act): express.RequestHandler {
  return standIn.faults.wrap(name, (request) => {
    try {
      return { status: 200, ...act(request) };
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      return { status: error.status, body: { error_message: error.message } };
    }
  });
}

function addInscriptions(api: express.Router, world: World): void {
  const { ids, inscriptions, now, origin, users } = world;
  const start: Act = ({ body }) => {
    const { username, response_url } = read(startSchema, body);
    const token = Buffer.from(ids.bytes(32)).toString("hex");
    const started = { username, responseUrl: response_url, startedAt: now() };
    inscriptions.set(token, { ...started, card: null, state: "waiting", returnedAt: null });
    return { body: { token, url_webpay: `${origin()}/webpayserver/bp_multicode_inscription.cgi` } };
  };
  const finish: Act = ({ params }) => {
    const inscription = inscriptions.get(String(params.token)) ?? refuse(404, "Inscription not found");
    const { state, returnedAt, card, username } = inscription;
    const isLate = returnedAt !== null && now() - returnedAt > FINISH_MS;
    if (state === "refused") return { body: { response_code: -1 } };
    if (state !== "approved" || isLate || card === null) return { body: { response_code: -96 } };
    inscription.state = "finished";
    // A second enrolment of a username ends the first.
    for (const [id, user] of users) if (user.username === username) users.delete(id);
    const tbkUser = ids.uuid();
    users.set(tbkUser, { username, card });
    const shown = { card_type: card.cardType, card_number: `XXXXXXXXXXXX${card.number.slice(-4)}` };
    return { body: { response_code: 0, tbk_user: tbkUser, authorization_code: "1213", ...shown } };
  };
  const remove: Act = ({ body }) => {
    const { tbk_user, username } = read(removeSchema, body);
    if (users.get(tbk_user)?.username !== username) return refuse(404, "User not found");
    users.delete(tbk_user);
    return { status: 204 };
  };
  const bin: Act = ({ body }) => {
    const { card } = users.get(read(binSchema, body).tbk_user) ?? refuse(404, "User not found");
    return { body: { bin_issuer: "TEST COMMERCE BANK", bin_payment_type: card.binType, bin_brand: card.brand } };
  };
  api.post("/inscriptions", route(world, "start", start));
  api.put("/inscriptions/:token", route(world, "finish", finish));
  api.delete("/inscriptions", route(world, "delete", remove));
  api.post("/bin_info", route(world, "bin", bin));
}

type AskedDetail = z.output<typeof authorizeSchema>["details"][number];

function detailOf({ standIn }: World, asked: AskedDetail, card: TestCard | undefined, code: number | string): Detail {
  const isApproved = code === 0;
  return {
    amount: asked.amount,
    status: typeof code === "string" ? code : isApproved ? "AUTHORIZED" : "FAILED",
    authorization_code: isApproved ? "1213" : "000000",
    payment_type_code: standIn.instalments > 0 ? "VC" : (card?.paymentType ?? "VN"),
    response_code: typeof code === "number" ? code : -1,
    installments_number: standIn.instalments,
    commerce_code: asked.commerce_code,
    buy_order: asked.buy_order,
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function addCharges(api: express.Router, world: World): void {
  const { clock, now, shopCodes, standIn, transactions, users } = world;
  const authorize: Act = ({ body }) => {
    const { buy_order, tbk_user, username, details } = read(authorizeSchema, body);
    // Transbank itself fails if the form differs from a user's.
    if (!UUID.test(tbk_user)) return { status: 500, body: { description: "Internal server error" } };
    if (details.some(({ commerce_code }) => !shopCodes.includes(commerce_code)))
      return refuse(422, "Invalid value for parameter: commerce_code");
    if (transactions.has(buy_order)) {
      standIn.sentAgain.push(buy_order);
      return refuse(422, "Transaction already exists");
    }
    const user = users.get(tbk_user);
    const card = user?.username === username ? user.card : undefined;
    const code = card === undefined ? -96 : (standIn.nextCodes.shift() ?? (card.isApproved ? 0 : -1));
    const shown = {
      buy_order,
      card_detail: { card_number: card?.number.slice(-4) ?? "0000" },
      accounting_date: clock.now().toISOString().slice(5, 10).replace("-", ""),
      transaction_date: clock.now().toISOString(),
    };
    const made = { at: now(), details: details.map((asked) => detailOf(world, asked, card, code)), body: shown };
    transactions.set(buy_order, made);
    return { body: shownOf(made) };
  };
  const status: Act = ({ params }) => {
    const made =
      transactions.get(String(params.buyOrder)) ?? refuse(422, "Invalid value for parameter: buy order not found");
    if (now() - made.at > STATUS_MS)
      return refuse(422, "The transactions's date has passed max time (7 days) to recover the status");
    return { body: shownOf(made) };
  };
  const capture: Act = ({ body }) => {
    const { commerce_code, buy_order, authorization_code, capture_amount } = read(captureSchema, body);
    const details = [...transactions.values()].flatMap((made) => made.details);
    const detail = details.find((each) => each.commerce_code === commerce_code && each.buy_order === buy_order);
    if (detail?.status !== "AUTHORIZED" || detail.authorization_code !== authorization_code)
      return refuse(422, "Invalid value for parameter: Transaction Detail not found");
    if (capture_amount > detail.amount) return refuse(422, "Invalid value for parameter: amount");
    detail.status = "CAPTURED";
    const at = { authorization_code, authorization_date: clock.now().toISOString() };
    return { body: { ...at, captured_amount: capture_amount, response_code: 0 } };
  };
  api.post("/transactions", route(world, "authorize", authorize));
  api.put("/transactions/capture", route(world, "capture", capture));
  api.get("/transactions/:buyOrder", route(world, "status", status));
}

function shownOf({ body, details }: Transaction): object {
  return { ...body, details: details.map((detail) => ({ ...detail })) };
}

function addRefunds(api: express.Router, world: World): void {
  const refund: Act = ({ params, body }) => {
    const { commerce_code, detail_buy_order, amount } = read(refundSchema, body);
    const made = world.transactions.get(String(params.buyOrder)) ?? refuse(422, "Transaction not found");
    const detail =
      made.details.find((each) => each.commerce_code === commerce_code && each.buy_order === detail_buy_order) ??
      refuse(422, "Invalid value for parameter: Transaction Detail not found");
    return { body: refundDetail(world, { made, detail, amount }) };
  };
  api.post("/transactions/:buyOrder/refunds", route(world, "refund", refund));
}

function refundDetail(
  { clock, now, refundDays = 90 }: World,
  { made, detail, amount }: { readonly made: Transaction; readonly detail: Detail; readonly amount: number },
): object {
  const left = detail.response_code === 0 ? (detail.balance ?? detail.amount) : 0;
  if (now() - made.at > refundDays * DAY_MS) refuse(422, "The transactions's date has passed max time");
  if (!(amount > 0)) refuse(422, "Invalid value for parameter: amount");
  if (amount > left) refuse(422, "Amount to refund is bigger than authorized");
  const isWhole = amount === detail.amount;
  if (!isWhole && detail.payment_type_code !== "VN")
    refuse(422, "Debit or prepaid transactions only allow whole nullifications");
  detail.balance = left - amount;
  if (isWhole && now() - made.at <= REVERSAL_MS) {
    detail.status = "REVERSED";
    return { type: "REVERSED" };
  }
  detail.status = detail.balance === 0 ? "NULLIFIED" : "PARTIALLY_NULLIFIED";
  const at = { authorization_code: "123456", authorization_date: clock.now().toISOString() };
  return { type: "NULLIFIED", ...at, nullified_amount: amount, balance: detail.balance, response_code: 0 };
}

/** Webpay's page: a plain form that refuses to be framed. */
function webpay({ standIn, inscriptions, now }: World): express.Router {
  const router = express.Router();
  router.use(express.urlencoded({ extended: false }));
  router.all("/bp_multicode_inscription.cgi", (request, response) => {
    const token = String(fieldsOf(request).TBK_TOKEN);
    const inscription = inscriptions.get(token);
    if (inscription === undefined) return void response.status(404).send("Token inválido");
    response
      .set("x-frame-options", "DENY")
      .type("html")
      .send(`<!doctype html><html lang="es"><title>Webpay</title>
<meta name="viewport" content="width=device-width"><h1>Webpay (simulado)</h1><form method="post" action="answer">
<input type="hidden" name="TBK_TOKEN" value="${token}">
<p><label>Tarjeta de prueba<br><input name="number" inputmode="numeric" required></label></p>
<button name="choice" value="accept">Inscribir</button> <button name="choice" value="reject">Rechazar</button>
<button name="choice" value="cancel" formnovalidate>Anular y volver</button></form></html>`);
  });
  router.post("/answer", (request, response) => {
    const { TBK_TOKEN, choice, number } = fieldsOf(request);
    const token = String(TBK_TOKEN);
    const inscription = inscriptions.get(token);
    if (inscription?.state !== "waiting") return void response.status(404).send("Token inválido");
    const digits = String(number).replaceAll(/\D/g, "");
    const card = TEST_CARDS.find((known) => known.number === digits) ?? null;
    const isInTime = now() - inscription.startedAt <= TOKEN_MS;
    if (choice === "cancel") inscription.state = "cancelled";
    else if (isInTime) inscription.state = choice === "accept" && card !== null ? "approved" : "refused";
    inscription.card = card;
    inscription.returnedAt = now();
    const cancelled = { TBK_ORDEN_COMPRA: "1", TBK_ID_SESION: "1" };
    sendBack(standIn, response, inscription, { TBK_TOKEN: token, ...(choice === "cancel" ? cancelled : {}) });
  });
  return router;
}

function sendBack(
  { returnBy }: StandIn,
  response: express.Response,
  { responseUrl }: Inscription,
  fields: Readonly<Record<string, string>>,
): void {
  if (returnBy === "GET") {
    const url = new URL(responseUrl);
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
    response.redirect(303, url.href);
    return;
  }
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
  response.type("html").send(
    `<!doctype html><html lang="es"><title>Webpay</title><form method="post" action="${responseUrl}">${inputs.join("")}
<button>Volver al comercio</button></form><script>document.forms[0].submit()</script></html>`,
  );
}

function fieldsOf(request: express.Request): Readonly<Record<string, unknown>> {
  const body: unknown = request.body;
  return { ...request.query, ...(typeof body === "object" && body !== null ? body : {}) };
}
