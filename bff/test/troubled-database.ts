import type { Database } from "../src/platform/database/transaction.ts";

/**
 * A database that calls a hook before each statement, with its text and parameters; an error that the hook throws is
 * thrown by the statement.
 */
export function troubledDatabase(db: Database, trouble: (query: string) => void): Database {
  return db.withPlugin({
    transformQuery({ node }) {
      trouble(JSON.stringify(node));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}
