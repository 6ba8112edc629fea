import { ConfigInvalid } from "../platform/config-invalid.ts";
import { command } from "./cli/arguments.ts";
import { answerText } from "./cli/print.ts";
/* `aapd`, the operators' command line. */

import { Command, CommanderError } from "commander";
import * as z from "zod";
import { LegalTextRefused } from "../orders/legal-texts.ts";
import {
  DatabaseUnavailable,
  MigrationRefused,
  NoEmbeddedDatabase,
  PoolerRefused,
} from "../platform/database/errors.ts";
import { FolderInUse } from "../platform/database/folder-lock.ts";
import { ResolutionRefused } from "../platform/exceptions.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { KeyringFileInvalid } from "../platform/keyring-file.ts";
import { DatabaseRefused } from "../platform/own-database.ts";
import { OverlapRefused } from "../tenants/credentials.ts";
import { CommissionAboveMaximumRate } from "../tenants/maximum-rate.ts";
import { OriginNotSecure } from "../tenants/provider-terms.ts";
import { ApprovalRefused } from "./approvals/approvals.ts";
import { approvalCommands } from "./cli/approval-commands.ts";
import { exceptionCommands } from "./cli/exception-commands.ts";
import { keyCommands } from "./cli/key-commands.ts";
import { ledgerCommands } from "./cli/ledger-commands.ts";
import { legalCommands } from "./cli/legal-commands.ts";
import { lenderCommands } from "./cli/lender-commands.ts";
import { auditCommands, operatorCommands } from "./cli/operator-commands.ts";
import { orderCommands } from "./cli/order-commands.ts";
import { pageCommands } from "./cli/page-commands.ts";
import { patientCommands } from "./cli/patient-commands.ts";
import { payoutCommands } from "./cli/payout-commands.ts";
import { providerCommands } from "./cli/provider-commands.ts";
import { restoreCommands } from "./cli/restore-commands.ts";
import { settlementCommands } from "./cli/settlement-commands.ts";
import { switchCommand } from "./cli/switch-commands.ts";
import { textCommands } from "./cli/text-commands.ts";
import { AuditBroken } from "./keys/reseal.ts";
import { CommandRefused, type Terminal } from "./operator.ts";
import { OperatorRefused } from "./operators/operator.ts";

const OPERATOR_ERRORS = [
  ApprovalRefused,
  AuditBroken,
  CommandRefused,
  CommissionAboveMaximumRate,
  ConfigInvalid,
  FolderInUse,
  MigrationRefused,
  PoolerRefused,
  DatabaseRefused,
  DatabaseUnavailable,
  KeyringFileInvalid,
  LegalTextRefused,
  NoEmbeddedDatabase,
  OperatorRefused,
  OriginNotSecure,
  OverlapRefused,
  ResolutionRefused,
  ApiError,
] as const;

/** Creates a command that another program adds to these. */
export type CommandMaker = (terminal: Terminal) => Command;

function createProgram(terminal: Terminal, more: readonly CommandMaker[]): Command {
  const program = new Command("aapd")
    .description("Operate the deferred-payment service.")
    .showHelpAfterError()
    .addCommand(providerCommands(terminal))
    .addCommand(exceptionCommands(terminal))
    .addCommand(orderCommands(terminal))
    .addCommand(payoutCommands(terminal))
    .addCommand(settlementCommands(terminal))
    .addCommand(lenderCommands(terminal))
    .addCommand(ledgerCommands(terminal))
    .addCommand(legalCommands(terminal))
    .addCommand(textCommands(terminal))
    .addCommand(patientCommands(terminal))
    .addCommand(switchCommand(terminal))
    .addCommand(operatorCommands(terminal))
    .addCommand(approvalCommands(terminal))
    .addCommand(auditCommands(terminal))
    .addCommand(keyCommands(terminal))
    .addCommand(restoreCommands(terminal))
    .addCommand(pageCommands(terminal))
    .addCommand(migrateCommand(terminal));
  for (const make of more) program.addCommand(make(terminal));
  return program;
}

function migrateCommand(terminal: Terminal): Command {
  return command("migrate", "bring the database to this version's newest migration").action(
    async ({ json }: { json?: boolean }) => {
      await terminal.migrate();
      const lines = ["The database has every migration of this version."];
      terminal.write(answerText({ json: { migrated: true }, lines }, json === true));
    },
  );
}

/** The error in words for the operator. */
function explain(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  if (OPERATOR_ERRORS.some((kind) => error instanceof kind) && error instanceof Error) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Runs one command line and returns the exit code. Answers are written to the terminal's output, everything else to its
 * error output.
 */
export async function runCommandOf(
  terminal: Terminal,
  args: readonly string[],
  more: readonly CommandMaker[],
): Promise<number> {
  const program = createProgram(terminal, more);
  for (const each of withSubcommands(program)) {
    each.exitOverride().configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError });
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // The parser has already reported the error.
    if (error instanceof CommanderError) return error.exitCode;
    terminal.writeError(`${explain(error)}\n`);
    return 1;
  }
}

function withSubcommands(parent: Command): Command[] {
  return [parent, ...parent.commands.flatMap(withSubcommands)];
}
