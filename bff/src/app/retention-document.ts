import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import { type Purged, RETENTION, type Retention } from "./retention.ts";

const HEAD = `# How long what is kept

Written from \`src/app/retention.ts\`; \`npx vitest run src/app/retention.test.ts -u\` writes it again. A table of the migrations that is
missing there does not compile.

Purges run in every process that runs timers, when it starts and then every hour (\`src/app/purge-outdated.ts\`). A statement removes at most 2,000
rows and commits by itself; a purge makes at most 100 of them for a table, and leaves the rest for the next hour. So any number of processes
may purge at once, none holds a lock for longer than a moment, and one that dies has lost nothing. One that fails is logged as
\`housekeeping.failed\` and stops no other. What it costs, and why months are no partitions: [performance.md](performance.md) and
[the decision](../decisions/old-rows-are-deleted-in-batches.md).

Erasures are beside this: what goes when a patient asks for it stands in [a patient's data](../decisions/a-patients-data.md). The sandbox's tables
(\`sandbox_…\`) are in no production database and are not purged.

| Table | Kept | Why | What removes it |
|---|---|---|---|
`;

/** The text of \`docs/reference/retention.md\`. */
export function writeRetention(): string {
  const rows = Object.entries(RETENTION).flatMap(([table, retention]) => rowsOf(table, retention));
  return `${HEAD}${rows.join("\n")}\n`;
}

function rowsOf(table: string, retention: Retention): string[] {
  if (retention.kept === "purged") return retention.purges.map((purge) => purgedRow(table, purge));
  const { why, but } = retention;
  const own =
    retention.kept === "until"
      ? rowOf(table, `until ${retention.until}`, why, "its own feature")
      : rowOf(table, "for ever", why, "nothing");
  return but === undefined ? [own] : [own, purgedRow(table, but)];
}

function purgedRow(table: string, { part, forMs, since, by, why }: Purged): string {
  const time = forMs === null ? `until ${since}` : `${durationText(forMs)} after ${since}`;
  return rowOf(table, part === undefined ? time : `${part}: ${time}`, why, `\`${by.name}\``);
}

function rowOf(table: string, kept: string, why: string, by: string): string {
  return `| \`${table}\` | ${kept} | ${why} | ${by} |`;
}

function durationText(milliseconds: number): string {
  const days = milliseconds / DAY_MS;
  if (days > 1) return `${days} days`;
  return `${milliseconds / HOUR_MS} hours`;
}
