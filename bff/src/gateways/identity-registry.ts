import type { DocumentType } from "../contract/orders.ts";
import type { DocumentSerial } from "../contract/vocabulary/document-serial.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";

export interface IdentityOutcome {
  readonly outcome: "match" | "no_match" | "document_not_valid" | "unavailable";
  /** For a match: whether the holder is a minor. Omitted by a registry that does not report it. */
  readonly isUnderAge?: boolean | undefined;
}

/** The national registry, in the service's own terms. It is only read, so a request can be repeated safely. */
export interface IdentityRegistry {
  check(input: {
    readonly providerId: string;
    readonly rut: Rut;
    readonly serial: DocumentSerial;
    readonly documentType: DocumentType;
  }): Promise<IdentityOutcome>;
}
