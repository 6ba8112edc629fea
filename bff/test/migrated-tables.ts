import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../src/platform/program.ts";
import { FORMER_NAMES } from "./column-types.ts";

const migrations = join(packageFolder, "migrations");
const CHANGE = /^(?:create (table|view) (\w+)|alter table (\w+) rename to (\w+);|drop table (\w+);)/gm;

/** The tables and views after all migrations, without those for the previous version only. */
export function migratedTables(): { readonly tables: readonly string[]; readonly views: readonly string[] } {
  const made = { table: new Set<string>(), view: new Set<string>() };
  for (const file of readdirSync(migrations).sort())
    for (const change of readFileSync(join(migrations, file), "utf8").matchAll(CHANGE)) {
      const [, kind, created = "", renamed = "", to, dropped = ""] = change;
      made.table.delete(renamed);
      made.table.delete(dropped);
      if (to !== undefined) made.table.add(to);
      if (kind === "table" || kind === "view") made[kind].add(created);
    }
  return { tables: [...made.table], views: [...made.view].filter((view) => !FORMER_NAMES.includes(view)) };
}
