import type { StatementPart } from "../database/transaction.ts";
import type { Principal } from "../provider.ts";
import type { AdmissionRow } from "./admission-store.ts";
import type { ApiError } from "./api-error.ts";

/** How a statement identifies the caller of a request. */
export interface CallerLookup {
  /** False for credentials that are public, such as those in a page's source. */
  readonly isSecret: boolean;
  /** The presented credentials, of secret ones a keyed hash; see `KnownCallers`. */
  readonly key: string;
  /** Whether each presented credential exists and has not ended. */
  readonly isLive: () => Promise<boolean>;
  /** See `Admission`. */
  readonly statement: StatementPart;
  readonly read: (row: Pick<AdmissionRow, "provider" | "credential_id">) => Principal;
  /** The endpoint's 401: the credential is unknown, or a second one that the endpoint needs is missing. */
  readonly refusal: (what: "unknown" | "incomplete") => ApiError;
}
