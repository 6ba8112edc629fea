import type { ErrorBody, ErrorCode } from "../contract/errors.ts";

/** Thrown when the service answered, and the answer was an error. Match on `code`; the words of `message` may change. */
export class AapdError extends Error {
  override name = "AapdError";
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly requestId: string | null;
  /** The whole answer: `errors`, `order_hash` and the like, where the code has them. */
  readonly body: Partial<ErrorBody>;

  constructor(
    status: number,
    code: ErrorCode | null,
    requestId: string | null,
    body: Partial<ErrorBody>,
    words: string,
  ) {
    super(words);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.body = body;
  }
}

/**
 * Thrown when no answer came: after every try the network failed or the time-out passed, or an earlier try was still being
 * worked on, or a later one was turned away (401, 403, 429; the `AapdError` is the `cause`). It may have taken effect: ask
 * again under the same `idempotencyKey`, or read the order, before doing it anew.
 */
export class AapdUnreachable extends Error {
  override name = "AapdUnreachable";
}
