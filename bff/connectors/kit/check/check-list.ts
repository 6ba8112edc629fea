import type * as z from "zod/mini";
import { DAY_MS } from "../../../src/contract/vocabulary/durations.ts";
import { bankProtocol } from "../../../src/gateways/protocols/bank.ts";
import { checkTokensOf } from "./check-keyed-call.ts";
import { type CheckRun, type Json, readAnswer } from "./check-run.ts";

interface Page {
  readonly items: readonly Json[];
  readonly next: string | null;
}

interface List {
  readonly path: string;
  readonly answer: z.ZodMiniType<{ items: object[]; next: string | null }>;
}

const PAGES_MAX = 1_000;

interface Range {
  readonly providerId: string;
  readonly from: Date;
  readonly to: Date;
}

/** All items of a list, page by page, or the fault. */
export async function readWholeList(
  run: CheckRun,
  list: List,
  range: Range,
): Promise<readonly Json[] | { readonly fault: string }> {
  const items: Json[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const input = { provider_id: range.providerId, from: range.from.toISOString(), to: range.to.toISOString(), after };
    const read = readAnswer(run, list.answer, await run.read(list.path, input));
    if ("fault" in read) return read;
    const page = read.answer as Page;
    items.push(...page.items);
    if (page.next === null) return items;
    after = page.next;
  }
  return { fault: `no last page after ${PAGES_MAX}` };
}

/** The list that the books are compared with: it has every executed call once, and nothing else. */
export async function checkList(run: CheckRun, list: List): Promise<void> {
  const { path } = list;
  const now = run.moment().getTime();
  const around = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
  const items = await readWholeList(run, list, { providerId: run.providerId, ...around });
  const expected = run.expected(path);
  if ("fault" in items) {
    run.note(path, "has-everything", HAS_EVERYTHING, items.fault);
    return;
  }
  const keysOf = (item: Json) => String(item.idempotencyKey);
  const missing = [...expected].filter(([key, effect]) => {
    const found = items.filter((item) => keysOf(item) === key);
    return !found.some((item) => item.amount === effect.amount && (effect.kind ?? item.kind) === item.kind);
  });
  run.note(
    path,
    "has-everything",
    HAS_EVERYTHING,
    missing.length === 0 ? null : `missing, or with another amount: ${missing.length} of ${expected.size}`,
  );
  const counted = new Map<string, number>();
  for (const item of items.filter((each) => run.isOurs(each) && !isReturnOfTransfer(path, each)))
    counted.set(keysOf(item), (counted.get(keysOf(item)) ?? 0) + 1);
  const twice = [...counted.values()].filter((times) => times > 1).length;
  const unasked = [...counted.keys()].filter((key) => !expected.has(key) && !run.isAllowed(key)).length;
  run.note(
    path,
    "nothing-twice",
    "a key, however often it was sent, has one item",
    twice === 0 ? null : `keys with more than one item: ${twice}`,
  );
  run.note(
    path,
    "nothing-else",
    "nothing that was not asked for, or that was refused",
    unasked === 0 ? null : `items that no answered call asked for: ${unasked}`,
  );
  checkVouchers(run, path, items);
  await checkRanges(run, list, now, expected);
  await checkTokensOf(run, path, async () =>
    JSON.stringify({ provider_id: run.providerId, from: around.from, to: around.to, after: null }),
  );
}

/** The line of a transfer that came back has the key of the transfer. */
function isReturnOfTransfer(path: string, { kind }: Json): boolean {
  return path === bankProtocol.transfers.path && kind === "return";
}

/** Operators search lists for the voucher fields of an answer. A list may omit them, but must not contradict them. */
function checkVouchers(run: CheckRun, path: string, items: readonly Json[]): void {
  const expected = [...run.expected(path)].flatMap(([key, effect]) =>
    effect.voucher === undefined ? [] : [{ key, kind: effect.kind, fields: effect.voucher }],
  );
  if (expected.length === 0) return;
  const others = expected.flatMap(({ key, kind, fields }) =>
    items
      .filter((item) => item.idempotencyKey === key && (kind ?? item.kind) === item.kind)
      .flatMap((item) => Object.keys(fields).filter((name) => differs(item[name], fields[name]))),
  );
  const fault = others.length === 0 ? null : `different: ${[...new Set(others)].join(", ")}`;
  run.note(path, "told-as-by-the-call", "the list repeats the voucher fields of the answer", fault);
}

function differs(listed: unknown, expected: unknown): boolean {
  return listed !== undefined && expected !== undefined && listed !== expected;
}

const HAS_EVERYTHING = "each call that was answered, under its key, with its amount";

async function checkRanges(
  run: CheckRun,
  list: List,
  now: number,
  expected: ReadonlyMap<string, unknown>,
): Promise<void> {
  const isExpected = (item: Json) => expected.has(String(item.idempotencyKey));
  const before = await readWholeList(run, list, {
    providerId: run.providerId,
    from: new Date(now - 40 * DAY_MS),
    to: new Date(now - 30 * DAY_MS),
  });
  const earlier = "fault" in before ? before.fault : before.some(isExpected) ? "items of now" : null;
  run.note(list.path, "asked-range-only", "nothing of now for a range of a month ago", earlier);
  const foreign = await readWholeList(run, list, {
    providerId: run.otherProviderId,
    from: new Date(now - DAY_MS),
    to: new Date(now + DAY_MS),
  });
  const others = "fault" in foreign ? foreign.fault : foreign.some(isExpected) ? "items of another provider" : null;
  run.note(list.path, "own-items-only", "a provider's list has its own items only", others);
}
