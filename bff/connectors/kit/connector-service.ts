import { createHash, timingSafeEqual } from "node:crypto";
import express from "express";
import {
  type CallOperation,
  callBodySchema,
  IDEMPOTENCY_HEADER,
  PAGE_ITEMS_MAX,
  type ReadOperation,
} from "../../src/gateways/connector/protocol.ts";
import { type GatewayCall, GatewayUnavailable, type NotFound, type Unknown } from "../../src/gateways/gateway-call.ts";
import type { Logger } from "../../src/platform/logger.ts";

/** Large enough for the documents of a claim, which are sent within the JSON as base64. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** Serves operations of the connector protocol with the functions of a gateway. */
export interface ConnectorService {
  readonly router: express.Router;
  call<Input, Outcome extends { readonly outcome: string }>(
    operation: CallOperation<Input, Outcome>,
    port: {
      readonly perform: (call: GatewayCall, input: Input) => Promise<Outcome | Unknown>;
      /** Omitted if the operation stores nothing to inquire about. */
      readonly inquire?: (call: GatewayCall) => Promise<Outcome | Unknown | NotFound>;
    },
  ): void;
  read<Input, Answer>(operation: ReadOperation<Input, Answer>, answer: (input: Input) => Promise<Answer>): void;
}

/** A service whose callers authenticate with one bearer token. */
function createConnectorService({ token }: { readonly token: string }): ConnectorService {
  const router = express.Router();
  router.use((request, response, next) => {
    if (isBearer(request.get("authorization"), token)) next();
    else response.status(401).json({ code: "invalid_credential" });
  });
  router.use(express.json({ limit: BODY_BYTES_MAX }));
  return {
    router,
    call(operation, { perform, inquire }) {
      router.post(operation.path, async (request, response) => {
        const call = readCall(request);
        const input = operation.input.safeParse(call?.input);
        if (call === null || !input.success) return refuse(response);
        answerWith(response, await perform(call, input.data));
      });
      if (inquire === undefined) return;
      router.post(`${operation.path}/inquiry`, async (request, response) => {
        const call = readCall(request);
        if (call === null) return refuse(response);
        answerWith(response, await inquire(call));
      });
    },
    read(operation, answer) {
      router.post(operation.path, async (request, response) => {
        const input = operation.input.safeParse(request.body);
        if (!input.success) return refuse(response);
        try {
          response.json(await answer(input.data));
        } catch (error) {
          if (!(error instanceof GatewayUnavailable)) throw error;
          response.status(503).json({ code: "unavailable" });
        }
      });
    },
  };
}

/** Serves the protocol of one or more parties under `/connector/v1`. */
export function createConnectorApp({
  token,
  logger,
  serve,
}: {
  /** The token with which the service authenticates. */
  readonly token: string;
  readonly logger: Logger;
  readonly serve: (service: ConnectorService) => void;
}): express.Express {
  const service = createConnectorService({ token });
  serve(service);
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(service.router);
  app.use((_request, response) => void response.status(404).json({ code: "not_found" }));
  app.use(failWith(logger));
  return app;
}

/** One page of a list that a gateway returns as a whole: the items after the one with the id `after`. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  after: string | null,
): { items: Item[]; next: string | null } {
  const start = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  const page = items.slice(start, start + PAGE_ITEMS_MAX);
  return { items: page, next: start + page.length < items.length ? (page.at(-1)?.id ?? null) : null };
}

function readCall(request: express.Request): (GatewayCall & { readonly input: unknown }) | null {
  const body = callBodySchema.safeParse(request.body);
  const idempotencyKey = request.get(IDEMPOTENCY_HEADER);
  if (!body.success || idempotencyKey === undefined || !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) return null;
  return { providerId: body.data.provider_id, at: body.data.at, idempotencyKey, input: body.data.input };
}

function refuse(response: express.Response): void {
  response.status(422).json({ code: "validation_error" });
}

/** After a fault without an answer, the connection is closed, as if the network had failed. */
function answerWith(response: express.Response, outcome: { readonly outcome: string }): void {
  if (outcome.outcome === "unknown") response.destroy();
  else response.json(outcome);
}

/** The last error handler of an app that serves gateways; the response does not reveal the error. */
export function failWith(logger: Logger): express.ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const status = error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : 500;
    if (status >= 500) logger.error("connector.failed", { error });
    if (status < 500) response.status(status).json({ code: "unreadable_body" });
    else response.status(500).json({ code: "internal_error" });
  };
}

function isBearer(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(header ?? ""), digest(`Bearer ${token}`));
}
