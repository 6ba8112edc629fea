import { CLAIM_TRANSITIONS } from "../src/claims/claim.ts";
import type { Gateways } from "../src/gateways/gateways.ts";
import { ORDER_TRANSITIONS } from "../src/orders/orders/order.ts";
import type { OpenDatabase } from "../src/platform/database/database.ts";
import { CALL_TROUBLES, STATEMENT_TROUBLES } from "./trouble.ts";

/*
 * What lives have met. Each line of each table of transitions should have been taken in a step in which each kind of
 * statement trouble happened, and in one in which nothing went wrong; each method of each gateway should have been called with
 * each kind of call trouble, and without any. What was never met was never tested, however many lives were played.
 */

/** How often each cell was met. */
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
    registerCard: true,
    authenticate: true,
    inquireAuthentication: true,
    charge: true,
    inquireCharge: true,
    returnCharge: true,
    inquireReturn: true,
    listMovements: true,
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
};

const TRANSITIONS = [
  ...ORDER_TRANSITIONS.map(({ from, to }) => transitionName("order", from, to)),
  ...CLAIM_TRANSITIONS.map(({ from, to }) => transitionName("claim", from, to)),
];

function transitionName(of: string, from: string, to: string): string {
  return `${of} ${from} → ${to}`;
}

/** One table: its lines, and the troubles that each should have met. */
export interface CoverageTable {
  readonly lines: readonly string[];
  readonly troubles: readonly string[];
}

export const TABLES: readonly CoverageTable[] = [
  { lines: TRANSITIONS, troubles: [UNTROUBLED, ...STATEMENT_TROUBLES] },
  {
    lines: Object.entries(METHODS).flatMap(([party, methods]) =>
      Object.keys(methods).map((method) => `${party}.${method}`),
    ),
    troubles: [UNTROUBLED, ...CALL_TROUBLES],
  },
];

/** The name of a cell. */
export function cellOf(line: string, trouble: string | null): string {
  return `${line}${SEPARATOR}${trouble ?? UNTROUBLED}`;
}

export function isCell(name: string): boolean {
  return name.includes(SEPARATOR);
}

/** The cells of all tables that were never met. */
export function emptyCells(met: Met): string[] {
  return TABLES.flatMap(({ lines, troubles }) =>
    lines.flatMap((line) => troubles.map((trouble) => cellOf(line, trouble))),
  ).filter((cell) => !met.has(cell));
}

/** Both tables as text: a line for each line, with how often it met each trouble. */
export function describeCoverage(met: Met): string {
  return TABLES.map(({ lines, troubles }) => {
    const width = Math.max(...lines.map(({ length }) => length));
    const head = `${" ".repeat(width)} ${troubles.map((trouble) => trouble.padStart(12)).join("")}`;
    const rows = lines.map((line) => {
      const counts = troubles.map((trouble) => String(met.get(cellOf(line, trouble)) ?? "–").padStart(12));
      return `${line.padEnd(width)} ${counts.join("")}`;
    });
    return [head, ...rows].join("\n");
  }).join("\n\n");
}

/**
 * Has the database note each transition that is committed, in a table of its own: what was rolled back was not made, and
 * what an order went through within one step is all noted.
 */
export async function noteTransitions(database: OpenDatabase): Promise<void> {
  await database.withSession((session) =>
    session.script(`
      create table sim_transitions (name text not null);
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

/** The transitions since they were last taken. */
export async function takeTransitions(database: OpenDatabase): Promise<string[]> {
  return database.withSession(async (session) => {
    const { rows }: { rows: readonly { readonly name: string }[] } = await session.query(
      "delete from sim_transitions returning name",
      [],
    );
    return rows.map(({ name }) => name);
  });
}
