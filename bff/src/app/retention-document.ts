import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import { type Purged, RETENTION, type Retention } from "./retention.ts";

const HEAD = `# Retention

Generated from \`src/app/retention.ts\` by \`pnpm exec vitest run src/app/retention.test.ts -u\`. A table that is missing
there does not compile.

Every process that runs timers purges when it starts and then hourly (\`src/app/purge-outdated.ts\`), 2,000 rows a
statement and at most 100 statements a table. A failed purge is logged as \`housekeeping.failed\` and stops no other.
Purges run in batches: [decision](../decisions/0007-old-rows-are-deleted-in-batches.md). What a patient's request removes:
[decision](../decisions/0039-a-patients-data.md). The sandbox's tables (\`sandbox_…\`) are not purged.

| Table | Kept | Why | What removes it |
|---|---|---|---|
`;

/** The text of \`docs/reference/retention.md\`. */
export function writeRetention(): string {
  const rows = Object.entries(RETENTION).flatMap(([table, retention]) => rowsOf(table, retention));
  return `${HEAD}${tablesOfEachRow(rows).join("\n")}\n`;
}

/** Tables with the same row share it. */
function tablesOfEachRow(rows: readonly Row[]): string[] {
  const texts = [...new Set(rows.map(({ text }) => text))];
  return texts.map((text) => {
    const tables = rows.filter((row) => row.text === text).map(({ table }) => `\`${table}\``);
    return `| ${tables.join(", ")} ${text}`;
  });
}

interface Row {
  readonly table: string;
  /** The row without the table's name. */
  readonly text: string;
}

function rowsOf(table: string, retention: Retention): Row[] {
  if (retention.kept === "purged") return retention.purges.map((purge) => purgedRow(table, purge));
  const { why, but } = retention;
  const own =
    retention.kept === "until"
      ? rowOf(table, `until ${retention.until}`, why, "its own feature")
      : rowOf(table, "for ever", why, "nothing");
  return but === undefined ? [own] : [own, purgedRow(table, but)];
}

function purgedRow(table: string, { part, forMs, since, by, why }: Purged): Row {
  const time = forMs === null ? `until ${since}` : `${durationText(forMs)} after ${since}`;
  return rowOf(table, part === undefined ? time : `${part}: ${time}`, why, `\`${by.name}\``);
}

function rowOf(table: string, kept: string, why: string, by: string): Row {
  return { table, text: `| ${kept} | ${why} | ${by} |` };
}

function durationText(milliseconds: number): string {
  const days = milliseconds / DAY_MS;
  if (days > 1) return `${days} days`;
  return `${milliseconds / HOUR_MS} hours`;
}
