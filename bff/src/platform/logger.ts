import pino from "pino";
import { holdsCardNumber } from "../contract/vocabulary/card-number.ts";
import type { Program } from "./program.ts";
import { currentSpan } from "./tracing/tracing.ts";

/**
 * The fields that a log line may have. Any other field, and any value that does not have its field's shape, is dropped.
 * No field could contain a patient's name, RUT, card or e-mail address.
 */
const shapes = {
  identifier: /^[\w.:-]{1,128}$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  word: /^[A-Za-z][\w.:-]{0,63}$/,
  method: /^[A-Z]{3,10}$/,
  routePattern: /^[\w/:{}.*?()-]{1,200}$/,
  /** The address of a connector, or a word for the sandbox's. */
  connector: /^(?:https?:\/\/)?[\w.:[\]/-]{1,200}$/,
  address: /^(?:https?:\/\/)?[\w.:[\]-]{1,120}$/,
  /** Names of a body's fields, separated by commas. */
  fieldNames: /^[A-Za-z][\w.]{0,63}(?:,[A-Za-z][\w.]{0,63}){0,19}$/,
  moment: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
} as const;

type Shape = (typeof shapes)[keyof typeof shapes] | "number" | "boolean" | "error";

const fieldShapes = {
  // requests
  request_id: shapes.identifier,
  method: shapes.method,
  route: shapes.routePattern,
  status: "number",
  duration_ms: "number",
  face: shapes.word,
  // subjects
  provider_id: shapes.uuid,
  order_id: shapes.uuid,
  event_id: shapes.uuid,
  /** A timer's key: the id of its subject, and a part that distinguishes it from others of its kind. */
  timer: shapes.identifier,
  /** The idempotency key of a gateway's call. */
  call: shapes.identifier,
  endpoint_id: shapes.uuid,
  delivery_id: shapes.uuid,
  attempt_id: shapes.uuid,
  expense_id: shapes.uuid,
  claim_id: shapes.uuid,
  payout_id: shapes.uuid,
  payee_id: shapes.uuid,
  /** The operator who uses the console, by name. */
  operator: shapes.word,
  kind: shapes.word,
  code: shapes.word,
  invalid_fields: shapes.fieldNames,
  reason: shapes.word,
  /** Why a refund did not reach its card, as reported by the processor. */
  refused_because: shapes.word,
  party: shapes.word,
  connector: shapes.connector,
  connector_before: shapes.connector,
  operation: shapes.word,
  outcome: shapes.word,
  state: shapes.word,
  constraint: shapes.word,
  // counts and moments
  attempt: "number",
  attempts: "number",
  count: "number",
  failed: "number",
  bytes: "number",
  depth: "number",
  retry_in_ms: "number",
  due_at: shapes.moment,
  // the process
  environment: shapes.word,
  database: shapes.word,
  migration: shapes.identifier,
  chain_number: "number",
  chain_hash: shapes.identifier,
  address: shapes.address,
  port: "number",
  variable: shapes.word,
  signal: shapes.word,
  process_id: "number",
  version: shapes.identifier,
  commit: shapes.identifier,
  forced: "boolean",
  error: "error",
} as const satisfies Record<string, Shape>;

/** A name that a log line may use. */
export type LogField = keyof typeof fieldShapes;

export type LogFields = { readonly [name in LogField]?: unknown };

/**
 * A structured log. The first argument is the event's name (`timer.failed`: lower-case words and dots, no values);
 * everything else goes into the allowed fields. An `error` is reduced to names, codes and stack frames, because its
 * message may contain a person's input.
 */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** The same log, with fields that every line contains. */
  child(fields: LogFields): Logger;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export interface LoggerOptions {
  level: LogLevel;
  /**
   * The build that writes the log, named in every line together with the process; null for a command, whose lines one
   * person reads.
   */
  program?: Program | null;
  /** Where lines are written; defaults to standard output. */
  destination?: { write(line: string): void };
}

/** A log with one JSON object per line. */
export function createLogger({ level, program = null, destination }: LoggerOptions): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: program === null ? null : allowedFields({ process_id: process.pid, ...program }),
    messageKey: "event",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: spanFields,
  };
  if (destination !== undefined) return over(pino(options, destination), () => undefined);
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: true, minLength: GATHERED_BYTES });
  const flush = () => output.flush();
  setInterval(flush, GATHERED_MS).unref();
  process.on("exit", flush);
  return over(pino(options, output), flush);
}

