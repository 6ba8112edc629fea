import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FaultKind } from "../../../sandbox/calls/faults.ts";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import {
  CollectionResolutionRefused,
  releaseCollection,
  retryCollection,
} from "../../../src/collection/collection-resolutions.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { pullTrigger } from "../../../src/collection/trigger-charge.ts";
import { CHARGE_TRIES_MAX } from "../../../src/contract/terms.ts";
import { balancesOf } from "../../../src/orders/book-reads.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { ApiError } from "../../../src/platform/http/api-error.ts";
import { reconcile } from "../../../src/settlement/reconcile.ts";
import { Died } from "../../died.ts";
import {
  type AfterPaidWorld,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  START,
  startAfterPaid,
} from "../after-paid/after-paid-world.ts";

const ALWAYS = [new Date("2026-01-01"), new Date("2100-01-01")] as const;
const CARDS = [LATER.captured, LATER.declined, LATER.declinedTwice, LATER.stolen, LATER.answerLost, LATER.debit];
const FAULTS: readonly FaultKind[] = ["slow", "fail_before", "fail_after", "twice", "kill_after"];
const FAULT_POINTS = [
  ["card-processor", "charge"],
  ["card-processor", "inquireCharge"],
  ["card-processor", "returnCharge"],
  ["financing-provider", "reduceLoan"],
  ["bank", "transfer"],
  ["messenger", "sendEmail"],
  ["messenger", "sendMessage"],
] as const;

let world: AfterPaidWorld;
beforeAll(async () => {
  world = await startAfterPaid();
});
afterAll(() => world.bff.close());

/** One event of one of two orders. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("pass" as const), hours: fc.integer({ min: 0, max: 200 }) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("trigger" as const), which: fc.nat(1), by: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("refund" as const), which: fc.nat(1), share: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("payEarly" as const), which: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("changeCard" as const), which: fc.nat(1), card: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("chargeback" as const), which: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("people" as const), which: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("fault" as const),
      point: fc.nat(FAULT_POINTS.length - 1),
      kind: fc.nat(FAULTS.length - 1),
      calls: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("together" as const), which: fc.nat(1) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const life = fc.record({
  cards: fc.tuple(fc.nat(CARDS.length - 1), fc.nat(CARDS.length - 1)),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
});

/** Ignores refusals and deaths of the process. */
async function maybe(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    const isExpected =
      error instanceof Died || error instanceof ApiError || error instanceof CollectionResolutionRefused;
    if (!isExpected) throw error;
  });
}

function act(clinic: Clinic, hashes: readonly string[], happening: Step): Promise<unknown> {
  const { bff, collection } = world;
  const { db } = bff.database;
  const hash = ("which" in happening ? hashes[happening.which] : undefined) ?? "";
  const now = bff.clock.now();
  const trigger = (reason: "approved" | "access_blocked" | "day_45") =>
    inTransaction(db, (tx) => pullTrigger(tx, clinic.key(hash), { reason, at: now, evidence: {} }));
  const pay = () => payEarly(collection, { provider: clinic.clinic.provider, key: clinic.key(hash), now });
  switch (happening.does) {
    case "pass":
      return bff.advance(happening.hours * HOUR_MS);
    case "trigger":
      return trigger((["approved", "access_blocked", "day_45"] as const)[happening.by] ?? "approved");
    case "refund":
      return clinic.refund(hash, happening.share === 0 ? {} : { amount: happening.share * 11_000 });
    case "payEarly":
      return pay();
    case "changeCard":
      return clinic.giveCard(hash, CARDS[happening.card] ?? LATER.captured);
    case "chargeback":
      return chargeBack(clinic, hash);
    case "people":
      return Promise.all([
        maybe(inTransaction(db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(hash)))),
        maybe(inTransaction(db, (tx) => releaseCollection(tx, clinic.resolving(), clinic.key(hash)))),
      ]);
    case "fault": {
      const [party, method] = FAULT_POINTS[happening.point] ?? FAULT_POINTS[0];
      return clinic.fault(party, method, FAULTS[happening.kind] ?? "slow", happening.calls);
    }
    case "together":
      return Promise.all([
        maybe(pay()),
        trigger("approved"),
        clinic.refund(hash, { amount: 5_000 }),
        bff.runDue(),
        maybe(pay()),
      ]);
  }
}

