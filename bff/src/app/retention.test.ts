import { expect, it } from "vitest";
import { migratedTables } from "../../test/migrated-tables.ts";
import { PURGES } from "./purge-outdated.ts";
import { RETENTION } from "./retention.ts";
import { writeRetention } from "./retention-document.ts";

it("lists how long every table of the migrations keeps its rows, except the sandbox's", () => {
  const stored = migratedTables().tables.filter((table) => !table.startsWith("sandbox_"));
  expect(Object.keys(RETENTION).toSorted()).toEqual([...new Set(stored)].toSorted());
});

it("lists every running purge, and no other", () => {
  const named = Object.values(RETENTION).flatMap((retention) => {
    if (retention.kept === "purged") return retention.purges.map(({ by }) => by);
    return retention.but === undefined ? [] : [retention.but.by];
  });
  expect(new Set(named)).toEqual(new Set(PURGES));
});

it("matches the document", async () => {
  await expect(writeRetention()).toMatchFileSnapshot("../../docs/reference/retention.md");
});
