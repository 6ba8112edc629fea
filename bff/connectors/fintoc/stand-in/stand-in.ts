import { createPublicKey, verify } from "node:crypto";
import express from "express";
import * as z from "zod";
import { DAY_MS, MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Ids } from "../../../src/platform/ids.ts";
import { createFaults, type Faults } from "../../kit/stand-in/faults.ts";
import { TEST_ACCOUNTS } from "./test-accounts.ts";

/*
 * Plays Fintoc's Transfers API on this machine: creates, reads and lists transfers, and verifies each signature. Where
 * the documentation is silent, it takes the worse side.
 */

const TRANSFER_MAX = 7_000_000;
const KEY_MS = DAY_MS;
/** How far the time in a signature may differ from Fintoc's. */
const SIGNED_MS = 5 * MINUTE_MS;
const PAGE_ITEMS_MAX = 100;

export interface StandInConfig {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secretKey: string;
  readonly accountId: string;
  /** The public key of the connector, in PEM. */
  readonly publicKey: string;
  /** How long a transfer is pending. */
  readonly pendingMs: number;
}

interface Made {
  readonly id: string;
  readonly at: number;
  readonly body: z.output<typeof transferSchema>;
  /** Its end; `null`: it ends by its account number once its time is over. */
  end: { readonly status: string; readonly reason: string | null } | null;
}

export interface StandIn {
  readonly app: express.Express;
  readonly faults: Faults;
  /** Every request that arrived with a valid signature, in order. */
  readonly requests: { readonly method: string; readonly path: string; readonly body: unknown }[];
  /** The transfers, oldest first. */
  transfers(): readonly { readonly id: string; readonly amount: number; readonly comment: string; status: string }[];
  /** Ends a transfer, or changes its end: a bank may return what it accepted. */
  end(id: string, status: "succeeded" | "failed" | "rejected" | "returned", reason?: string): void;
}

/** Thrown for what Fintoc refuses. */
class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(status: number, code: string, param: string | null = null) {
    super("Fintoc refuses the request.");
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

const refuse = (status: number, code: string, param?: string): never => {
  throw new ApiRefusal(status, code, param);
};

const transferSchema = z.strictObject({
  account_id: z.string(),
  amount: z.int().positive(),
  currency: z.literal("CLP"),
  comment: z.string().max(40),
  metadata: z.record(z.string(), z.string()).optional(),
  counterparty: z.strictObject({
    holder_id: z.string().regex(/^\d{7,8}[\dk]$/),
    holder_name: z.string().min(1),
    account_number: z.string().regex(/^\d+$/),
    account_type: z.enum(["checking_account", "sight_account", "savings_account"]),
    institution_id: z.string().regex(/^cl_[a-z_]+$/),
  }),
});

const headerSchema = z.object({
  alg: z.literal("RS256"),
  nonce: z.string().min(16),
  ts: z.int(),
  crit: z.array(z.enum(["ts", "nonce"])).length(2),
});

interface World extends StandInConfig {
  readonly made: Made[];
  readonly byKey: Map<
    string,
    { readonly at: number; readonly text: string; readonly status: number; readonly body: unknown }
  >;
  readonly nonces: Set<string>;
  now(): number;
}

export function createStandIn(config: StandInConfig): StandIn {
  const world: World = {
    ...config,
    made: [],
    byKey: new Map(),
    nonces: new Set(),
    now: () => config.clock.now().getTime(),
  };
  const app = express();
  app.disable("x-powered-by");
  const faults = createFaults();
  const requests: StandIn["requests"] = [];
  app.use((request, response, next) => {
    if (request.get("authorization") === config.secretKey) return next();
    response.status(401).json(errorBody("authentication_error", "invalid_api_key"));
  });
  app.use(express.text({ type: () => true }));
  app.use((request, response, next) => {
    if (request.method === "POST" && !isSigned(world, request))
      return void response.status(400).json(errorBody("invalid_request_error", "invalid_jws_signature"));
    requests.push({ method: request.method, path: request.originalUrl, body: parseBody(request) });
    next();
  });
  const route = (name: string, act: (request: express.Request) => { status: number; body: unknown }) =>
    faults.wrap(name, (request) => answerOf(() => act(request)));
  app.post(
    "/v2/transfers",
    route("create", (request) => keyed(world, request)),
  );
  app.get(
    "/v2/transfers/:id",
    route("read", ({ params }) => ({ status: 200, body: read(world, String(params.id)) })),
  );
  app.get(
    "/v2/transfers",
    route("list", ({ query }) => ({ status: 200, body: list(world, query) })),
  );
  return {
    app,
    faults,
    requests,
    transfers: () =>
      world.made.map((made) => ({
        id: made.id,
        amount: made.body.amount,
        comment: made.body.comment,
        status: endOf(world, made).status,
      })),
    end(id, status, reason) {
      const made = world.made.find((each) => each.id === id);
      if (made === undefined) throw new Error(`There is no transfer ${id}.`);
      made.end = { status, reason: reason ?? null };
    },
  };
}

function answerOf(act: () => { status: number; body: unknown }): { status: number; body: unknown } {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    return { status: error.status, body: errorBody("invalid_request_error", error.code, error.param) };
  }
}