async function chargeBack(clinic: Clinic, hash: string): Promise<void> {
  const { db } = world.bff.database;
  const charge = await db
    .selectFrom("sandbox_movements")
    .selectAll()
    .where("order_hash", "=", clinic.key(hash).orderId)
    .where("kind", "=", "charge")
    .limit(1)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("sandbox_movements")
    .values({
      ...charge,
      id: `back ${charge.id}`,
      kind: "chargeback",
      idempotency_key: "back",
      at: world.bff.clock.now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

// In the short check: simulated lives.
test("in any life after the payment, orders are collected at most once, notices are sent once, and the books agree", {
  tags: ["long"],
}, async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ cards, steps }) => {
      await world.bff.forgetTimers();
      world.bff.clock.set(START);
      const clinic = await world.newClinic();
      const hashes = [];
      for (const card of cards) hashes.push(await clinic.paidOrder({ card: CARDS[card] ?? LATER.captured }));
      await world.bff.advance(60_000);
      for (const happening of steps) await maybe(act(clinic, hashes, happening));
      await inTransaction(world.bff.database.db, (tx) => replaceFaults(tx, clinic.clinic.provider.id, []));
      await world.bff.advance(75 * DAY_MS);
      for (const hash of hashes) await expectSound(clinic, hash);
      await expectNotifiedOnce(clinic, hashes);
      await expectBooksAgree(clinic);
    }),
    { numRuns: Number(process.env.LIVES ?? 6) },
  );
});

async function expectSound(clinic: Clinic, hash: string): Promise<void> {
  const { db } = world.bff.database;
  const order = await clinic.order(hash);
  const collection = await clinic.collection(hash);
  const { cardProcessor } = clinic.sandbox;
  const movements = await cardProcessor.listMovements(clinic.clinic.provider.id, ...ALWAYS);
  const charges = movements.filter(
    (one) => one.orderHash === order.orderId && one.idempotencyKey.endsWith(":collection"),
  );
  expect(charges.length, "collected at most once").toBeLessThanOrEqual(1);
  expect(collection.state === "collected", "every collection is on the processor's list").toBe(charges.length === 1);
  expect(["scheduled", "processing"], "everything has ended").not.toContain(collection.state);
  if (collection.trigger === null) expect(["cancelled", "stopped"]).toContain(collection.state);
  const refunded = order.refunds.filter(({ status }) => status === "succeeded");
  if (order.state === "refunded") {
    const last = Math.max(...refunded.map(({ createdAt }) => createdAt.getTime()));
    for (const { at } of charges) expect(at.getTime(), "never after a refund").toBeLessThanOrEqual(last);
  }
  expect(order.deferredCancelled + order.deferredCollected).toBeLessThanOrEqual(order.deferred);
  expectWithinCaps(collection.attempts);
  const captured = await db
    .selectFrom("events")
    .select("kind")
    .where("order_id", "=", order.orderId)
    .where("kind", "=", "collection.captured")
    .execute();
  expect(captured).toHaveLength(charges.length);
}

function expectWithinCaps(attempts: readonly { initiator: string; state: string; startedAt: Date }[]): void {
  const tries = attempts
    .filter(({ initiator, state }) => initiator === "merchant" && state !== "not_made")
    .map(({ startedAt }) => startedAt.getTime());
  for (const [index, tried] of tries.entries()) {
    if (index > 0) expect(tried - (tries[index - 1] ?? 0)).toBeGreaterThanOrEqual(DAY_MS);
    expect(tries.filter((other) => other <= tried && other > tried - 10 * DAY_MS).length).toBeLessThanOrEqual(
      CHARGE_TRIES_MAX,
    );
  }
}

