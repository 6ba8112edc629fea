import { Command, InvalidArgumentError } from "commander";
import { type ChainHead, chainAudit, verifyAudit } from "../../platform/audit-chain.ts";
import { silentLogger } from "../../platform/logger.ts";
import { CommandRefused, type Terminal } from "../operator.ts";
import { answer, command } from "./answer.ts";

export function auditCommands(terminal: Terminal): Command {
  return new Command("audit").description("the trail of who changed what").addCommand(
    command("verify", "whether a row of the audit trail was changed or is missing; exit code 1 if so")
      .option(
        "--since <number:hash>",
        "an end of the chain that was logged or shown before, which must still be in it",
        readHead,
      )
      .action((options: { json?: boolean; since?: ChainHead }) =>
        answer(terminal, options, async (operator) => {
          await chainAudit({ ...operator, logger: silentLogger });
          const { head, brokenAt } = await verifyAudit(operator, options.since ?? null);
          if (brokenAt !== null)
            throw new CommandRefused(
              `The audit trail is broken at row ${brokenAt}: it was changed, or a row is missing there.`,
            );
          const end = head === null ? null : `${head.number}:${head.hash}`;
          const lines = end === null ? ["There are no rows."] : [`${head?.number} rows, whole. The end is ${end}`];
          return { json: { rows: head?.number ?? 0, head: end }, lines };
        }),
      ),
  );
}

function readHead(text: string): ChainHead {
  const [, number, hash] = /^(\d{1,15}):(.{20,200})$/.exec(text) ?? [];
  if (number === undefined || hash === undefined)
    throw new InvalidArgumentError("It must be the end of the chain as it was shown, such as 17:2026-11.Xk3…");
  return { number: Number(number), hash };
}
