import { CLAIM_TRANSITIONS } from "../../src/claims/claim.ts";
import type { Gateways } from "../../src/gateways/gateways.ts";
import { ORDER_TRANSITIONS } from "../../src/orders/order.ts";
import type { OpenDatabase } from "../../src/platform/database/database.ts";
import type { Session } from "../../src/platform/database/session.ts";
import { CALL_TROUBLES, STATEMENT_TROUBLES, type Trouble } from "./trouble.ts";

/*
 * The coverage of lives. Each line of each table of transitions should occur in a step without faults, and each kind of
 * statement fault should hit a transaction that is about to take it. Each method of each gateway should be called with
 * each kind of call fault, and without any. An uncovered cell is untested, however many lives were played.
 */

/** How often each cell was covered. */
export type Met = ReadonlyMap<string, number>;

const UNTROUBLED = "none";
const SEPARATOR = " × ";

type Methods = {
  readonly [Party in Exclude<keyof Gateways, "close">]: Readonly<Record<MethodOf<Gateways[Party]>, true>>;
};
type MethodOf<Party> = {
  [Name in keyof Party]: Party[Name] extends (...given: never[]) => unknown ? Name : never;
}[keyof Party];

const METHODS: Methods = {
  cardProcessor: {
    sealingKey: true,
    cardPage: true,
    cardPageDisplay: true,
    registerCard: true,
    inquireRegistration: true,
    keepCard: true,
    inquireKeptCard: true,
    registerStoredCard: true,
    forgetCard: true,
    inquireForgotten: true,
    removesCards: true,
    chargeLimits: true,
    removeCard: true,
    inquireRemoval: true,
    listKeptCards: true,
    authenticate: true,
    inquireAuthentication: true,
    charge: true,
    inquireCharge: true,
    returnCharge: true,
    inquireReturn: true,
    listMovements: true,
    listSettlements: true,
  },
  financingProvider: {
    authoriseLoan: true,
    inquireLoan: true,
    confirmLoan: true,
    inquireConfirmation: true,
    reduceLoan: true,
    inquireReduction: true,
    reportLoan: true,
    inquireReport: true,
    listLoans: true,
  },
  identityRegistry: { check: true },
  insurer: { sealingKey: true, fileClaim: true, inquireFiling: true, inquireClaim: true },
  messenger: { sendEmail: true, sendMessage: true },
  bank: { transfer: true, inquireTransfer: true, listTransfers: true },
  taxDocuments: { issueDocument: true, inquireDocument: true, listDocuments: true },
};

const TRANSITIONS = [
  ...ORDER_TRANSITIONS.map(({ from, to }) => transitionName("order", from, to)),
  ...CLAIM_TRANSITIONS.map(({ from, to }) => transitionName("claim", from, to)),
];

function transitionName(of: string, from: string, to: string): string {
  return `${of} ${from} → ${to}`;
}

/** One table: its lines, and the faults that should hit each. */
export interface CoverageTable {
  readonly lines: readonly string[];
  readonly troubles: readonly string[];
  /** Cells that cannot be covered. */
  readonly cannotBe: readonly string[];
}

/** Transitions made by a single-statement transaction, which waits for no other. */
const ALONE = ["order awaiting_payment → paying", "claim ready → filing", "claim access_blocked → filing"];

export const TABLES: readonly CoverageTable[] = [
  {
    lines: TRANSITIONS,
    troubles: [UNTROUBLED, ...STATEMENT_TROUBLES],
    cannotBe: ALONE.map((line) => cellOf(line, "deadlock")),
  },
  {
    lines: Object.entries(METHODS).flatMap(([party, methods]) =>
      Object.keys(methods).map((method) => `${party}.${method}`),
    ),
    troubles: [UNTROUBLED, ...CALL_TROUBLES],
    cannotBe: [],
  },
];

/** A cell's line and kind of fault; null for none. */
export function readCell(cell: string): { readonly line: string; readonly trouble: Trouble["kind"] | null } {
  const [line = "", kind] = cell.split(SEPARATOR);
  const trouble = [...STATEMENT_TROUBLES, ...CALL_TROUBLES].find((each) => each === kind);
  return { line, trouble: trouble ?? null };
}

/** The name of a cell. */
export function cellOf(line: string, trouble: string | null): string {
  return `${line}${SEPARATOR}${trouble ?? UNTROUBLED}`;
}

export function isCell(name: string): boolean {
  return name.includes(SEPARATOR);
}

/** The cells of all tables. */
export function allCells(): string[] {
  return TABLES.flatMap(({ lines, troubles, cannotBe }) =>
    lines
      .flatMap((line) => troubles.map((trouble) => cellOf(line, trouble)))
      .filter((cell) => !cannotBe.includes(cell)),
  );
}

/** The cells that were never hit. */
export function emptyCells(met: Met): string[] {
  return allCells().filter((cell) => !met.has(cell));
}

/** Both tables as text, with the counts of each line and fault. */
export function describeCoverage(met: Met): string {
  return TABLES.map(({ lines, troubles, cannotBe }) => {
    const width = Math.max(...lines.map(({ length }) => length));
    const head = `${" ".repeat(width)} ${troubles.map((trouble) => trouble.padStart(12)).join("")}`;
    const rows = lines.map((line) => {
      const counts = troubles.map((trouble) =>
        String(met.get(cellOf(line, trouble)) ?? (cannotBe.includes(cellOf(line, trouble)) ? "" : "–")).padStart(12),
      );
      return `${line.padEnd(width)} ${counts.join("")}`;
    });
    return [head, ...rows].join("\n");
  }).join("\n\n");
}

/**
 * Makes the database record each transition, with its transaction, in a separate table. It records all transitions of
 * an order within one step, except those that were rolled back.
 */
export async function noteTransitions(database: OpenDatabase): Promise<void> {
  await database.withSession((session) =>
    session.script(`
      create table sim_transitions (name text not null, transaction bigint not null default txid_current());
      create function sim_note_transition() returns trigger language plpgsql as $$
      begin
        insert into sim_transitions values (tg_argv[0] || ' ' || old.state || ' → ' || new.state);
        return null;
      end $$;
      create trigger sim_order after update of state on orders
        for each row execute function sim_note_transition('order');
      create trigger sim_claim after update of state on claims
        for each row execute function sim_note_transition('claim');`),
  );
}

/** The transitions that were committed since the last call. */
export function takeTransitions(database: OpenDatabase): Promise<string[]> {
  return database.withSession((session) => namesOf(session, "delete from sim_transitions returning name"));
}

/** The transitions of the transaction that is open in the session. */
export function openTransitions(session: Session): Promise<string[]> {
  return namesOf(session, "select name from sim_transitions where transaction = txid_current_if_assigned()");
}

async function namesOf(session: Session, statement: string): Promise<string[]> {
  const { rows }: { rows: readonly { readonly name: string }[] } = await session.query(statement, []);
  return rows.map(({ name }) => name);
}
