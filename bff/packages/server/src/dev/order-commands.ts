import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { Argument, type Command } from "commander";
import type { ExpenseFile } from "../../../../src/partner-client/call-arguments.ts";
import { call, type DevCall } from "./call.ts";
import { command, type Json, readCount, requireKeys, type Surroundings } from "./command-parts.ts";
import type { SandboxKeys } from "./keys.ts";
import { CommandRefused, say } from "./output.ts";
import { clientOf, TEST_RECEIPT } from "./play-scenario.ts";

/* Commands about one order of the sandbox, and about what its patient receives. */

const HASH = "the order's hash, as createOrder and trigger return it";
const TYPES: Readonly<Record<string, ExpenseFile["type"]>> = {
  ".pdf": "application/pdf",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".xml": "application/xml",
  ".heic": "image/heic",
  ".webp": "image/webp",
};

export function receiptCommand({ folder, ...output }: Surroundings): Command {
  return command("receipt", "submit the receipt of an order", "receipt HASH boleta.pdf orden-medica.jpg")
    .argument("<hash>", HASH)
    .argument("[files...]", "the receipt, then other documents; default: a receipt for tests")
    .action(async (hash: string, paths: readonly string[], options: Json) => {
      const client = clientOf(await requireKeys(folder));
      const files = paths.length === 0 ? [TEST_RECEIPT] : await Promise.all(paths.map(readExpenseFile));
      const { customer } = await client.getOrder(hash);
      const sent = await client.submitExpense({ rut: customer.rut, orderHash: hash, files });
      const missing =
        sent.missing_document_types.length === 0 ? "" : `, missing: ${sent.missing_document_types.join(", ")}`;
      say(output, { json: sent, lines: [`${sent.submission_status}${missing}`] }, options.json === true);
    });
}

async function readExpenseFile(path: string): Promise<ExpenseFile> {
  const type = TYPES[extname(path).toLowerCase()];
  if (type === undefined) throw new CommandRefused(`${path} must end with one of ${Object.keys(TYPES).join(", ")}.`);
  const bytes = await readFile(path).catch(() => null);
  if (bytes === null) throw new CommandRefused(`${path} cannot be read.`);
  return { name: basename(path), type, bytes: new Uint8Array(bytes) };
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
    .addArgument(new Argument("<outcome>", "the isapre's decision").choices(["approve", "reject", "block", "unblock"]))
    .action(async (hash: string, outcome: string, options: Json) => {
      const keys = await requireKeys(folder);
      const path = `/sandbox/claims/${encodeURIComponent(hash)}`;
      const body = { outcome, callback: true };
      const { claim } = await callSandbox<{ readonly claim: { readonly status: string } }>(
        keys,
        "PUT",
        path,
        ["claim"],
        body,
      );
      say(output, { json: claim, lines: [`The claim is ${claim.status}.`] }, options.json === true);
    });
}

interface Notices {
  readonly notices: readonly {
    readonly to: string;
    readonly subject: string;
    readonly text: string;
    readonly sent_at: string;
  }[];
  readonly messages: readonly { readonly to: string; readonly text: string; readonly sent_at: string }[];
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
      const query = new URLSearchParams({
        limit: `${options.limit}`,
        ...(options.to === undefined ? {} : { to: options.to }),
      });
      const keys = await requireKeys(folder);
      const sent = await callSandbox<Notices>(keys, "GET", `/sandbox/notices?${query.toString()}`, [
        "notices",
        "messages",
      ]);
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
    .addArgument(new Argument("<kind>", "what happens to it").choices(["slow", "fail_before", "fail_after", "twice"]))
    .option("--calls <count>", "how many calls", readCount, 1)
    .option("--replace", "drop the faults that have not happened yet")
    .action(async (party: string, method: string, kind: string, options: Json & FaultOptions) => {
      const keys = await requireKeys(folder);
      const { faults: before } =
        options.replace === true
          ? { faults: [] }
          : await callSandbox<Faults>(keys, "GET", "/sandbox/faults", ["faults"]);
      const faults = [...before, { party, method, kind, calls: options.calls }];
      const pending = await callSandbox<Faults>(keys, "PUT", "/sandbox/faults", ["faults"], { faults });
      const lines = pending.faults.map((one) => `The next ${one.calls} of ${one.party}.${one.method}: ${one.kind}.`);
      say(output, { json: pending, lines }, options.json === true);
    });
}

interface FaultOptions {
  calls: number;
  replace?: boolean;
}
interface Faults {
  readonly faults: readonly {
    readonly party: string;
    readonly method: string;
    readonly kind: string;
    readonly calls: number;
  }[];
}

function callSandbox<Answer extends object>(
  { addresses, credentials }: SandboxKeys,
  method: DevCall<Answer>["method"],
  path: string,
  answerHas: DevCall<Answer>["answerHas"],
  body?: object,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${credentials.client_secret}` };
  const url = new URL(path, addresses.order_api);
  return call<Answer>({ method, url, headers, answerHas, ...(body === undefined ? {} : { body }) });
}
