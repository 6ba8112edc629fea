import { inTransaction } from "../../platform/database/transaction.ts";
import { type SandboxDependencies, UNKNOWN } from "../sandbox-party/party-call.ts";
import { takeFault } from "../sandbox-party/party-call-store.ts";
import type { Messenger } from "./port.ts";
import { insertEmail } from "./sandbox-store.ts";

export interface SandboxMessengerDependencies extends SandboxDependencies {
  /** Now, in the provider's own time. */
  readonly providerNow: (providerId: string) => Promise<Date>;
  /** What becomes of mail to an address; null: it arrives. */
  readonly addressBehaviour: (email: string) => "refused" | "unknown" | null;
}

/** A mail server whose mailboxes are one table, which `GET /sandbox/notices` shows. */
export function createSandboxMessenger(dependencies: SandboxMessengerDependencies): Messenger {
  const { db, ids, kill, providerNow, addressBehaviour } = dependencies;
  return {
    async sendEmail({ messageId, providerId, email }) {
      const fault = await takeFault(db, { providerId, party: "messenger", method: "sendEmail" });
      const behaviour = addressBehaviour(email.to);
      if (fault === "fail_before" || behaviour === "unknown") return UNKNOWN;
      if (behaviour === "refused") return { outcome: "refused" };
      const sentAt = await providerNow(providerId);
      await inTransaction(db, (tx) => insertEmail(tx, providerId, { ...email, id: ids.uuid(), messageId, sentAt }));
      if (fault === "kill_after") kill();
      return fault === null || fault === "twice" ? { outcome: "sent" } : UNKNOWN;
    },
  };
}
