import { type ErrorAdditions, type ErrorCode, errorCodes } from "../../contract/errors.ts";

/**
 * Thrown to answer a request with one of the contract's errors. The code decides the status and the public message;
 * `additions` are added to the body and `headers` to the answer's headers, so neither may hold anything private. The
 * cause is logged and never sent.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly additions: ErrorAdditions;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    additions: ErrorAdditions = {},
    { headers = {}, ...options }: ErrorOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(errorCodes[code].en, options);
    this.code = code;
    this.additions = additions;
    this.headers = headers;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}