/** Checks that each cause has exactly one mail and one message, and that there are no others. */
async function expectNotifiedOnce(clinic: Clinic, hashes: readonly string[]): Promise<void> {
  const { db } = world.bff.database;
  const { id: providerId } = clinic.clinic.provider;
  const notices = await db.selectFrom("notices").selectAll().where("provider_id", "=", providerId).execute();
  const mails = await db.selectFrom("sandbox_notices").selectAll().where("provider_id", "=", providerId).execute();
  const messages = await db.selectFrom("sandbox_messages").selectAll().where("provider_id", "=", providerId).execute();
  for (const [channel, came] of [
    ["email", mails],
    ["message", messages],
  ] as const) {
    const ids = came.map(({ message_id }) => message_id);
    expect(new Set(ids).size, `no ${channel} comes twice`).toBe(ids.length);
    const sent = notices
      .filter((notification) => notification.channel === channel && notification.state === "sent")
      .map(({ id }) => id);
    expect(ids.toSorted(), `each ${channel} that was sent has arrived`).toEqual(sent.toSorted());
    const causes = notices.filter((notification) => notification.channel === channel).map(({ cause }) => cause);
    expect(new Set(causes).size, `one ${channel} for each cause`).toBe(causes.length);
  }
  const causesOf = (channel: string) =>
    notices
      .filter((notification) => notification.channel === channel)
      .map(({ cause }) => cause)
      .toSorted();
  // A tax document is sent by mail only.
  const alsoMessaged = causesOf("email").filter((cause) => !cause.startsWith("tax_document:"));
  expect(causesOf("message"), "both channels report the same causes").toEqual(alsoMessaged);
  const countOf = (kind: string) => notices.filter((one) => one.channel === "email" && one.kind === kind).length;
  const attempts = await db
    .selectFrom("collection_attempts")
    .select("state")
    .where("provider_id", "=", providerId)
    .execute();
  const count = (state: string) => attempts.filter((attempt) => attempt.state === state).length;
  expect(countOf("payment_receipt")).toBe(hashes.length);
  expect(countOf("charged"), "each charge is reported once").toBe(count("captured"));
  expect(countOf("charge_declined"), "each decline is reported once").toBe(count("declined"));
  expect(countOf("charge_announced")).toBeLessThanOrEqual(hashes.length);
  const refunds = await db
    .selectFrom("events")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("kind", "=", "order.refunded")
    .execute();
  expect(countOf("refunded"), "each refund is reported once").toBe(refunds.length);
}

/** By every party's list, all money that came in either went out or is still there. */
async function expectBooksAgree(clinic: Clinic): Promise<void> {
  const { id: providerId } = clinic.clinic.provider;
  const { db } = world.bff.database;
  const { cardProcessor, financingProvider, bank, taxDocuments } = clinic.sandbox;
  const period = { providerId, from: START, to: new Date(world.bff.clock.now().getTime() + 1) };
  const { differences } = await reconcile(
    { db, cardProcessor, financingProvider, bank, taxDocuments },
    period,
    world.bff.clock.now(),
  );
  // While a charge is disputed, one party holds another's money: this bank takes the whole charge, including the amount
  // that a refund had already returned.
  const disputed = new Set(differences.filter(({ kind }) => kind === "chargeback").map(({ orderId }) => orderId));
  const isOfDispute = ({ kind, orderId }: (typeof differences)[number]) =>
    disputed.has(orderId) && ["chargeback", "patient_holds_too_much", "commission_held"].includes(kind);
  expect(differences.filter((difference) => !isOfDispute(difference))).toEqual([]);
  const balances = await balancesOf(db, providerId);
  const balanceOf = (name: string) => balances.find(({ account }) => account === name)?.balance ?? 0;
  expect(balances.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  const movements = await cardProcessor.listMovements(providerId, ...ALWAYS);
  const signs = { charge: 1, return: -1, chargeback: 0 };
  expect(balanceOf("card_processor")).toBe(movements.reduce((sum, { kind, amount }) => sum + signs[kind] * amount, 0));
  const paidOut = await bank.listTransfers(providerId, ...ALWAYS);
  expect(balanceOf("bank")).toBe(-paidOut.reduce((sum, { amount }) => sum + amount, 0) + 0);
}
