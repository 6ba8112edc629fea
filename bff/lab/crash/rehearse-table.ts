import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { ERRORS_OF_KILL_MAX } from "./rehearse-deploy.ts";
import { OUTAGES } from "./rehearse-outage.ts";

/** The document whose table is written. */
export const DRILLS_DOCUMENT = fileURLToPath(new URL("../../docs/reference/drills.md", import.meta.url));

interface Drill {
  readonly fault: string;
  readonly args: readonly string[];
  /** The goal for the errors that clients see. */
  readonly goal: string;
}

const outages = Object.entries(OUTAGES).map(([name, { fault, errorsMax }]): [string, Drill] => [
  name,
  { fault, args: [], goal: errorsMax === null ? "only 503" : errorsMax === 0 ? "0" : `≤ ${errorsMax}` },
]);

/** The drills of the table, by the name of their command. */
export const DRILLS: Readonly<Record<string, Drill>> = {
  deploy: { fault: "each process is replaced, seven times", args: ["--times", "7"], goal: "0" },
  kill: { fault: "each process is killed, twice", args: ["--times", "2"], goal: `≤ ${ERRORS_OF_KILL_MAX} each time` },
  ...Object.fromEntries(outages),
  failover: { fault: "the primary PostgreSQL is killed", args: ["--times", "1"], goal: "none set" },
  restore: { fault: "the database is restored to a moment", args: ["--times", "1"], goal: "none set" },
};

const resultSchema = z.object({
  answers: z.number().optional(),
  errors: z.number().optional(),
  errorsAtOnceMax: z.number().optional(),
  acknowledged: z.number(),
  lost: z.number(),
  doubled: z.number(),
  alerts: z.string().optional(),
  secondsWithoutWrites: z.number().optional(),
  recoverySeconds: z.number().optional(),
  recoveryPointSeconds: z.number().optional(),
});
type Result = z.output<typeof resultSchema>;

const HEAD = ["Drill", "Fault", "Errors", "Goal", "Acknowledged", "Lost", "Doubled", "Result"];

interface TableOptions {
  /** The drills to run; all if empty. */
  readonly only: readonly string[];
  readonly write: boolean;
  readonly say: (line: string) => void;
}

/** Runs drills one after the other, and prints or writes their rows of the table. Returns the drills that failed. */
export async function rehearseAll({ only, write, say }: TableOptions): Promise<readonly string[]> {
  const rows = new Map<string, string>();
  const failed: string[] = [];
  for (const [name, drill] of Object.entries(DRILLS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const { result, hasFailed } = await runDrill(name, drill);
    if (hasFailed) failed.push(name);
    if (result === null) continue;
    const row = `| ${rowOf(name, drill, result).join(" | ")} |`;
    rows.set(name, row);
    say(row);
    if (write) await writeRows(rows);
  }
  return failed;
}

/** Puts these rows into the document's table, and keeps its others. */
async function writeRows(rows: ReadonlyMap<string, string>): Promise<void> {
  const written = await readFile(DRILLS_DOCUMENT, "utf8");
  const before = new Map([...written.matchAll(/^\| `(\w+)` .*$/gm)].map(([row, name = ""]) => [name, row]));
  const lines = Object.keys(DRILLS).flatMap((name) => rows.get(name) ?? before.get(name) ?? []);
  const table = [HEAD, HEAD.map(() => "---")].map((cells) => `| ${cells.join(" | ")} |`);
  await writeFile(
    DRILLS_DOCUMENT,
    written.replace(/^\| Drill .*\n(?:\|.*\n)*/m, `${[...table, ...lines].join("\n")}\n`),
  );
}

const PROGRAM = fileURLToPath(new URL("rehearse.ts", import.meta.url));

async function runDrill(name: string, { args }: Drill): Promise<{ result: Result | null; hasFailed: boolean }> {
  const command = ["--conditions=source", PROGRAM, name, ...args, "--json"];
  const ended = await new Promise<{ readonly stdout: string; readonly hasFailed: boolean }>((resolve) => {
    execFile(process.execPath, command, (error, stdout, stderr) => {
      if (error !== null) process.stderr.write(stderr);
      resolve({ stdout, hasFailed: error !== null });
    });
  });
  const line = ended.stdout.trim().split("\n").at(-1) ?? "";
  return { result: line.startsWith("{") ? resultSchema.parse(JSON.parse(line)) : null, hasFailed: ended.hasFailed };
}

function rowOf(name: string, { fault, goal }: Drill, result: Result): string[] {
  const { answers, errors, errorsAtOnceMax, acknowledged, lost, doubled } = result;
  const seen = name === "kill" ? `at most ${errorsAtOnceMax}` : errors === undefined ? "–" : count(errors);
  const of = answers === undefined || errors === undefined ? seen : `${seen} of ${count(answers)}`;
  return [`\`${name}\``, fault, of, goal, count(acknowledged), `${lost}`, `${doubled}`, resultOf(result)];
}

function resultOf({ alerts, secondsWithoutWrites, recoverySeconds, recoveryPointSeconds }: Result): string {
  const parts = [
    secondsWithoutWrites === undefined ? null : `${secondsWithoutWrites} s without writes`,
    recoverySeconds === undefined ? null : `work resumed after ${recoverySeconds} s`,
    recoveryPointSeconds === undefined ? null : `archive ${recoveryPointSeconds} s behind`,
    alerts === undefined ? null : alerts || "no alert",
  ];
  return parts.filter((part) => part !== null).join("; ");
}

const count = (number: number) => number.toLocaleString("en-US");
