import { Argument, type Command } from "commander";
import { command, type Json, readCount, requireKeys, type Surroundings } from "./command-parts.ts";
import { CommandRefused, say } from "./output.ts";
import { clientOf } from "./play-scenario.ts";
import { readMail } from "./read-mail.ts";
import { CLAIM_OUTCOMES, decideClaim, FAULT_KINDS, planFault, submitReceipt } from "./sandbox-control.ts";

/* Commands about one order of the sandbox, and about what its patient receives. */

const HASH = "the order's hash, as createOrder and trigger return it";
export function receiptCommand({ folder, ...output }: Surroundings): Command {
  return command("receipt", "submit the receipt of an order", "receipt HASH boleta.pdf orden-medica.jpg")
    .argument("<hash>", HASH)
    .argument("[files...]", "the receipt, then other documents; default: a receipt for tests")
    .action(async (hash: string, paths: readonly string[], options: Json) => {
      const sent = await submitReceipt(await requireKeys(folder), hash, paths);
      const missing =
        sent.missing_document_types.length === 0 ? "" : `, missing: ${sent.missing_document_types.join(", ")}`;
      say(output, { json: sent, lines: [`${sent.submission_status}${missing}`] }, options.json === true);
    });
}

export function refundCommand({ folder, ...output }: Surroundings): Command {
  return command("refund", "refund an order, or a part of it", "refund HASH --amount 10000")
    .argument("<hash>", HASH)
    .option("--amount <pesos>", "default: everything", readCount)
    .action(async (hash: string, { amount, json }: Json & { amount?: number }) => {
      const refunded = await clientOf(await requireKeys(folder)).refundOrder(
        hash,
        amount === undefined ? {} : { amount },
      );
      const { refund, status } = refunded;
      say(
        output,
        { json: refunded, lines: [`${refund.amount} pesos: ${refund.status}. Order: ${status}.`] },
        json === true,
      );
      if (refund.status === "failed") throw new CommandRefused("The refund failed.");
    });
}

export function claimCommand({ folder, ...output }: Surroundings): Command {
  return command("claim", "decide an order's claim as its isapre", "claim HASH reject")
    .argument("<hash>", HASH)
    .addArgument(new Argument("<outcome>", "the isapre's decision").choices(CLAIM_OUTCOMES))
    .action(async (hash: string, outcome: string, options: Json) => {
      const { claim } = await decideClaim(await requireKeys(folder), hash, outcome);
      say(output, { json: claim, lines: [`The claim is ${claim.status}.`] }, options.json === true);
    });
}

export function mailCommand({ folder, ...output }: Surroundings): Command {
  return command(
    "mail",
    "the latest e-mails and phone messages to your patients",
    "mail --to camila@example.com --text",
  )
    .option("--to <address>", "only those to this e-mail address or telephone number")
    .option("--limit <count>", "how many at most", readCount, 20)
    .option("--text", "print their text too")
    .action(async (options: Json & { to?: string; limit: number; text?: boolean }) => {
      const sent = await readMail(await requireKeys(folder), options);
      const all = [...sent.notices, ...sent.messages.map((one) => ({ ...one, subject: "phone message" }))];
      const lines = all.flatMap(({ to, subject, text, sent_at }) => [
        `${sent_at} ${to}: ${subject}`,
        ...(options.text === true ? [text, ""] : []),
      ]);
      say(output, { json: sent, lines: lines.length === 0 ? ["No messages yet."] : lines }, options.json === true);
    });
}

export function faultCommand({ folder, ...output }: Surroundings): Command {
  return command("fault", "make the next calls to an outside party fail", "fault card-processor charge fail_after")
    .argument("<party>", "such as card-processor or insurer")
    .argument("<method>", "the party's call, such as charge; GET /sandbox/catalogue lists them")
    .addArgument(new Argument("<kind>", "what happens to it").choices(FAULT_KINDS))
    .option("--calls <count>", "how many calls", readCount, 1)
    .option("--replace", "drop the faults that have not happened yet")
    .action(async (party: string, method: string, kind: string, options: Json & FaultOptions) => {
      const { calls, replace } = options;
      const pending = await planFault(await requireKeys(folder), { party, method, kind, calls }, replace === true);
      const lines = pending.faults.map((one) => `The next ${one.calls} of ${one.party}.${one.method}: ${one.kind}.`);
      say(output, { json: pending, lines }, options.json === true);
    });
}

interface FaultOptions {
  calls: number;
  replace?: boolean;
}