function errorBody(type: string, code: string, param: string | null = null): unknown {
  return { error: { type, code, param, message: "Refused by the stand-in.", doc_url: "https://docs.fintoc.com" } };
}

function textOf(request: express.Request): string {
  const body: unknown = request.body;
  return typeof body === "string" ? body : "";
}

function parseBody(request: express.Request): unknown {
  return request.method === "POST" ? JSON.parse(textOf(request)) : undefined;
}

/** Whether the JWS is of this body, recent, used once, and made with the connector's key. */
function isSigned({ publicKey, nonces, now }: World, request: express.Request): boolean {
  const [header = "", signature = ""] = (request.get("fintoc-jws-signature") ?? "").split(".");
  const signed = Buffer.from(`${header}.${Buffer.from(textOf(request)).toString("base64url")}`);
  if (!verify("sha256", signed, createPublicKey(publicKey), Buffer.from(signature, "base64url"))) return false;
  const { nonce, ts } = headerSchema.parse(JSON.parse(Buffer.from(header, "base64url").toString("utf8")));
  if (nonces.has(nonce) || Math.abs(now() - ts * 1_000) > SIGNED_MS) return false;
  nonces.add(nonce);
  return true;
}

/** A repeat under a key gets the first answer, for a day. */
function keyed(world: World, request: express.Request): { status: number; body: unknown } {
  const { byKey, now } = world;
  const [key, text] = [request.get("idempotency-key") ?? refuse(400, "missing_idempotency_key"), textOf(request)];
  const known = byKey.get(key);
  if (known !== undefined && now() - known.at < KEY_MS)
    return known.text === text ? known : refuse(400, "idempotency_key_reused");
  const answer = answerOf(() => ({ status: 201, body: create(world, text) }));
  byKey.set(key, { at: now(), text, ...answer });
  return answer;
}

function create(world: World, text: string): unknown {
  const { accountId, ids, made, now } = world;
  const parsed = transferSchema.safeParse(JSON.parse(text));
  if (!parsed.success) return refuse(400, "invalid_parameter", parsed.error.issues[0]?.path.join("."));
  const body = parsed.data;
  if (body.account_id !== accountId) return refuse(404, "missing_resource", "account_id");
  if (body.amount > TRANSFER_MAX) return refuse(400, "amount_too_large", "amount");
  const isSame = (other: Made) =>
    other.body.amount === body.amount &&
    other.body.comment === body.comment &&
    other.body.counterparty.account_number === body.counterparty.account_number &&
    now() - other.at < DAY_MS;
  if (made.some(isSame)) return refuse(400, "duplicated_transfer");
  const transfer: Made = { id: `tr_${ids.uuid().replaceAll("-", "")}`, at: now(), body, end: null };
  made.push(transfer);
  return shown(world, transfer);
}

function endOf({ now, pendingMs }: World, { at, body, end }: Made): { status: string; reason: string | null } {
  if (end !== null) return end;
  const account = TEST_ACCOUNTS[body.counterparty.account_number] ?? {};
  const age = now() - at;
  if (age < (account.pendingMs ?? pendingMs)) return { status: "pending", reason: null };
  if (account.fails !== undefined) return { status: "failed", reason: account.fails };
  if (account.returns !== undefined && age >= account.returns.afterMs)
    return { status: "returned", reason: account.returns.reason };
  return { status: "succeeded", reason: null };
}

function shown(world: World, made: Made): unknown {
  const { status, reason } = endOf(world, made);
  const { account_id: _account, ...body } = made.body;
  return {
    ...body,
    id: made.id,
    object: "transfer",
    mode: "test",
    direction: "outbound",
    status,
    error_reason: reason,
    transaction_date: new Date(made.at).toISOString(),
  };
}

function read(world: World, id: string): unknown {
  const found = world.made.find((each) => each.id === id) ?? refuse(404, "missing_resource", "id");
  return shown(world, found);
}

function list(world: World, query: express.Request["query"]): unknown {
  const since = new Date(String(query.since)).getTime();
  const newestFirst = world.made.filter(({ at }) => at >= since).toReversed();
  const start = newestFirst.findIndex(({ id }) => id === query.starting_after) + 1;
  const limit = Math.min(Number(query.limit ?? 10), PAGE_ITEMS_MAX);
  return newestFirst.slice(start, start + limit).map((made) => shown(world, made));
}
