/* The header `traceparent` of W3C Trace Context: the trace of a request and the span that sent it. */

export interface Traceparent {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const LENGTH_MAX = 256;
const NOTHING = /^0+$/;

/**
 * Null for anything that is not a valid `traceparent`. A later version of the header may continue after the flags. Its
 * beginning is parsed like today's.
 */
export function parseTraceparent(value: unknown): Traceparent | null {
  if (typeof value !== "string" || value.length > LENGTH_MAX) return null;
  const [, version, traceId = "", spanId = "", more] = shape.exec(value) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return null;
  return NOTHING.test(traceId) || NOTHING.test(spanId) ? null : { traceId, spanId };
}

/** The header's value. Its flag says that the trace may be recorded, which each participant decides for itself. */
export function formatTraceparent({ traceId, spanId }: Traceparent): string {
  return `00-${traceId}-${spanId}-01`;
}
