import { AsyncLocalStorage } from "node:async_hooks";
import { randomFillSync } from "node:crypto";
import { formatTraceparent, type Traceparent } from "./traceparent.ts";

/*
 * The span of the running code, so that log lines, gateway calls, timers, events and webhooks can name it. It is the
 * only implicit argument. It influences no decision, and every function between a request and its last statement would
 * otherwise have to pass it (`docs/decisions/0012-metrics-and-traces.md`).
 */

/** The kind of a span, in OpenTelemetry's terms. */
export type SpanKind = "server" | "client" | "consumer" | "internal";

/** Our own words and numbers about a span, never a person's input. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The fields for the log lines of a span, named as in `LogFields`. */
export interface SpanSubject {
  readonly order_id?: string;
  readonly provider_id?: string;
  readonly timer?: string;
}

/** A span that has ended. */
export interface EndedSpan extends Traceparent {
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  readonly hasFailed: boolean;
}

/** A unit of work: a request, a timer, a gateway call, an attempt to deliver a webhook. */
export interface Span extends Traceparent {
  readonly subject: SpanSubject;
  /** Starts a child span. */
  begin(of: { readonly name: string; readonly kind: SpanKind; readonly attributes?: SpanAttributes }): Span;
  /** Records a child that has just ended, if spans are exported. */
  record(of: { readonly name: string; readonly kind: SpanKind; readonly hasFailed: boolean }, seconds: number): void;
  /** Sets the span's subject for all log lines from now on. */
  about(subject: SpanSubject): void;
  /** Re-parents this span and its children to the trace of its subject. */
  join(trace: Traceparent): void;
  end(of?: EndOfSpan): void;
}

/** The properties of a span that are known only at its end. */
export interface EndOfSpan {
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  readonly hasFailed?: boolean;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** The span that caused it, in this process or another; null if it begins a trace. */
  readonly parent: Traceparent | null;
  readonly subject?: SpanSubject;
}

export interface Tracer {
  start(of: SpanStart): Span;
}

export interface TracerOptions {
  /** Receives each span that has ended; null if spans are not exported, and only ids are generated. */
  readonly spanEnded?: ((span: EndedSpan) => void) | null;
  /** Returns this many random hexadecimal digits. */
  readonly randomHex?: (digits: number) => string;
  readonly now?: () => number;
}

export function createTracer({
  spanEnded = null,
  randomHex = systemRandomHex,
  now = systemNow,
}: TracerOptions = {}): Tracer {
  const means = { spanEnded, randomHex, now };
  return {
    start: (of) => new LiveSpan(means, of, { id: of.parent?.traceId ?? randomHex(TRACE_DIGITS) }, NO_ATTRIBUTES),
  };
}

const NO_ATTRIBUTES: SpanAttributes = {};
const NO_SUBJECT: SpanSubject = {};

/** A class, because a request has several spans, and an object of closures costs several times as much. */
class LiveSpan implements Span {
  readonly spanId: string;
  readonly #means: Required<TracerOptions>;
  readonly #start: SpanStart;
  readonly #trace: { id: string };
  readonly #attributes: SpanAttributes;
  readonly #startedAt: number;
  #parentSpanId: string | null;
  #subject: SpanSubject;

  constructor(means: Required<TracerOptions>, start: SpanStart, trace: { id: string }, attributes: SpanAttributes) {
    this.spanId = means.randomHex(SPAN_DIGITS);
    this.#means = means;
    this.#start = start;
    this.#trace = trace;
    this.#attributes = attributes;
    this.#startedAt = means.spanEnded === null ? 0 : means.now();
    this.#parentSpanId = start.parent?.spanId ?? null;
    this.#subject = start.subject ?? NO_SUBJECT;
  }

  get traceId(): string {
    return this.#trace.id;
  }

  get subject(): SpanSubject {
    return this.#subject;
  }

  begin({ attributes = NO_ATTRIBUTES, ...part }: Parameters<Span["begin"]>[0]): Span {
    return new LiveSpan(this.#means, { ...part, parent: this, subject: this.#subject }, this.#trace, attributes);
  }

  record({ name, kind, hasFailed }: Parameters<Span["record"]>[0], seconds: number): void {
    const { spanEnded, now, randomHex } = this.#means;
    if (spanEnded === null) return;
    const endedAt = now();
    const part = { name, kind, hasFailed, startedAt: endedAt - seconds * 1_000, endedAt, attributes: NO_ATTRIBUTES };
    spanEnded(endedIn(this.#trace, { ...part, spanId: randomHex(SPAN_DIGITS), parentSpanId: this.spanId }));
  }

  about(more: SpanSubject): void {
    this.#subject = { ...this.#subject, ...more };
  }

  join({ traceId, spanId }: Traceparent): void {
    this.#trace.id = traceId;
    this.#parentSpanId = spanId;
  }

  end({ name = this.#start.name, attributes = NO_ATTRIBUTES, hasFailed = false }: EndOfSpan = {}): void {
    const { spanEnded, now } = this.#means;
    if (spanEnded === null) return;
    const span = { name, kind: this.#start.kind, hasFailed, attributes: { ...this.#attributes, ...attributes } };
    const { spanId } = this;
    const times = { startedAt: this.#startedAt, endedAt: now() };
    spanEnded(endedIn(this.#trace, { ...span, ...times, spanId, parentSpanId: this.#parentSpanId }));
  }
}

/** A request's first statement ends before its trace is known, so the trace is read when the span is sent. */
function endedIn(trace: { readonly id: string }, span: Omit<EndedSpan, "traceId">): EndedSpan {
  return {
    ...span,
    get traceId() {
      return trace.id;
    },
  };
}

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

const systemNow = () => performance.timeOrigin + performance.now();

/** Random bytes are drawn for many ids at once, because drawing costs much more than formatting. */
const drawn = Buffer.alloc(4_096);
let used = drawn.length;

function systemRandomHex(digits: number): string {
  const bytes = digits / 2;
  if (used + bytes > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += bytes;
  return drawn.toString("hex", used - bytes, used);
}

const current = new AsyncLocalStorage<Span | null>();

/** The span of the running code; null if there is none, as during startup. */
export function currentSpan(): Span | null {
  return current.getStore() ?? null;
}

/** Runs a function, and everything that it starts, as part of a span. */
export function inSpan<Result>(span: Span | null, run: () => Result): Result {
  return current.run(span, run);
}

/** The header that identifies the running span, for the calls that it makes; null without a span. */
export function currentTraceparent(): string | null {
  const span = currentSpan();
  return span === null ? null : formatTraceparent(span);
}

/**
 * The trace that a new timer keeps: the running span's. A timer about its whole provider, such as the daily
 * reconciliation, starts a trace each time it runs: one order schedules it, and then it repeats for ever.
 */
export function traceparentForTimer({
  key,
  providerId,
}: {
  readonly key: string;
  readonly providerId: string;
}): string | null {
  return key === providerId ? null : currentTraceparent();
}
