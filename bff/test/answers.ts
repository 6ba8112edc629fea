import { readdirSync, readFileSync } from "node:fs";
import * as z from "zod/mini";
import { commonErrors, type Endpoint } from "../src/contract/endpoint.ts";
import { errorCodes } from "../src/contract/errors.ts";

/** One answer that a test has seen, as the test client records it. */
const seenAnswerSchema = z.object({
  /** `POST /orders` */
  endpoint: z.string(),
  status: z.int(),
  /** Null for a success. */
  code: z.nullable(z.string()),
  file: z.string(),
  test: z._default(z.string(), ""),
});
export type SeenAnswer = z.infer<typeof seenAnswerSchema>;

/** One answer that the contract documents, with the tests that have seen it. */
export interface AnswerRow {
  readonly endpoint: string;
  readonly status: number;
  readonly code: string | null;
  readonly seen: readonly SeenAnswer[];
}

/** Every recorded answer in a folder; none if the folder is missing. */
export function readAnswers(folder: string): SeenAnswer[] {
  let files: string[];
  try {
    files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
  } catch {
    return [];
  }
  return files
    .flatMap((file) => readFileSync(`${folder}/${file}`, "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => seenAnswerSchema.parse(JSON.parse(line)));
}

/** Every answer that the endpoints document, in their order, with the tests that have seen it. */
export function tableOf(endpoints: readonly Endpoint[], seen: readonly SeenAnswer[]): AnswerRow[] {
  const byKey = new Map<string, SeenAnswer[]>();
  for (const answer of seen) byKey.set(keyOf(answer), [...(byKey.get(keyOf(answer)) ?? []), answer]);
  return endpoints.flatMap((endpoint) =>
    documentedAnswers(endpoint).map((answer) => ({ ...answer, seen: byKey.get(keyOf(answer)) ?? [] })),
  );
}

function documentedAnswers(endpoint: Endpoint): Omit<AnswerRow, "seen">[] {
  const name = `${endpoint.method} ${endpoint.path}`;
  const successes = Object.keys(endpoint.success).map((status) => ({
    endpoint: name,
    status: Number(status),
    code: null,
  }));
  const failures = [...new Set([...endpoint.errors, ...commonErrors(endpoint)])].map((code) => ({
    endpoint: name,
    status: errorCodes[code].status,
    code,
  }));
  return [...successes, ...failures.sort((a, b) => a.status - b.status)];
}

function keyOf({ endpoint, status, code }: Pick<AnswerRow, "endpoint" | "status" | "code">): string {
  return `${endpoint} ${status} ${code ?? ""}`;
}
