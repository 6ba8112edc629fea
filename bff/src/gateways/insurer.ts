import type { ClaimFileType } from "../contract/expenses.ts";
import type { Insurer } from "../contract/onboarding.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { SealingKey } from "../contract/widget-tokens.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";

export interface ClaimDocument {
  readonly name: string;
  readonly type: ClaimFileType;
  read(): Promise<Uint8Array>;
}

export type FilingOutcome =
  | { readonly outcome: "filed"; readonly claimId: string }
  /** It is taken, and a person or a queue files it later: the inquiry reports the end. */
  | { readonly outcome: "queued" }
  | { readonly outcome: "access_missing" }
  | { readonly outcome: "access_blocked" }
  /** The portal is down for all patients: the patient's access is not blocked, so try again. */
  | { readonly outcome: "portal_down" }
  | { readonly outcome: "held"; readonly missing: readonly string[] }
  | Unknown;

export type ClaimOutcome =
  | { readonly outcome: "waiting" }
  | { readonly outcome: "approved"; readonly reimbursed: Clp; readonly at: Date }
  /** `code` is the insurer's own, if it has one: the clinic reads it, and only the patient reads `reason`. */
  | { readonly outcome: "rejected"; readonly reason: string; readonly code?: string | undefined }
  | { readonly outcome: "access_blocked" }
  | { readonly outcome: "portal_down" }
  | Unknown;

/** An isapre's portal through the insurer connector, in the service's own terms. */
export interface InsurerConnector {
  /** Whether it files with the patient's portal password. If not, no patient is asked for one. */
  readonly takesAccess: boolean;
  /** The public key with which a browser seals the patient's portal password. */
  sealingKey(): Promise<SealingKey>;
  fileClaim(
    call: GatewayCall,
    input: {
      readonly insurer: Insurer;
      readonly rut: Rut;
      readonly orderHash: OrderId | null;
      readonly total: Clp | null;
      readonly sealedAccess: string | null;
      readonly documents: readonly ClaimDocument[];
    },
  ): Promise<FilingOutcome>;
  inquireFiling(call: GatewayCall): Promise<FilingOutcome | NotFound>;
  inquireClaim(call: GatewayCall, input: { readonly claimId: string }): Promise<ClaimOutcome>;
}
