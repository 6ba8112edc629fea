import type { DocumentSerial } from "../../src/contract/vocabulary/document-serial.ts";
import type { IdentityOutcome, IdentityRegistry } from "../../src/gateways/identity-registry/port.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { takeFault } from "../calls/gateway-call-store.ts";

/** A registry whose behaviour depends on the serial, as the catalogue says. It stores neither serials nor RUTs. */
export function createSandboxIdentityRegistry({
  db,
  serialBehaviour,
}: {
  readonly db: Database;
  /** The behaviour of a serial; null: it matches. */
  readonly serialBehaviour: (serial: DocumentSerial) => IdentityOutcome["outcome"] | null;
}): IdentityRegistry {
  return {
    async check({ providerId, serial }) {
      const fault = await takeFault(db, { providerId, party: "identity-registry", method: "check" });
      if (fault !== null && fault !== "twice") return { outcome: "unavailable" };
      return { outcome: serialBehaviour(serial) ?? "match" };
    },
  };
}
