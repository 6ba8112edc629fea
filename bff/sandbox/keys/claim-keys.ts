import type { Command } from "commander";
import { answer, command } from "../../src/back-office/cli/arguments.ts";
import type { Shown } from "../../src/back-office/cli/print.ts";
import { CommandRefused, type Operator, type Terminal } from "../../src/back-office/operator.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import { keepCredentials } from "../../src/tenants/credentials.ts";
import { auditProvider } from "../../src/tenants/providers.ts";
import { markClaimed } from "./sandbox-keys-store.ts";

/** `aapd claim-keys` */
export function claimKeysCommand(terminal: Terminal): Command {
  return command("claim-keys", "let the keys of a sandbox tenant live on that were given without an account")
    .argument("<provider>", "the tenant's id, as its keys name it")
    .action((providerId: string, options: { json?: boolean }) =>
      answer(terminal, options, (operator) => claim(operator, providerId)),
    );
}

async function claim(operator: Operator, providerId: string): Promise<Shown> {
  const at = operator.clock.now();
  const wouldHaveEnded = await inTransaction(operator.db, async (tx) => {
    const endsAt = await markClaimed(tx, providerId, at);
    if (endsAt === null) return null;
    await keepCredentials(tx, { providerId, endsAt });
    await auditProvider(tx, operator, { act: "provider.sandbox_keys_claimed", providerId });
    return endsAt;
  });
  if (wouldHaveEnded === null) throw new CommandRefused("There are no such unclaimed keys, or they have expired.");
  return {
    json: { provider_id: providerId, would_have_ended_at: wouldHaveEnded.toISOString() },
    lines: [`The keys of ${providerId} live on; they would have ended at ${wouldHaveEnded.toISOString()}.`],
  };
}
