import { parse } from "csv-parse/sync";
import * as z from "zod";
import { clp } from "../../src/contract/vocabulary/clp.ts";
import type { SettlementLine } from "../../src/gateways/card-processor.ts";
import { inTransaction, type Transaction } from "../../src/platform/database/transaction.ts";
import { type Charge, findChargeByOrder, findChargebacks, findReturns, insertChargeback } from "./charge-store.ts";
import type { Oneclick } from "./oneclick.ts";
import { insertSettlement } from "./settlement-store.ts";

/*
 * Files of Transbank's portal, which has no interface for deposits and chargebacks. Their columns are documented
 * nowhere: the operator names them in `columns`. A file is stored whole or not at all.
 */

/** Thrown for a file that cannot be stored; nothing of it was. */
export class FileRefused extends Error {
  override readonly name = "FileRefused";
}

const LINES_MAX = 100_000;

/** Our name for a column, and the file's name for it. */
export type Columns = Readonly<Record<string, string>>;

const pesos = z
  .string()
  .regex(/^-?\d{1,9}$|^-?\d{1,3}(\.\d{3}){1,2}$/, "is whole pesos")
  .transform((text) => Number(text.replaceAll(".", "")));
const order = z.string().min(1).max(26);
const settlementLine = z.object({
  deposit: z.string().min(1).max(60),
  kind: z.enum(["charge", "return", "chargeback", "chargeback_reversal"]),
  order,
  amount: pesos.pipe(z.int().positive()),
  fee: pesos,
  fee_vat: pesos,
});
const chargebackLine = z.object({ id: z.string().min(1).max(60), order, amount: pesos.pipe(z.int().positive()) });

function readLines<Line>(text: string, line: z.ZodType<Line>, columns: Columns): readonly Line[] {
  let rows: Record<string, string>[];
  try {
    rows = parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true, delimiter: [";", ","] });
  } catch (cause) {
    throw new FileRefused("The file is not CSV with a header.", { cause });
  }
  if (rows.length === 0 || rows.length > LINES_MAX) throw new FileRefused(`The file has 0 or over ${LINES_MAX} lines.`);
  return rows.map((row, index) => {
    const named = Object.entries(columns).map(([own, theirs]) => [own, row[theirs]]);
    const read = line.safeParse({ ...row, ...Object.fromEntries(named) });
    if (read.success) return read.data;
    const issue = read.error.issues[0];
    throw new FileRefused(`Line ${index + 2}: ${issue?.path.join(".")} ${issue?.message}.`);
  });
}

async function chargeOfLine(tx: Transaction, name: string, index: number): Promise<Charge> {
  const charge = await findChargeByOrder(tx, name);
  if (charge === undefined) throw new FileRefused(`Line ${index + 2}: ${name} is no order of this connector.`);
  return charge;
}

/** Stores the deposits of a file, by provider. Returns how many parts were new. */
export async function importSettlements(
  { clock, db }: Oneclick,
  text: string,
  columns: Columns = {},
): Promise<{ readonly stored: number; readonly known: number }> {
  const lines = readLines(text, settlementLine, columns);
  return inTransaction(db, async (tx) => {
    const parts = new Map<string, { depositId: string; providerId: string; lines: SettlementLine[] }>();
    const used = new Set<string>();
    for (const [index, line] of lines.entries()) {
      const charge = await chargeOfLine(tx, line.order, index);
      const name = JSON.stringify([line.deposit, charge.providerId]);
      const part = parts.get(name) ?? { depositId: line.deposit, providerId: charge.providerId, lines: [] };
      const movement = await movementOf(tx, charge, line, used);
      if (movement === undefined) throw new FileRefused(`Line ${index + 2}: there is no such ${line.kind}.`);
      const { kind, amount, fee, fee_vat: feeVat } = line;
      const { orderHash } = charge;
      part.lines.push({ ...movement, kind, orderHash, amount: clp(amount), fee: clp(fee), feeVat: clp(feeVat) });
      parts.set(name, part);
    }
    let stored = 0;
    for (const part of parts.values()) {
      const at = clock.now();
      if (await insertSettlement(tx, { ...part, at, amount: sumOf(part.lines) })) stored += 1;
    }
    return { stored, known: parts.size - stored };
  });
}

/** The movement of a line; each may be settled once in a file. */
async function movementOf(
  tx: Transaction,
  charge: Charge,
  { kind, amount }: z.output<typeof settlementLine>,
  used: Set<string>,
): Promise<{ readonly id: string; readonly idempotencyKey: string | null } | undefined> {
  const { id, idempotencyKey } = charge;
  const candidates =
    kind === "charge"
      ? [{ id, idempotencyKey, amount: charge.amount }]
      : kind === "return"
        ? await findReturns(tx, charge.id)
        : (await findChargebacks(tx, charge.id)).map((each) => ({
            ...each,
            id: kind === "chargeback" ? each.id : `${each.id}:won`,
            idempotencyKey: null,
          }));
  const found = candidates.find((each) => each.amount === amount && !used.has(each.id));
  if (found === undefined) return undefined;
  used.add(found.id);
  return { id: found.id, idempotencyKey: found.idempotencyKey };
}

/** Charges and won chargebacks less returns, chargebacks, fees and their VAT. */
function sumOf(lines: readonly SettlementLine[]): number {
  const signs = { charge: 1, chargeback_reversal: 1, return: -1, chargeback: -1, fee: 0 } as const;
  return lines.reduce((sum, { kind, amount, fee, feeVat }) => sum + signs[kind] * amount - fee - feeVat, 0);
}

/** Stores the chargebacks of a file. Returns how many were new. */
export async function importChargebacks(
  { clock, db }: Oneclick,
  text: string,
  columns: Columns = {},
): Promise<{ readonly stored: number; readonly known: number }> {
  const lines = readLines(text, chargebackLine, columns);
  return inTransaction(db, async (tx) => {
    let stored = 0;
    for (const [index, { id, order: name, amount }] of lines.entries()) {
      const charge = await chargeOfLine(tx, name, index);
      if (amount > charge.amount) throw new FileRefused(`Line ${index + 2}: the amount is more than was charged.`);
      if (await insertChargeback(tx, { id, charge, amount: clp(amount), at: clock.now() })) stored += 1;
    }
    return { stored, known: lines.length - stored };
  });
}
