import type { Database } from "../src/platform/database/transaction.ts";

/** A database that asks before each statement, its text and what goes with it in one: what is thrown then, the statement throws. */
export function troubledDatabase(db: Database, trouble: (query: string) => void): Database {
  return db.withPlugin({
    transformQuery({ node }) {
      trouble(JSON.stringify(node));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}
