import { type Purged, RETENTION, type Retention } from "../src/app/retention.ts";
import { DAY_MS, HOUR_MS } from "../src/contract/vocabulary/durations.ts";

const HEAD = `# Retention

Generated from \`src/app/retention.ts\` by \`pnpm exec vitest run src/app/retention.test.ts -u\`. A table that is missing
there does not compile.

Every process that runs timers purges when it starts and then hourly, [in
batches](../decisions/0007-old-rows-are-deleted-in-batches.md) (\`src/app/purge-outdated.ts\`). A failed purge is logged as
\`housekeeping.failed\` and stops no other. The sandbox's tables are not purged. A patient's request removes
[more](../decisions/0039-a-patients-data.md).
`;

/** The text of \`docs/reference/retention.md\`. */
export function writeRetention(): string {
  const entries = Object.entries(RETENTION);
  const removed = entries.flatMap(([table, retention]) => removedRows(table, retention));
  const kept = entries.flatMap(([table, { kept, ...rest }]) =>
    kept === "for ever" && "why" in rest ? [{ table, text: `| ${rest.why} |` }] : [],
  );
  return [
    HEAD,
    "## Removed",
    "",
    "| Table | Kept | Why |",
    "|---|---|---|",
    ...tablesOfEachRow(removed),
    "",
    "## Kept for ever",
    "",
    "| Table | Why |",
    "|---|---|",
    ...tablesOfEachRow(kept),
    "",
  ].join("\n");
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

function removedRows(table: string, retention: Retention): Row[] {
  if (retention.kept === "purged") return retention.purges.map((purge) => purgedRow(table, purge));
  const { but } = retention;
  const own = retention.kept === "until" ? [rowOf(table, `until ${retention.until}`, retention.why)] : [];
  return but === undefined ? own : [...own, purgedRow(table, but)];
}

function purgedRow(table: string, { part, forMs, since, why }: Purged): Row {
  const time = forMs === null ? `until ${since}` : `${durationText(forMs)} after ${since}`;
  return rowOf(table, part === undefined ? time : `${part}: ${time}`, why);
}

function rowOf(table: string, kept: string, why: string): Row {
  return { table, text: `| ${kept} | ${why} |` };
}

function durationText(milliseconds: number): string {
  const days = milliseconds / DAY_MS;
  if (days > 1) return `${days} days`;
  return `${milliseconds / HOUR_MS} hours`;
}
