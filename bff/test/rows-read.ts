import type { Database } from "../src/platform/database/transaction.ts";

/** A database that counts the rows that its statements return. */
export function countingRows(db: Database): { readonly counted: Database; readonly rowsRead: () => number } {
  let read = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      read += result.rows.length;
      return result;
    },
  });
  return { counted, rowsRead: () => read };
}
