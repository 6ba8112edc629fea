import { request } from "undici";
import type { Logger } from "../logger.ts";
import type { Program } from "../program.ts";
import type { EndedSpan, SpanAttributes, SpanKind } from "./tracing.ts";

/*
 * Sends spans to an OpenTelemetry collector, in the JSON of OTLP over HTTP. Nothing waits for it: spans that the
 * collector does not accept are dropped.
 */

export interface SpanSenderOptions {
  /** Such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly serviceName: string;
  readonly program: Program;
  readonly logger: Logger;
}

export interface SpanSender {
  readonly spanEnded: (span: EndedSpan) => void;
  /** Sends the waiting spans, and stops sending. */
  close(): Promise<void>;
}

const EVERY_MS = 2_000;
const SENT_TOGETHER_MAX = 512;
/** The maximum number of waiting spans, so that memory does not grow while the collector is unavailable. */
const WAITING_MAX = 4_096;
const ANSWER_WITHIN_MS = 5_000;

export function createSpanSender({ url, serviceName, program, logger }: SpanSenderOptions): SpanSender {
  const resource = { attributes: attributesOf(resourceOf(serviceName, program)) };
  let waiting: EndedSpan[] = [];
  let dropped = 0;
  let sending: Promise<void> | null = null;

  const post = async (spans: readonly EndedSpan[]) => {
    const body = { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "aapd" }, spans: spans.map(toOtlp) }] }] };
    const answer = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new SpansRefused(answer.statusCode);
  };
  const sendAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, SENT_TOGETHER_MAX);
      waiting = waiting.slice(SENT_TOGETHER_MAX);
      await post(batch).catch((error: unknown) => {
        logger.warn("traces.not_sent", { count: batch.length + dropped, error });
        dropped = 0;
      });
    }
  };
  const send = (): Promise<void> => {
    sending ??= sendAll().finally(() => {
      sending = null;
    });
    return sending;
  };
  const interval = setInterval(() => void send(), EVERY_MS).unref();
  return {
    spanEnded(span) {
      if (waiting.length >= WAITING_MAX) {
        dropped += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length === SENT_TOGETHER_MAX) void send();
    },
    async close() {
      clearInterval(interval);
      await sending;
      await send();
    },
  };
}

/** Thrown when the collector does not accept spans. */
class SpansRefused extends Error {
  override readonly name = "SpansRefused";
  readonly code: string;

  constructor(status: number) {
    super("The collector refused spans.");
    this.code = `status_${status}`;
  }
}

function resourceOf(serviceName: string, { version, commit }: Program): SpanAttributes {
  return {
    "service.name": serviceName,
    "service.version": version,
    "vcs.ref.head.revision": commit,
    "process.pid": process.pid,
  };
}

/** The numbers of OTLP. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, consumer: 5 };
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;

function toOtlp(span: EndedSpan): object {
  const { traceId, spanId, parentSpanId, name, kind, startedAt, endedAt, attributes, hasFailed } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(attributes),
    status: { code: hasFailed ? STATUS_ERROR : STATUS_UNSET },
  };
}

/** Text, because a JavaScript number cannot represent it exactly. */
function nanoseconds(milliseconds: number): string {
  return (BigInt(Math.round(milliseconds * 1_000)) * 1_000n).toString();
}

function attributesOf(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: typedValue(value) }));
}

function typedValue(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
