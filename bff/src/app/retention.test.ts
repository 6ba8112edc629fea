import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageFolder } from "../platform/program.ts";
import { PURGES } from "./purge-outdated.ts";
import { RETENTION } from "./retention.ts";
import { writeRetention } from "./retention-document.ts";

const migrations = join(packageFolder, "migrations");
const tables = readdirSync(migrations).flatMap((file) =>
  [...readFileSync(join(migrations, file), "utf8").matchAll(/^create table (\w+)/gm)].map(([, table = ""]) => table),
);

it("says of every table of the migrations how long it keeps its rows, but for the sandbox's", () => {
  const stored = tables.filter((table) => !table.startsWith("sandbox_"));
  expect(Object.keys(RETENTION).toSorted()).toEqual([...new Set(stored)].toSorted());
});

it("names every purge that runs, and none that does not", () => {
  const named = Object.values(RETENTION).flatMap((retention) => {
    if (retention.kept === "purged") return retention.purges.map(({ by }) => by);
    return retention.but === undefined ? [] : [retention.but.by];
  });
  expect(new Set(named)).toEqual(new Set(PURGES));
});

it("is what the document says", async () => {
  await expect(writeRetention()).toMatchFileSnapshot("../../docs/reference/retention.md");
});
