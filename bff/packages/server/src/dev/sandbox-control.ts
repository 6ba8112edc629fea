import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { SubmittedExpense } from "../../../../src/partner-client/answers.ts";
import type { ExpenseFile } from "../../../../src/partner-client/call-arguments.ts";
import { call, type DevCall } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";
import { CommandRefused } from "./output.ts";
import { clientOf, TEST_RECEIPT } from "./play-scenario.ts";

/* What the commands and the tools for assistants do with an order's patient, insurer and outside parties. */

const TYPES: Readonly<Record<string, ExpenseFile["type"]>> = {
  ".pdf": "application/pdf",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".xml": "application/xml",
  ".heic": "image/heic",
  ".webp": "image/webp",
};

/** Submits an order's receipt: files, or without any a receipt for tests. */
export async function submitReceipt(
  keys: SandboxKeys,
  hash: string,
  paths: readonly string[],
): Promise<SubmittedExpense> {
  const client = clientOf(keys);
  const files = paths.length === 0 ? [TEST_RECEIPT] : await Promise.all(paths.map(readExpenseFile));
  const { customer } = await client.getOrder(hash);
  return client.submitExpense({ rut: customer.rut, orderHash: hash, files });
}

async function readExpenseFile(path: string): Promise<ExpenseFile> {
  const type = TYPES[extname(path).toLowerCase()];
  if (type === undefined) throw new CommandRefused(`${path} must end with one of ${Object.keys(TYPES).join(", ")}.`);
  const bytes = await readFile(path).catch(() => null);
  if (bytes === null) throw new CommandRefused(`${path} cannot be read.`);
  return { name: basename(path), type, bytes: new Uint8Array(bytes) };
}

export const CLAIM_OUTCOMES = ["approve", "reject", "block", "unblock"] as const;

interface DecidedClaim {
  readonly claim: { readonly status: string };
}

/** Decides an order's claim as its isapre. */
export function decideClaim(keys: SandboxKeys, hash: string, outcome: string): Promise<DecidedClaim> {
  const path = `/sandbox/claims/${encodeURIComponent(hash)}`;
  return callSandbox<DecidedClaim>(keys, "PUT", path, ["claim"], { outcome, callback: true });
}

export const FAULT_KINDS = ["slow", "fail_before", "fail_after", "twice"] as const;

interface Fault {
  readonly party: string;
  readonly method: string;
  readonly kind: string;
  readonly calls: number;
}
interface Faults {
  readonly faults: readonly Fault[];
}

/** Makes the next calls to an outside party fail, after the faults that have not happened yet, or instead of them. */
export async function planFault(keys: SandboxKeys, fault: Fault, replaces: boolean): Promise<Faults> {
  const { faults: before } = replaces
    ? { faults: [] }
    : await callSandbox<Faults>(keys, "GET", "/sandbox/faults", ["faults"]);
  return callSandbox<Faults>(keys, "PUT", "/sandbox/faults", ["faults"], { faults: [...before, fault] });
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
