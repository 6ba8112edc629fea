import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import type { Fintoc } from "./fintoc.ts";
import { FintocAnswerUnusable, type Transfer as FintocTransfer, nameOf } from "./fintoc-api.ts";
import { commentOf, isPartlyPaid, nextPart, type Part, partName, reasonOf, stateOf } from "./part.ts";
import {
  deleteCounterparty,
  findCounterparty,
  latestBegunAt,
  listPaidParts,
  listParts,
  type Transfer,
  updatePart,
} from "./transfer-store.ts";

/**
 * Continues a transfer as far as it goes now, and returns its parts. Any process may continue it at any time, also two
 * at once: Fintoc makes one transfer for a part's key, and the list finds it once the key is forgotten.
 */
export async function sendParts(fintoc: Fintoc, transfer: Transfer): Promise<readonly Part[]> {
  const { clock, db, logger } = fintoc;
  let parts = await listParts(db, transfer.id);
  if (parts.every(({ state }) => state === "paid")) return readAgain(fintoc, parts);
  // Each step ends a part, or leaves it pending.
  for (let steps = 0; steps < parts.length; steps += 1) {
    const next = nextPart(parts, clock.now());
    if (next === null) break;
    const after = await advance(fintoc, transfer, next);
    parts = await listParts(db, transfer.id);
    if (after !== "ended") break;
  }
  if (isPartlyPaid(parts)) logger.error("fintoc.partly_paid", { call: transfer.idempotencyKey });
  if (parts.every(({ state }) => state === "paid")) await deleteCounterparty(db, transfer.id);
  return parts;
}

/** How long a paid transfer may come back. */
const RETURNS_WITHIN_MS = 30 * DAY_MS;

/** Reads whether paid parts came back. Without an answer they stay paid. */
async function readAgain(fintoc: Fintoc, parts: readonly Part[]): Promise<readonly Part[]> {
  const { api, clock, db, logger } = fintoc;
  const since = clock.now().getTime() - RETURNS_WITHIN_MS;
  for (const part of parts) {
    const { fintocId, paidAt } = part;
    if (fintocId === null || paidAt === null || paidAt.getTime() < since) continue;
    try {
      const reply = await api.read(fintocId);
      if (reply.is === "answer") await recordReturn(fintoc, part, reply.answer);
    } catch (error) {
      logger.warn("fintoc.return_not_read", { error });
    }
  }
  return listParts(db, parts[0]?.transferId ?? "");
}

async function recordReturn({ clock, db, logger }: Fintoc, part: Part, found: FintocTransfer): Promise<void> {
  requireAbout(part, found);
  const { state, reason } = stateOf(found);
  if (state !== "returned" && state !== "failed") return;
  const after = { ...part, state: "returned", reason: reason ?? "other", changedAt: clock.now() } as const;
  if (!(await updatePart(db, part, after))) return;
  logger.warn("fintoc.part_returned", { call: part.transferId, reason: after.reason });
}

/** Reads which parts of all transfers came back. */
export async function readReturns(fintoc: Fintoc): Promise<void> {
  const { accountId, api, clock, db } = fintoc;
  const since = new Date(clock.now().getTime() - RETURNS_WITHIN_MS);
  const paid = await listPaidParts(db, since);
  if (paid.length === 0) return;
  const list = await api.list({ accountId, since: new Date(since.getTime() - DAY_MS) });
  const byId = new Map(list.map((each) => [each.id, each]));
  for (const part of paid) {
    const found = byId.get(part.fintocId ?? "");
    if (found !== undefined) await recordReturn(fintoc, part, found);
  }
}