/** The current span's trace and subject, for each log line. Fields that a line sets itself take precedence. */
function spanFields(): Record<string, unknown> {
  const span = currentSpan();
  if (span === null) return {};
  // Ids of a trace are hexadecimal digits, and some of them would look like a card number.
  return { trace_id: span.traceId, span_id: span.spanId, ...allowedFields(span.subject) };
}

const STANDARD_OUTPUT = 1;
/** Lines are buffered, because one write per line would double its cost. Warnings and errors are written at once. */
const GATHERED_BYTES = 4_096;
const GATHERED_MS = 100;

/** A log that discards everything. */
export const silentLogger: Logger = createLogger({ level: "silent", destination: { write: () => undefined } });

function over(lines: pino.Logger, flush: () => void): Logger {
  const urgent = (level: "warn" | "error", event: string, fields: LogFields | undefined) => {
    if (!lines.isLevelEnabled(level)) return;
    lines[level](allowedFields(fields), eventName(event));
    flush();
  };
  return {
    debug: (event, fields) => lines.isLevelEnabled("debug") && lines.debug(allowedFields(fields), eventName(event)),
    info: (event, fields) => lines.isLevelEnabled("info") && lines.info(allowedFields(fields), eventName(event)),
    warn: (event, fields) => urgent("warn", event, fields),
    error: (event, fields) => urgent("error", event, fields),
    child: (fields) => over(lines.child(allowedFields(fields)), flush),
  };
}

const eventNameShape = /^[a-z]+(?:[._][a-z]+)*$/;

function eventName(event: string): string {
  return event.length <= 80 && eventNameShape.test(event) ? event : "unnamed";
}

/** Reduces an object to the fields that a log line may contain. Exported for the test that plants secrets in it. */
export function allowedFields(fields: LogFields = {}): Record<string, unknown> {
  const allowed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const shape: Shape | undefined = Object.hasOwn(fieldShapes, name) ? fieldShapes[name as LogField] : undefined;
    if (shape === undefined || value === undefined) continue;
    allowed[name] = allowedValue(shape, value);
  }
  return allowed;
}

function allowedValue(shape: Shape, value: unknown): unknown {
  if (value === null) return null;
  if (shape === "error") return describeError(value);
  if (shape === "number" || shape === "boolean") return typeof value === shape ? value : hidden;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? hidden : value.toISOString();
  return typeof value === "string" && shape.test(value) && !holdsCardNumber(value) ? value : hidden;
}

const hidden = "[hidden]";
const causesMax = 4;
const framesMax = 12;

/** The loggable parts of an error: names, codes and places in the code, but never its message. */
export interface DescribedError {
  name: string;
  code?: string;
  constraint?: string;
  stack: string[];
  cause?: DescribedError;
}

/** Reduces an error and its causes to their loggable parts. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const described: DescribedError = { name: wordOf(error.name) ?? "Error", stack: stackFrames(error) };
  const code = "code" in error ? wordOf(error.code) : undefined;
  if (code !== undefined) described.code = code;
  const constraint = "constraint" in error ? wordOf(error.constraint) : undefined;
  if (constraint !== undefined) described.constraint = constraint;
  if (error.cause !== undefined && depth < causesMax) described.cause = describeError(error.cause, depth + 1);
  return described;
}

function wordOf(value: unknown): string | undefined {
  // SQLSTATE codes may begin with a digit, such as 23505.
  return typeof value === "string" && (shapes.word.test(value) || /^[0-9A-Z]{5}$/.test(value)) ? value : undefined;
}

const frameShape =
  /^ {4}at (?:(?:async |new )?[\w.<>$#[\] ]{1,120} \()?(?:async )?(?:file:\/\/|node:|\/)[^\s()]{1,300}:\d+:\d+\)?$/;

/** The stack without the error's message, whose lines could look like frames. */
function stackFrames(error: Error): string[] {
  const stack = error.stack ?? "";
  const opening = stack.startsWith(String(error))
    ? String(error).length
    : stack.indexOf(error.message) + error.message.length;
  return stack
    .slice(opening)
    .split("\n")
    .filter((line) => frameShape.test(line))
    .slice(0, framesMax)
    .map((line) => line.trim());
}
