import { type ErrorAdditions, type ErrorCode, errorCodes } from "../../contract/errors.ts";

interface ApiErrorOptions extends ErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly detail?: string;
}

/**
 * Thrown to answer a request with one of the contract's errors. The code decides the status and the public message;
 * `additions` are added to the body and `headers` to the answer's headers, so neither may contain anything private. The
 * cause is logged and never sent.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly additions: ErrorAdditions;
  readonly headers: Readonly<Record<string, string>>;
  /** Replaces the code's text in `detail`. It may only contain data that the caller has sent. */
  readonly detail: string | undefined;

  constructor(
    code: ErrorCode,
    additions: ErrorAdditions = {},
    { headers = {}, detail, ...options }: ApiErrorOptions = {},
  ) {
    super(errorCodes[code].en, options);
    this.code = code;
    this.additions = additions;
    this.headers = headers;
    this.detail = detail;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}
