/** @module-tag both-databases */
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { takeUpReports } from "../../../src/collection/loan-reports/loan-report-store.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { takeUpDocuments, writeIssued, writeRefused } from "../../../src/orders/tax-documents/tax-document-store.ts";
import { inTransaction, type Transaction } from "../../../src/platform/database/transaction.ts";
import { testDatabaseKind } from "../../database.ts";
import { askWhileHeld } from "../../lock-waits.ts";
import { type AfterPaidWorld, beginEach, type Clinic, WITHOUT_CLINICS_MONEY } from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";

/* Two workers at the same work of one order. PGlite has only one session, so nothing is concurrent there. */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

/** Starts the calls one after the other while another session locks the order's rows, so that they all wait. */
function askTogether<Answer>(
  hash: string,
  table: "tax_documents" | "loan_reports",
  asks: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const row = sql`select from ${sql.table(table)} where order_id = ${clinic.key(hash).orderId} for update`;
  return askWhileHeld(world.bff.database.db, row, asks);
}

describe.runIf(testDatabaseKind === "postgres")("concurrent workers", () => {
  it.each([
    {
      what: "tax_documents",
      takeUp: async (tx: Transaction, hash: string) =>
        (await takeUpDocuments(tx, clinic.key(hash), world.bff.clock.now())).map(
          ({ mayHaveArrived }) => mayHaveArrived,
        ),
    },
    {
      what: "loan_reports",
      takeUp: async (tx: Transaction, hash: string) => {
        const { reports, mayHaveArrived } = await takeUpReports(tx, clinic.key(hash), world.bff.clock.now());
        return reports.map(() => mayHaveArrived);
      },
    },
  ] as const)(
    "when two workers take up an order's $what, one sends it and the other first inquires",
    async ({ what, takeUp }) => {
      const hash = await clinic.justPaid();
      const { clock, database } = world.bff;
      // Undo everything that follows from the collection.
      await payEarly(world.collection, { provider: clinic.clinic.provider, key: clinic.key(hash), now: clock.now() });
      const take = () => inTransaction(database.db, (tx) => takeUp(tx, hash));
      expect(await askTogether(hash, what, [take, take])).toEqual([[false], [true]]);
    },
  );

  it.each([
    ["issued", "refused", "is dropped", false],
    ["refused", "issued", "is stored", true],
  ] as const)(
    "one tax document reported first as %s, then as %s: the second result %s",
    async (first, second, _, isWritten) => {
      const hash = await clinic.justPaid();
      const { clock, database } = world.bff;
      const now = clock.now();
      await payEarly(world.collection, { provider: clinic.clinic.provider, key: clinic.key(hash), now });
      const key = clinic.key(hash);
      const [taken] = await inTransaction(database.db, (tx) => takeUpDocuments(tx, key, now));
      const due = present(taken);
      const write = (end: "issued" | "refused") => () =>
        inTransaction(database.db, (tx) =>
          end === "issued"
            ? writeIssued(tx, key, due, { number: "1", url: "https://example.com/1", at: now })
            : writeRefused(tx, key, due, "no_numbers_left"),
        );
      const written = await askTogether(hash, "tax_documents", [write(first), write(first), write(second)]);
      expect(written).toEqual([true, false, isWritten]);
    },
  );
});
