import { Agent, request } from "undici";
import * as z from "zod/mini";
import { createBackgroundPlaces, isBackground } from "../platform/callers.ts";
import { type Clock, stopwatch } from "../platform/clock.ts";
import { leaveTurn } from "../platform/http/turns.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/metrics.ts";
import { formatTraceparent } from "../platform/tracing/traceparent.ts";
import { currentSpan, inSpan, type Span } from "../platform/tracing/tracing.ts";
import { type CallLater, type Circuit, CircuitOpen, createCircuit } from "./connector/circuit.ts";
import {
  type CallOperation,
  callBodyOf,
  IDEMPOTENCY_HEADER,
  notFoundSchema,
  type ReadOperation,
  type rangeSchema,
} from "./connector/protocol.ts";
import { type GatewayCall, GatewayUnavailable, type NotFound, type Unknown } from "./gateway-call.ts";

export interface ConnectorConfig {
  /** The name under which attempts record it. */
  readonly name: string;
  /** Such as `https://connector.example/v1`; the operations' paths are appended. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer …`. */
  readonly token: string;
  /** The time limit, from the first byte sent to the last byte read. */
  readonly deadlineMs: number;
  /** A longer answer is treated like no answer. */
  readonly answerBytesMax: number;
  /** Whether calls stop for a while after repeated failures. */
  readonly hasCircuit: boolean;
}

const FAILURES_IN_A_ROW_MAX = 5;
const CIRCUIT_OPEN_MS = 30_000;
/** A list with more pages (half a million lines) is rejected. */
const PAGES_MAX = 1_000;

const CONNECTIONS_MAX = 64;
const BACKGROUND_CONNECTIONS_MAX = 48;

const NO_CIRCUIT: Circuit = { run: (call) => call() };

/** Thrown when a gateway answers with a status other than 200, or with a body that does not follow the protocol. */
class UnusableAnswer extends Error {
  override readonly name = "UnusableAnswer";
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super("The outside party's answer cannot be used.", options);
    this.code = code;
  }
}

/** Thrown when a gateway answers 429 or 503 and says when it wants the next call. */
class CalledTooSoon extends UnusableAnswer implements CallLater {
  readonly callAfterMs: number;

  constructor(code: string, callAfterMs: number) {
    super(code);
    this.callAfterMs = callAfterMs;
  }
}

/** A gateway over HTTP, in the connector protocol. */
export interface Connector {
  /**
   * Makes a call. Anything but a valid answer within the deadline gives `unknown`. So does a call that another
   * connector took, which is not sent.
   */
  call<Input, Outcome>(
    operation: CallOperation<Input, Outcome>,
    call: GatewayCall,
    input: unknown,
  ): Promise<Outcome | Unknown>;
  /** Inquires about the outcome of a call. */
  inquire<Input, Outcome>(
    operation: CallOperation<Input, Outcome>,
    call: GatewayCall,
  ): Promise<Outcome | Unknown | NotFound>;
  /** Performs a read operation; throws `GatewayUnavailable` on failure. */
  read<Input, Answer>(operation: ReadOperation<Input, Answer>, input: unknown): Promise<Answer>;
  /**
   * Reads all pages of a provider's list in [from, to), where `to` is excluded; throws `GatewayUnavailable` if any page
   * fails.
   */
  readList<Item>(
    operation: ReadOperation<z.output<typeof rangeSchema>, { items: Item[]; next: string | null }>,
    range: { readonly providerId: string; readonly from: Date; readonly to: Date },
  ): Promise<readonly Item[]>;
  /** Waits for running calls, then closes the connections. */
  close(): Promise<void>;
}

interface ConnectorDependencies {
  readonly party: string;
  readonly config: ConnectorConfig;
  /** Real time; decides when an open circuit allows a trial call. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "gatewayCalled" | "circuitChanged">;
}

export function createConnector({ config, ...dependencies }: ConnectorDependencies): Connector {
  const { party, logger, metrics } = dependencies;
  // An HTTP/2 session that died silently would hold every call of the party until its next ping.
  const agent = new Agent({ connections: CONNECTIONS_MAX, pipelining: 1, allowH2: false });
  const circuit = createBulkheads(dependencies, config);

  /**
   * The answer parsed by the schema, or null. The reason for null is logged, without any data that was sent or
   * received.
   */
  async function send<Answer>(
    path: string,
    body: unknown,
    schema: z.ZodMiniType<Answer>,
    call?: GatewayCall,
  ): Promise<Answer | null> {
    leaveTurn();
    const operation = path.split("/").slice(2).join(".");
    const about = call === undefined ? {} : { call: call.idempotencyKey, provider_id: call.providerId };
    const connector = otherConnector(config, call);
    if (connector !== null) {
      logger.warn("outside.other_connector", { party, operation, connector, ...about });
      return null;
    }
    const took = stopwatch();
    const span = currentSpan()?.begin({ name: `${party} ${operation}`, kind: "client" }) ?? null;
    const end = (verdict: string, hasFailed: boolean) => {
      metrics.gatewayCalled({ party, operation, verdict }, took());
      span?.end({ attributes: { party, operation, verdict }, hasFailed });
    };
    const headers = headersOf(call, span);
    try {
      const answer = await circuit.run(() => post(agent, config, { path, body, schema, headers }));
      end(outcomeIn(answer) ?? "answered", false);
      return answer;
    } catch (error) {
      end(error instanceof CircuitOpen ? "circuit_open" : "unanswered", true);
      inSpan(span, () => logger.warn("outside.call_failed", { party, operation, ...about, error }));
      return null;
    }
  }

