/**
 * Sends valid, nearly valid and hostile requests, generated from the OpenAPI document, with every kind of credential,
 * to the running service. Checks each answer against the document.
 *
 *     pnpm fuzz [--seed N] [--requests N] [--from N] [--json]
 *
 * The default seed comes from the clock and is printed. `--from` skips requests without sending them. Exits with 1 if
 * an answer is a 5xx, is undocumented or takes over a second, if a refused request leaves a row behind, or if memory
 * grows. See lab/README.md.
 */
import fc from "fast-check";
import { PRINT_TIMEOUT_MS } from "../../src/orders/document-printer.ts";
import type { Method, OpenApiDocument } from "../../src/partner-docs/openapi-document.ts";
import { readCommandLine, seedFrom, wholeNumber } from "../command-line.ts";
import { createJudge, type SeenAnswer } from "./judge.ts";
import { type GeneratedRequest, type KnownOperation, type KnownThings, requestsTo } from "./requests.ts";
import { type FuzzedService, startFuzzedService } from "./service.ts";

const REQUESTS_DEFAULT = 2_000;
const SLOW_MS = 1_000;
/** Runs due work and measures memory after this many requests. */
const ROUND = 500;
/** The allowed growth of memory in the service and this program after the first round. */
const GROWTH_BYTES_MAX = 40 * 1024 * 1024;
const METHODS: readonly Method[] = ["get", "post", "put", "delete"];

const { values } = readCommandLine(import.meta.filename, {
  options: {
    seed: { type: "string" },
    requests: { type: "string" },
    from: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const seed = seedFrom(values.seed);
const requestsMax = wholeNumber("--requests", values.requests, REQUESTS_DEFAULT);

const say = (text: string) => {
  if (!values.json) process.stdout.write(`${text}\n`);
};

interface Tally {
  requests: number;
  serverErrors: number;
  undocumented: number;
  slow: number;
  leftOver: number;
  readonly statuses: Map<number, number>;
}

function operationsOf(document: OpenApiDocument): KnownOperation[] {
  const [fallback] = document.servers;
  return Object.entries(document.paths)
    .filter(([path]) => !path.startsWith("/sandbox"))
    .flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        if (operation === undefined) return [];
        const baseUrl = operation.servers?.[0]?.url ?? fallback?.url ?? "";
        return [{ path, method, operation, baseUrl }];
      }),
    );
}

async function send({ target, url, headers, body }: GeneratedRequest): Promise<SeenAnswer & { milliseconds: number }> {
  const begun = performance.now();
  const method = target.method.toUpperCase();
  const sent = typeof body === "string" ? body : body === null ? undefined : new Uint8Array(body);
  const answer = await fetch(url, { method, headers, redirect: "manual", ...(sent !== undefined && { body: sent }) });
  const text = await answer.text();
  const type = answer.headers.get("content-type");
  return { status: answer.status, type, text, milliseconds: performance.now() - begun };
}

/** Requests that no client can send, such as one with a line break in a header, are skipped. */
function isSendable({ headers, url }: GeneratedRequest): boolean {
  try {
    new Headers(headers);
    new URL(url);
    return true;
  } catch {
    return false;
  }
}

function remember(known: KnownThings, { path, method }: KnownOperation, { status, text }: SeenAnswer): void {
  if (method !== "post" || status !== 201) return;
  const body: unknown = JSON.parse(text);
  if (typeof body !== "object" || body === null) return;
  if (path === "/orders" && "hash" in body && known.orders.length < 50) known.orders.push(String(body.hash));
  if ("widget_token" in body && known.widgetTokens.length < 50) known.widgetTokens.push(String(body.widget_token));
  if (path === "/api/webhook_endpoints" && "id" in body) known.endpoints.push(String(body.id));
}

