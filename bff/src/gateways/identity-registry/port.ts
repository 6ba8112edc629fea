import type { DocumentType } from "../../contract/orders.ts";
import type { DocumentSerial } from "../../contract/vocabulary/document-serial.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";

export type IdentityOutcome = { readonly outcome: "match" | "no_match" | "document_not_valid" | "unavailable" };

/** The national registry, in our words. It is only asked, so that a repeat does no harm. */
export interface IdentityRegistry {
  check(input: {
    readonly providerId: string;
    readonly rut: Rut;
    readonly serial: DocumentSerial;
    readonly documentType: DocumentType;
  }): Promise<IdentityOutcome>;
}
