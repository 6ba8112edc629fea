import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { openTestDatabase } from "../../database.ts";
import { TABLES_FILE, tablesText } from "../../tables.ts";

it("the types of the tables match the migrations; if not, run `pnpm --filter bff tables`", async () => {
  const database = await openTestDatabase();
  try {
    expect(await tablesText(database)).toBe(await readFile(TABLES_FILE, "utf8"));
  } finally {
    await database.close();
  }
});
