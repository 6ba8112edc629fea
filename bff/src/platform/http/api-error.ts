import { type ErrorAdditions, type ErrorCode, errorCodes } from "../../contract/errors.ts";

/**
 * Thrown when a request is answered with an error of the closed list. The code decides the status
 * and the public words; `additions` go beside them into the body, and `headers` beside the answer's own, so that they must
 * hold nothing private. The cause, if there is one, is logged and never answered.
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
