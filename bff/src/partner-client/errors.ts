import type { ErrorBody, ErrorCode } from "../contract/errors.ts";

/**
 * Thrown when the service answered with an error. Match on `code`; the words of `message` may change. After a 5xx the
 * call may have taken effect: repeat it with `idempotencyKey`.
 *
 * @example
 * try {
 *   await aapd.refundOrder(hash, { amount, refund_reference });
 * } catch (error) {
 *   if (!(error instanceof AapdError) || error.code !== "refund_amount_exceeds") throw error;
 *   console.warn(`Less than ${amount} pesos can still be refunded (request ${error.requestId}).`);
 * }
 */
export class AapdError extends Error {
  override name = "AapdError";
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly requestId: string | null;
  /** The whole answer, with `errors`, `order_hash` and the like if the code has them. */
  readonly body: Partial<ErrorBody>;
  /** The call's key, also one that the client made; null if the call takes none. */
  readonly idempotencyKey: string | null;

  constructor(
    status: number,
    code: ErrorCode | null,
    requestId: string | null,
    body: Partial<ErrorBody>,
    words: string,
    idempotencyKey: string | null = null,
  ) {
    super(words);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.body = body;
    this.idempotencyKey = idempotencyKey;
  }
}

/**
 * Thrown when no answer came. Every try lost the network or timed out, an earlier try was still running, or a later one
 * was refused (401, 403, 429; the `AapdError` is the `cause`). The request may have taken effect. Repeat it with
 * `idempotencyKey`, or read the order, before you start over.
 */
export class AapdUnreachable extends Error {
  override name = "AapdUnreachable";
  /** The call's key, also one that the client made; null if the call takes none. */
  readonly idempotencyKey: string | null;

  constructor(message?: string, options?: ErrorOptions & { readonly idempotencyKey?: string | null }) {
    super(message, options);
    this.idempotencyKey = options?.idempotencyKey ?? null;
  }
}
