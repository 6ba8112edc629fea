import { parse } from "csv-parse/sync";
import * as z from "zod";
import { ACCOUNT_REFUSALS, PASSING_REFUSALS } from "../../src/contract/vocabulary/banks.ts";
import { csvLine } from "../../src/platform/csv-line.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import type { BankFile } from "./bank.ts";
import { decideTransfer, findTransfer, insertFile, listFile, type Transfer } from "./transfer-store.ts";

/** Thrown for a file that cannot be stored. None of its lines is stored. */
export class FileRefused extends Error {
  override readonly name = "FileRefused";
}

const LINES_MAX = 10_000;
const HEADER = ["id", "rut", "name", "bank_code", "account_type", "account_number", "amount", "comment"];

export interface WrittenFile {
  readonly number: number;
  readonly transfers: number;
  /** The sum of its amounts, in pesos. */
  readonly total: number;
  readonly text: string;
}

/** Puts the open transfers that are not in a file into a new file. Null if there are none. */
export async function writeNewFile({ db, clock }: BankFile, by: string): Promise<WrittenFile | null> {
  const number = await inTransaction(db, (tx) => insertFile(tx, { by, at: clock.now() }));
  return number === null ? null : readFile({ db }, number);
}

/** A file as it was written, without the transfers reported since. Null: there is no such file. */
export async function readFile({ db }: Pick<BankFile, "db">, number: number): Promise<WrittenFile | null> {
  const all = await listFile(db, number);
  if (all.length === 0) return null;
  const open = all.filter(({ state }) => state === "open");
  const text = [HEADER.join(","), ...open.map(lineOf), ""].join("\r\n");
  const total = open.reduce((sum, { amount }) => sum + amount, 0);
  return { number, transfers: open.length, total, text };
}

function lineOf({ id, account, bankCode, amount, reference }: Transfer): string {
  if (account === null) throw new Error("An open transfer has an account.");
  const { holder_rut: rut, holder_name: name, account_type: type, account_number: accountNumber } = account;
  return csvLine([id, rut, name, bankCode, type, accountNumber, amount, reference]);
}

const decision = z.object({
  id: z.string().regex(/^T[A-Z2-7]{24}$/, "is not the id of a transfer"),
  outcome: z.enum(["paid", "refused", "returned"]),
  reason: z.enum([...ACCOUNT_REFUSALS, ...PASSING_REFUSALS, ""]).default(""),
});
type Decision = z.output<typeof decision>;

/** Stores what the bank did with the transfers of files: all lines or none. Returns how many lines were new. */
export async function reportFile(
  { db, clock }: BankFile,
  text: string,
  by: string,
): Promise<{ readonly stored: number; readonly known: number }> {
  const lines = readLines(text);
  return inTransaction(db, async (tx) => {
    let stored = 0;
    for (const [index, line] of lines.entries()) {
      const refuse = (why: string) => new FileRefused(`Line ${index + 2}: ${why}.`);
      const transfer = await findTransfer(tx, line.id);
      if (transfer === undefined) throw refuse(`${line.id} is not a transfer of this connector`);
      if (isKnown(transfer, line)) continue;
      const why = contradiction(transfer, line);
      if (why !== null) throw refuse(why);
      const reason = line.reason === "" ? null : line.reason;
      const decided = { state: line.outcome, reason, by, at: clock.now() };
      if (!(await decideTransfer(tx, transfer, decided)))
        throw refuse("another operator reported the transfer just now");
      stored += 1;
    }
    return { stored, known: lines.length - stored };
  });
}

function isKnown({ state }: Transfer, { outcome }: Decision): boolean {
  return state === outcome || (state === "returned" && outcome === "paid");
}

/** Why a line cannot be true; null if it can. */
function contradiction({ state, file }: Transfer, { outcome, reason }: Decision): string | null {
  if ((outcome === "paid") !== (reason === "")) return "paid takes no reason, and the other outcomes need one";
  if (outcome === "returned") return state === "paid" ? null : "only a paid transfer can come back";
  if (state !== "open") return `the transfer is already ${state}`;
  return outcome === "paid" && file === null ? "the transfer is not in a file yet" : null;
}

function readLines(text: string): readonly Decision[] {
  let rows: unknown[];
  try {
    rows = parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true, delimiter: [";", ","] });
  } catch (cause) {
    throw new FileRefused("The file is not CSV with a header.", { cause });
  }
  if (rows.length === 0 || rows.length > LINES_MAX)
    throw new FileRefused(`The file must have 1 to ${LINES_MAX} lines.`);
  return rows.map((row, index) => {
    const read = decision.safeParse(row);
    if (read.success) return read.data;
    const issue = read.error.issues[0];
    throw new FileRefused(`Line ${index + 2}: ${issue?.path.join(".")} ${issue?.message}.`);
  });
}