async function advance(fintoc: Fintoc, transfer: Transfer, part: Part): Promise<"ended" | "pending"> {
  const { clock, db } = fintoc;
  if (part.state === "failed") {
    const again = { ...part, state: "planned", fintocId: null, reason: null, attempt: part.attempt + 1 } as const;
    if (!(await updatePart(db, part, { ...again, changedAt: clock.now() }))) return "pending";
    return create(fintoc, transfer, again);
  }
  if (part.fintocId === null) return create(fintoc, transfer, part);
  const reply = await fintoc.api.read(part.fintocId);
  if (reply.is === "refused") {
    fintoc.logger.error("fintoc.transfer_not_readable", { call: transfer.idempotencyKey, status: reply.status });
    return "pending";
  }
  return record(fintoc, part, reply.answer);
}

/** Sends a part, unless Fintoc has it already: an answer was lost, or the database was restored. */
async function create(fintoc: Fintoc, transfer: Transfer, part: Part): Promise<"ended" | "pending"> {
  const { accountId, api, clock, db, logger } = fintoc;
  const name = partName(part);
  const known = await findByName(fintoc, name, await sinceOf(fintoc, transfer));
  if (known !== undefined) return record(fintoc, part, known);
  const counterparty = await findCounterparty(db, transfer.id);
  if (counterparty === null) return "pending";
  const comment = commentOf(transfer.reference, part);
  const reply = await api.create({ accountId, amount: part.amount, comment, name, counterparty }, name);
  if (reply.is === "answer") return record(fintoc, part, reply.answer);
  const { status, code, param } = reply;
  logger.error("fintoc.transfer_refused", { call: transfer.idempotencyKey, status, code });
  const made = await findByName(fintoc, name, await sinceOf(fintoc, transfer));
  if (made !== undefined) return record(fintoc, part, made);
  const reason = reasonOf(`${code} ${param}`);
  await updatePart(db, part, { ...part, state: "failed", reason, changedAt: clock.now() });
  return "ended";
}

async function record({ clock, db }: Fintoc, part: Part, found: FintocTransfer): Promise<"ended" | "pending"> {
  requireAbout(part, found);
  if (found.amount !== part.amount) throw new Error("Fintoc's transfer has another amount than its part.");
  const { state, reason } = stateOf(found);
  const now = clock.now();
  const paidAt = state === "paid" || state === "returned" ? now : null;
  if (state !== part.state || found.id !== part.fintocId)
    await updatePart(db, part, { ...part, state, reason, fintocId: found.id, changedAt: now, paidAt });
  return state === "pending" ? "pending" : "ended";
}

/** Refuses an answer about another transfer. The answer may lack the name. */
function requireAbout(part: Part, found: FintocTransfer): void {
  if ((nameOf(found) ?? partName(part)) !== partName(part)) throw new FintocAnswerUnusable("another_transfer");
}

/** Without an earlier transfer the whole database may be new: as far back as a payout is repeated. */
const UNKNOWN_PAST_MS = 35 * DAY_MS;

/** From when on the list may have the transfer: the latest that this database knows before it. */
async function sinceOf({ clock, db }: Fintoc, transfer: Pick<Transfer, "id" | "begunAt">): Promise<Date> {
  const latest = (await latestBegunAt(db, transfer)) ?? new Date(transfer.begunAt.getTime() - UNKNOWN_PAST_MS);
  return new Date(Math.min(latest.getTime(), clock.now().getTime()) - DAY_MS);
}

async function findByName(
  { accountId, api }: Pick<Fintoc, "accountId" | "api">,
  name: string,
  since: Date,
): Promise<FintocTransfer | undefined> {
  return (await api.list({ accountId, since })).find((each) => nameOf(each) === name);
}

/** Whether Fintoc has a transfer that this database does not know: the database was restored. */
export async function isAtFintoc(fintoc: Fintoc, transferId: string): Promise<boolean> {
  const since = await sinceOf(fintoc, { id: transferId, begunAt: fintoc.clock.now() });
  const found = await fintoc.api.list({ accountId: fintoc.accountId, since });
  return found.some((each) => nameOf(each)?.startsWith(`${transferId}-`) === true);
}