  const read: Connector["read"] = async (operation, input) => {
    const answer = await send(operation.path, input, operation.answer);
    if (answer === null) throw new GatewayUnavailable("An outside party did not answer.");
    return answer;
  };

  return {
    read,
    call: async (operation, call, input) =>
      (await send(operation.path, callBodyOf(call, input), operation.outcome, call)) ?? { outcome: "unknown" },
    async inquire(operation, call) {
      const schema = z.union([notFoundSchema, operation.outcome]);
      const answer = await send(`${operation.path}/inquiry`, callBodyOf(call), schema, call);
      return answer ?? { outcome: "unknown" };
    },
    readList: (operation, { providerId, from, to }) => {
      const range = { provider_id: providerId, from: from.toISOString(), to: to.toISOString() };
      return readPages((after) => read(operation, { ...range, after }));
    },
    close: () => agent.close(),
  };
}

async function readPages<Item>(
  readPage: (after: string | null) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): Promise<readonly Item[]> {
  const first = await readPage(null);
  const items = [...first.items];
  let next = first.next;
  for (let page = 1; next !== null && page < PAGES_MAX; page += 1) {
    const following = await readPage(next);
    items.push(...following.items);
    next = following.next;
  }
  if (next !== null) throw new GatewayUnavailable("An outside party's list does not end.");
  return items;
}

/** The connector that took the call, if it is another one. This one would treat the call's key as new. */
function otherConnector({ name }: ConnectorConfig, { connector = null }: Partial<GatewayCall> = {}): string | null {
  return connector === name ? null : connector;
}

function headersOf(call: GatewayCall | undefined, span: Span | null): Readonly<Record<string, string>> {
  return {
    ...(call === undefined ? {} : { [IDEMPOTENCY_HEADER]: call.idempotencyKey }),
    ...(span === null ? {} : { traceparent: formatTraceparent(span) }),
  };
}

/**
 * Background work that fails or waits must not stop a patient's payment: it has a separate circuit, and leaves
 * connections to requests.
 */
function createBulkheads(dependencies: Omit<ConnectorDependencies, "config">, config: ConnectorConfig): Circuit {
  const ofRequests = config.hasCircuit ? circuitOf(dependencies, config, "requests") : NO_CIRCUIT;
  const ofBackground = config.hasCircuit ? circuitOf(dependencies, config, "background") : NO_CIRCUIT;
  const places = createBackgroundPlaces(BACKGROUND_CONNECTIONS_MAX);
  return {
    async run(call) {
      const release = await places.take();
      try {
        return await (isBackground() ? ofBackground : ofRequests).run(call);
      } finally {
        release();
      }
    },
  };
}

function circuitOf(
  { party, clock, logger, metrics }: Omit<ConnectorDependencies, "config">,
  { deadlineMs }: Pick<ConnectorConfig, "deadlineMs">,
  work: "requests" | "background",
): Circuit {
  return createCircuit({
    clock,
    deadlineMs,
    failuresMax: FAILURES_IN_A_ROW_MAX,
    openMs: CIRCUIT_OPEN_MS,
    onChange(state) {
      logger.warn("outside.circuit", { party, kind: work, state });
      metrics.circuitChanged(party, work, state);
    },
  });
}

/** The outcome in a valid answer, which is one of its schema's. */
function outcomeIn(answer: unknown): string | null {
  const outcome = typeof answer === "object" && answer !== null && "outcome" in answer ? answer.outcome : null;
  return typeof outcome === "string" ? outcome : null;
}

async function post<Answer>(
  agent: Agent,
  config: ConnectorConfig,
  {
    path,
    body,
    schema,
    headers,
  }: { path: string; body: unknown; schema: z.ZodMiniType<Answer>; headers: Readonly<Record<string, string>> },
): Promise<Answer> {
  const answer = await request(`${config.baseUrl.replace(/\/$/, "")}${path}`, {
    dispatcher: agent,
    method: "POST",
    headers: {
      authorization: `Bearer ${config.token}`,
      "content-type": "application/json",
      accept: "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(config.deadlineMs),
  });
  if (answer.statusCode !== 200) {
    await answer.body.dump({ limit: config.answerBytesMax }).catch(() => undefined);
    throw refusalOf(answer.statusCode, answer.headers["retry-after"]);
  }
  return readAnswer(await readBounded(answer.body, config.answerBytesMax), schema);
}

/** `Retry-After` in seconds; connectors send no dates. */
function refusalOf(status: number, retryAfter: string | string[] | undefined): UnusableAnswer {
  const isTimed = (status === 429 || status === 503) && typeof retryAfter === "string" && /^\d{1,6}$/.test(retryAfter);
  return isTimed
    ? new CalledTooSoon(`status_${status}`, Number(retryAfter) * 1_000)
    : new UnusableAnswer(`status_${status}`);
}

async function readBounded(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Throwing out of the loop destroys the stream and closes the connection.
    if (bytes > bytesMax) throw new UnusableAnswer("answer_too_long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readAnswer<Answer>(bytes: Buffer, schema: z.ZodMiniType<Answer>): Answer {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new UnusableAnswer("answer_is_no_json", { cause });
  }
  const read = schema.safeParse(json);
  if (!read.success) throw new UnusableAnswer("answer_has_another_shape");
  return read.data;
}