async function main(): Promise<number> {
  const service = await startFuzzedService();
  const { document } = service;
  const operations = operationsOf(document);
  const judge = createJudge(document);
  const known: KnownThings = {
    orders: [],
    widgetTokens: [],
    endpoints: [],
    ruts: ["40100000-3", "40.237.731-3", "1-9"],
    credentials: [
      await service.makeProvider({ meta: false }),
      await service.makeProvider({ meta: true }),
      await service.makeProvider({ active: false }),
    ],
  };
  const tally: Tally = { requests: 0, serverErrors: 0, undocumented: 0, slow: 0, leftOver: 0, statuses: new Map() };
  const memory: number[] = [];
  say(`seed ${seed}`);
  for (let number = wholeNumber("--from", values.from, 0); number < requestsMax; number += 1) {
    const target = operations[number % operations.length];
    if (target === undefined) throw new Error("The document has no operation.");
    const [request] = fc.sample(requestsTo(target, document, known), { seed: seed + number, numRuns: 1 });
    if (request === undefined || !isSendable(request)) continue;
    await tryOne(service, judge, tally, known, request, number);
    if (tally.requests % ROUND !== 0) continue;
    await service.runDue();
    memory.push(heldBytes());
  }
  const growth = Math.max(0, (memory.at(-1) ?? 0) - (memory[0] ?? 0));
  await service.close();
  return tell(tally, growth);
}

/** The memory in use after garbage collection; needs `--expose-gc`. */
function heldBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function tryOne(
  service: FuzzedService,
  judge: ReturnType<typeof createJudge>,
  tally: Tally,
  known: KnownThings,
  request: GeneratedRequest,
  number: number,
): Promise<void> {
  const isWriting = request.target.method !== "get";
  const before = isWriting ? await service.countThings() : "";
  const answer = await send(request);
  tally.requests += 1;
  tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
  const wrong: string[] = [];
  if (answer.status >= 500) {
    tally.serverErrors += 1;
    wrong.push(`${answer.status}: ${service.takeErrors().join(" ").slice(0, 2_000)}`);
  } else {
    const faults = judge(request.target, answer);
    if (faults !== null) {
      tally.undocumented += 1;
      wrong.push(faults);
    }
  }
  if (answer.status >= 400 && isWriting && (await service.countThings()) !== before) {
    tally.leftOver += 1;
    wrong.push(`something is left of what was refused with ${answer.status}: ${before} ${await service.countThings()}`);
  }
  // On a busy machine any request may be slow once, so repeat it: a slow request is slow again.
  const slowMs = slowMsOf(request.target);
  if (answer.milliseconds > slowMs && (await send(request)).milliseconds > slowMs) {
    tally.slow += 1;
    wrong.push(`took ${Math.round(answer.milliseconds)} ms`);
  }
  remember(known, request.target, answer);
  for (const sentence of wrong)
    say(`${describe(request, number, sentence)}\n  again: pnpm fuzz --seed ${seed} --requests ${number + 1}`);
}

/** A contract is printed by a low-priority process, which starts late on a busy machine. */
function slowMsOf({ path }: KnownOperation): number {
  return /\/(agreement|receipt)\/file$/.test(path) ? PRINT_TIMEOUT_MS : SLOW_MS;
}

function describe({ target, url, headers, body }: GeneratedRequest, number: number, sentence: string): string {
  const shown = typeof body === "string" ? body.slice(0, 500) : body === null ? "no body" : `${body.length} bytes`;
  const { pathname } = new URL(url);
  const names = Object.keys(headers).join(", ");
  return `\nrequest ${number}, ${target.method.toUpperCase()} ${pathname} (${names}):\n  ${sentence}\n  sent: ${shown}`;
}

function tell({ requests, serverErrors, undocumented, slow, leftOver, statuses }: Tally, growth: number): number {
  const hasGrown = growth > GROWTH_BYTES_MAX;
  const numbers = {
    requests,
    server_errors: serverErrors,
    undocumented,
    slow,
    left_over: leftOver,
    growth_bytes: growth,
    seed,
  };
  if (values.json) process.stdout.write(`${JSON.stringify(numbers)}\n`);
  else {
    say(
      Object.entries(numbers)
        .map(([name, value]) => `${name} ${value}`)
        .join(", "),
    );
    say(
      [...statuses]
        .toSorted(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(", "),
    );
  }
  return serverErrors + undocumented + slow + leftOver > 0 || hasGrown ? 1 : 0;
}

process.exit(await main());
