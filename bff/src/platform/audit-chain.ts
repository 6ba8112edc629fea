import {
  type ChainedRow,
  countUnchained,
  readChained,
  readHead,
  readUnchained,
  writeChained,
} from "./audit-chain-store.ts";
import { isUniqueViolation } from "./database/errors.ts";
import { type Database, inTransaction, type Transaction } from "./database/transaction.ts";
import type { Keyring } from "./keyring.ts";
import type { Logger } from "./logger.ts";

/*
 * The audit trail as a chain: the keyed hash of each row covers the hash of the row before. Without the keyring, a
 * change or removal of a row in the database is always noticed. The end of the chain is logged, so that rows cut off at
 * its end are noticed too.
 */

const PURPOSE = "audit.chain";
/** The hash before the first row. */
const BEGINNING = "";
const AT_ONCE_MAX = 500;

/** The end of the chain, as it is logged and compared. */
export interface ChainHead {
  readonly number: number;
  readonly hash: string;
}

/** Thrown to roll back a batch because another process has chained some of its rows meanwhile. */
class ChainMoved extends Error {
  override readonly name = "ChainMoved";
}

/** Adds the rows that are not in the chain yet. Any process may call it at any time. Returns how many there were. */
export async function chainAudit({
  db,
  keyring,
  logger,
}: {
  readonly db: Database;
  readonly keyring: Pick<Keyring, "hmac">;
  readonly logger: Pick<Logger, "info">;
}): Promise<number> {
  let count = 0;
  for (let added = AT_ONCE_MAX; added === AT_ONCE_MAX; count += added) {
    try {
      added = await inTransaction(db, (tx) => chainSome(tx, keyring, logger));
    } catch (error) {
      // Another process is chaining the same rows; the rest waits for the next call.
      if (!(error instanceof ChainMoved || isUniqueViolation(error, "audit_log_chain_number_key"))) throw error;
      added = 0;
    }
  }
  return count;
}

async function chainSome(
  tx: Transaction,
  keyring: Pick<Keyring, "hmac">,
  logger: Pick<Logger, "info">,
): Promise<number> {
  const waiting = await readUnchained(tx, AT_ONCE_MAX);
  if (waiting.length === 0) return 0;
  const head = await readHead(tx);
  const chained = linked(keyring, waiting, head ?? { chainNumber: 0, chainHash: BEGINNING });
  if ((await writeChained(tx, chained, { areChained: false })) < chained.length) throw new ChainMoved();
  const last = chained.at(-1);
  logger.info("audit.chained", { chain_number: last?.chainNumber, chain_hash: last?.chainHash });
  return chained.length;
}

function linked(
  keyring: Pick<Keyring, "hmac">,
  rows: readonly Pick<ChainedRow, "id" | "text">[],
  after: Pick<ChainedRow, "chainNumber" | "chainHash">,
): Omit<ChainedRow, "text">[] {
  let { chainNumber, chainHash } = after;
  return rows.map(({ id, text }) => {
    chainNumber += 1;
    chainHash = keyring.hmac(PURPOSE, linkText(chainHash, chainNumber, text));
    return { id, chainNumber, chainHash };
  });
}

function linkText(before: string, chainNumber: number, text: string): string {
  return JSON.stringify([before, chainNumber, text]);
}

export interface AuditVerdict {
  /** The end of the chain; null if there is no row. */
  readonly head: ChainHead | null;
  /**
   * The number at which the chain is broken: that row was changed, or one before it is missing. Null for an intact
   * chain.
   */
  readonly brokenAt: number | null;
  /** Rows of the last minute that are not chained yet. */
  readonly notChained: number;
}

/** Reads the whole chain. `known`: an earlier end of the chain, taken from the log, which must still be in it. */
export async function verifyAudit(
  { db, keyring }: { readonly db: Database; readonly keyring: Pick<Keyring, "matches"> },
  known: ChainHead | null,
): Promise<AuditVerdict> {
  let head: ChainHead | null = null;
  let wasSeen = known === null;
  const notChained = await countUnchained(db);
  for (;;) {
    const rows = await readChained(db, head?.number ?? 0, AT_ONCE_MAX);
    for (const { chainNumber, chainHash, text } of rows) {
      const expected: number = (head?.number ?? 0) + 1;
      const isWhole: boolean =
        chainNumber === expected &&
        keyring.matches(PURPOSE, linkText(head?.hash ?? BEGINNING, chainNumber, text), chainHash);
      if (!isWhole) return { head, brokenAt: expected, notChained };
      if (known?.number === chainNumber && known.hash !== chainHash) return { head, brokenAt: expected, notChained };
      wasSeen ||= known?.number === chainNumber;
      head = { number: chainNumber, hash: chainHash };
    }
    if (rows.length < AT_ONCE_MAX) break;
  }
  return { head, brokenAt: wasSeen ? null : (head?.number ?? 0) + 1, notChained };
}

/** Rehashes the whole chain with the newest key, in the transaction that retires the others. */
export async function rehashAudit(tx: Transaction, keyring: Pick<Keyring, "hmac">): Promise<number> {
  let last: Pick<ChainedRow, "chainNumber" | "chainHash"> = { chainNumber: 0, chainHash: BEGINNING };
  for (;;) {
    const rows = await readChained(tx, last.chainNumber, AT_ONCE_MAX);
    const renewed = linked(keyring, rows, last);
    if (renewed.length > 0) await writeChained(tx, renewed, { areChained: true });
    last = renewed.at(-1) ?? last;
    if (rows.length < AT_ONCE_MAX) return last.chainNumber;
  }
}
