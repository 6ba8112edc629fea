import type { MailRefusal, MessageRefusal, Messenger } from "../../src/gateways/messenger.ts";
import { inTransaction, type Transaction } from "../../src/platform/database/transaction.ts";
import type { FaultKind } from "../calls/faults.ts";
import { takeFault } from "../calls/gateway-call-store.ts";
import { type SandboxDependencies, UNKNOWN } from "../calls/sandbox-call.ts";
import { insertEmail, insertMessage } from "./messenger-store.ts";

export interface SandboxMessengerDependencies extends SandboxDependencies {
  /** The provider's current time. */
  readonly providerNow: (providerId: string) => Promise<Date>;
  /** The behaviour of mail to an address; null if it arrives. */
  readonly addressBehaviour: (email: string) => MailRefusal | "refused" | "unknown" | null;
  /** The behaviour of messages to a number; null if they arrive. */
  readonly numberBehaviour: (number: string) => MessageRefusal | "unknown" | null;
}

/** A mail server and a message gateway that store everything in two tables, which `GET /sandbox/notices` shows. */
export function createSandboxMessenger(dependencies: SandboxMessengerDependencies): Messenger {
  const { db, ids, providerNow, addressBehaviour, numberBehaviour } = dependencies;
  return {
    async sendEmail({ messageId, providerId, email }) {
      const fault = await takeFault(db, { providerId, party: "messenger", method: "sendEmail" });
      const behaviour = addressBehaviour(email.to);
      if (fault === "fail_before" || behaviour === "unknown") return UNKNOWN;
      if (behaviour === "refused") return { outcome: "refused" };
      if (behaviour === "no_smtputf8") return { outcome: "refused", reason: behaviour };
      const sentAt = await providerNow(providerId);
      return arrive(dependencies, fault, (tx) =>
        insertEmail(tx, providerId, { ...email, id: ids.uuid(), messageId, sentAt }),
      );
    },
    async sendMessage({ messageId, providerId, message }) {
      const fault = await takeFault(db, { providerId, party: "messenger", method: "sendMessage" });
      const behaviour = numberBehaviour(message.to);
      if (fault === "fail_before" || behaviour === "unknown") return UNKNOWN;
      if (behaviour !== null) return { outcome: "refused", reason: behaviour };
      const sentAt = await providerNow(providerId);
      return arrive(dependencies, fault, (tx) =>
        insertMessage(tx, providerId, { ...message, id: ids.uuid(), messageId, sentAt }),
      );
    },
  };
}

/** Delivers before it answers. With some faults the answer is then lost. */
async function arrive(
  { db, kill }: SandboxDependencies,
  fault: FaultKind | null,
  insert: (tx: Transaction) => Promise<void>,
): Promise<{ readonly outcome: "sent" } | typeof UNKNOWN> {
  await inTransaction(db, insert);
  if (fault === "kill_after") kill();
  return fault === null || fault === "twice" ? { outcome: "sent" } : UNKNOWN;
}
