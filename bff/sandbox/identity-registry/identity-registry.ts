import type { DocumentSerial } from "../../src/contract/vocabulary/document-serial.ts";
import type { IdentityRegistry } from "../../src/gateways/identity-registry.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { takeFault } from "../calls/gateway-call-store.ts";

/** The behaviours of a serial other than matching. */
export type SerialBehaviour = "no_match" | "document_not_valid" | "under_age" | "unavailable";

/** A registry whose behaviour depends on the serial, as the catalogue specifies. It stores neither serials nor RUTs. */
export function createSandboxIdentityRegistry({
  db,
  serialBehaviour,
}: {
  readonly db: Database;
  /** The behaviour of a serial; null if it matches. */
  readonly serialBehaviour: (serial: DocumentSerial) => SerialBehaviour | null;
}): IdentityRegistry {
  return {
    async check({ providerId, serial }) {
      const fault = await takeFault(db, { providerId, party: "identity-registry", method: "check" });
      if (fault !== null && fault !== "twice") return { outcome: "unavailable" };
      const behaviour = serialBehaviour(serial);
      return behaviour === "under_age" ? { outcome: "match", isUnderAge: true } : { outcome: behaviour ?? "match" };
    },
  };
}
