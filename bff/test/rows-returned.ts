import type { Database } from "../src/platform/database/transaction.ts";

/** A database that counts the rows that its statements return. */
export function countingRows(db: Database): { readonly counted: Database; readonly rowsReturned: () => number } {
  let returned = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      returned += result.rows.length;
      return result;
    },
  });
  return { counted, rowsReturned: () => returned };
}
