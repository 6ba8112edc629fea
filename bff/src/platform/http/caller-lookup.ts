import type { StatementPart } from "../database/transaction.ts";
import type { Principal } from "../provider.ts";
import type { AdmissionRow } from "./admission-store.ts";
import type { ApiError } from "./api-error.ts";

/** How a statement finds out who makes a request. */
export interface CallerLookup {
  /** What is presented opens nothing to somebody who only reads a page's source. */
  readonly isSecret: boolean;
  /** See `Admission`. */
  readonly statement: StatementPart;
  readonly read: (row: Pick<AdmissionRow, "provider" | "credential_id">) => Principal;
  /** The endpoint's own 401: the credential opens nothing, or what is needed beside it is missing. */
  readonly refusal: (what: "unknown" | "incomplete") => ApiError;
}
