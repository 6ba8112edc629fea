import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { answerText } from "../../../src/back-office/cli/print.ts";
import { shownTimeline } from "../../../src/back-office/cli/print-timeline.ts";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { findOrders } from "../../../src/back-office/timeline/find-orders.ts";
import { type OrderTimeline, showOrder, type TimelineEntry } from "../../../src/back-office/timeline/order-timeline.ts";
import { noteChargeback } from "../../../src/collection/daily-sync.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import { ORDERS_FOUND_MAX } from "../../../src/orders/order-reads.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { switchOff, switchOn } from "../../../src/platform/switch-store.ts";
import { cancelledOrder } from "../../cancelled-order.ts";
import { troubledDatabase } from "../../troubled-database.ts";
import { accept, startReceiver } from "../../webhook-receiver.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  LATER,
  PATIENTS,
  START,
  UNRECONCILED,
} from "../after-paid/after-paid-world.ts";
import { type KnownPatients, knownPatientsOf } from "../orders/known-patients-world.ts";
import { CARDS, present } from "../orders/orders-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => UNRECONCILED }, async (beginning) => {
  ({ world, clinic } = beginning);
  await clinic.agreeOnPayouts();
});

const advance = (days: number) => world.bff.advance(days * DAY_MS);
const dependencies = () => {
  const { database, clock } = world.bff;
  return { db: database.db, clock, ids: systemIds, environment: "staging" as const };
};

async function timelineOf(hash: string, isRevealed = false): Promise<OrderTimeline> {
  const { orderId } = clinic.key(hash);
  const look = { orderId, providers: [clinic.clinic.provider], actor: "operator:camila", isRevealed };
  return present(await showOrder(dependencies(), look));
}

/** The entries that the tables imply, each once. */
async function recordOf(hash: string) {
  const { db } = world.bff.database;
  const { orderId } = clinic.key(hash);
  const ledger = await db
    .selectFrom("ledger_transfers")
    .select(["cause", "debit", "credit", "amount"])
    .where("order_id", "=", orderId)
    .execute();
  const events = await db.selectFrom("events").select("id").where("order_id", "=", orderId).execute();
  const attempts = await db.selectFrom("payment_attempts").select("id").where("order_id", "=", orderId).execute();
  return { ledger, events: events.map(({ id }) => id), attempts: attempts.map(({ id }) => id) };
}

const refund = async (hash: string, amount?: number) => {
  await clinic.refund(hash, amount === undefined ? {} : { amount });
  await world.bff.runDue();
};

/** A clinic that recognises its patients. The order of this life is one of its orders. */
async function beginKnown(): Promise<KnownPatients> {
  const known = await knownPatientsOf(world.bff);
  const { provider } = known.clinic;
  const key = (hash: string) => ({ providerId: provider.id, orderId: present(readOrderId(hash)) });
  clinic = { ...clinic, ...known.checkout, clinic: known.clinic, key };
  return known;
}

interface Life {
  readonly life: string;
  /** Plays the life and returns the order's hash. */
  readonly play: () => Promise<string>;
  /** Entries that it must have, in this sequence. */
  readonly has: readonly string[];
  readonly lacks?: readonly string[];
  /** Everything that it waits for, and everything that comes next. */
  readonly waits: readonly string[];
  readonly next: readonly string[];
  readonly exceptions?: readonly string[];
}

/** The next steps of a paid order whose claim is with the insurer. */
const NEXT_OF_FILED = [
  "reimbursements.poll_claim",
  "payouts.run",
  "claims.remind_unfiled",
  "collection.announce",
  "collection.deadline",
];

const lives: readonly Life[] = [
  {
    life: "an order that nobody pays",
    play: async () => {
      clinic = await world.newClinic({ unpaidOrderExpiryMinutes: 60 });
      return clinic.newOrder();
    },
    has: ["order.created"],
    waits: ["waits.patient"],
    next: ["order.expire"],
  },
  {
    life: "an order that was cancelled before it expired",
    play: async () => {
      clinic = await world.newClinic({ unpaidOrderExpiryMinutes: 60 });
      const hash = await clinic.newOrder();
      await clinic.call("cancelOrder", hash);
      await world.bff.runDue();
      return hash;
    },
    has: ["order.created"],
    waits: [],
    next: [],
  },
  {
    life: "a declined card",
    play: async () => {
      const hash = await clinic.readyOrder({ card: CARDS.declined });
      await clinic.pay(hash);
      await world.bff.runDue();
      return hash;
    },
    has: ["order.created", "identity.asked", "identity.validated", "payment.begun", "payment.ended"],
    lacks: ["card.charged"],
    waits: ["waits.patient"],
    next: [],
  },
  {
    life: "a claim that waits for the insurer",
    play: () => clinic.claimedOrder(PATIENTS.neverAnswered),
    has: ["order.created", "payment.begun", "payment.ended", "expense.received", "claim.filed", "ledger.booked"],
    lacks: ["claim.ended", "claim.access_blocked", "receipt.missed"],
    waits: ["waits.claim", "waits.due", "waits.payout"],
    next: NEXT_OF_FILED,
  },
  {
    life: "a receipt that did not come, though other orders' did",
    play: async () => {
      for (const rut of [PATIENTS.neverAnswered, PATIENTS.blockedAtOnce]) await clinic.claimedOrder(rut);
      const hash = await clinic.paidOrder({ rut: PATIENTS.neverAnswered });
      await advance(3);
      return hash;
    },
    has: ["order.created", "payment.ended", "receipt.missed"],
    lacks: ["expense.received", "claim.made"],
    waits: ["waits.due", "waits.receipt"],
    next: ["claims.remind_unfiled", "collection.announce", "collection.deadline"],
    exceptions: ["receipt_missing"],
  },
  {
    life: "an approved claim, collected and paid out",
    play: async () => {
      const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
      await advance(8);
      return hash;
    },
    has: ["card.charged", "payout.ended", "claim.ended", "collection.triggered", "charge.ended", "ledger.booked"],
    waits: [],
    next: [],
  },
  {
    life: "a refund of a part, netted in a later payout",
    play: async () => {
      const hash = await clinic.justPaid();
      await advance(2);
      await refund(hash, 35_000);
      await advance(2);
      return hash;
    },
    has: ["payout.ended", "refund.asked", "refund.moved", "refund.ended"],
    waits: ["waits.payout", "waits.receipt"],
    next: ["payouts.run", "claims.remind_unfiled"],
    exceptions: ["receipt_missing"],
  },
  {
    life: "a refund of all after the collection",
    play: async () => {
      const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
      await advance(8);
      await refund(hash);
      return hash;
    },
    has: ["charge.ended", "refund.asked", "refund.moved", "tax_document.issued"],
    waits: ["waits.payout"],
    next: ["payouts.run"],
    exceptions: ["claim_of_refunded_order"],
  },
  {
    life: "a refund of a part that its card takes no part of, until an operator has transferred it",
    play: async () => {
      const hash = await clinic.justPaid(LATER.debit);
      await clinic.fault("card-processor", "charge", "fail_after");
      await clinic.approve(hash);
      await world.bff.runDue();
      await refund(hash, 10_000);
      await advance(1);
      expect((await timelineOf(hash)).waits.map(({ what }) => what)).toContain("waits.transfer");
      const other = await timelineOf(await clinic.newOrder());
      expect(other.waits.map(({ what }) => what)).toEqual(["waits.patient"]);
      const owed = (await listExceptions(dependencies(), clinic.clinic.provider.id)).find(
        ({ kind }) => kind === "transfer_owed",
      );
      const resolution = { resolution: "transferred" as const, actor: "operator:camila", note: "transferencia 8123" };
      const resolve = (note: string | null) =>
        resolveException(dependencies(), exceptionId(present(owed)), { ...resolution, note });
      await expect(resolve(null)).rejects.toThrow("Say in --note how the patient was paid.");
      expect((await resolve(resolution.note)).outcome).toBe("$10.700 booked as transferred.");
      await world.bff.runDue();
      return hash;
    },
    has: ["refund.asked", "refund.moved", "refund.transferred"],
    waits: [],
    next: ["claims.remind_unfiled"],
  },
  {
    life: "a refund of which nothing is heard",
    play: async () => {
      const hash = await clinic.justPaid();
      await clinic.fault("card-processor", "returnCharge", "fail_before", 100);
      await refund(hash);
      return hash;
    },
    has: ["refund.asked"],
    lacks: ["refund.moved", "refund.ended"],
    waits: ["waits.refund", "waits.due", "waits.payout"],
    next: ["refund.settle", "payouts.run", "claims.remind_unfiled", "collection.announce", "collection.deadline"],
  },
  {
    life: "a payment of which nothing is heard",
    play: async () => {
      const hash = await clinic.readyOrder();
      await clinic.fault("card-processor", "charge", "fail_before", 100);
      await clinic.pay(hash);
      await world.bff.runDue();
      return hash;
    },
    has: ["identity.validated", "payment.begun"],
    lacks: ["payment.ended", "card.charged"],
    waits: ["waits.payment"],
    next: ["payment.settle"],
  },
  {
    life: "a card that was replaced, of whose removal nothing is heard",
    play: async () => {
      const hash = await clinic.readyOrder({ card: CARDS.debit });
      await clinic.fault("card-processor", "removeCard", "fail_before", 100);
      await clinic.addCard(hash);
      await world.bff.runDue();
      return hash;
    },
    has: ["card_removal.asked"],
    lacks: ["card_removal.ended"],
    waits: ["waits.patient", "waits.card_removal"],
    next: ["order.remove_card"],
  },
  {
    life: "a tax document that is not issued",
    play: async () => {
      const hash = await clinic.justPaid();
      await clinic.fault("tax-documents", "issueDocument", "fail_before", 100);
      await clinic.approve(hash);
      await world.bff.runDue();
      return hash;
    },
    has: ["card_removal.asked", "card_removal.ended"],
    lacks: ["tax_document.issued"],
    waits: ["waits.tax_document", "waits.payout"],
    next: ["tax_document.issue", "payouts.run", "claims.remind_unfiled"],
  },
  {
    life: "a card that the processor is to keep, of which nothing is heard",
    play: async () => {
      const known = await beginKnown();
      await known.fault("keepCard", "fail_before", 100);
      return known.paidAndKept();
    },
    has: ["payment.begun", "payment.ended", "saved_card.asked"],
    lacks: ["saved_card.saved", "saved_card.used"],
    waits: ["waits.due", "waits.payout"],
    next: ["saved_card.settle", "payouts.run", "claims.remind_unfiled", "collection.announce", "collection.deadline"],
  },
  {
    life: "a card that was kept, and pays the next order too",
    play: async () => {
      const known = await beginKnown();
      await known.paidAndKept();
      const { hash } = await known.recognised();
      await clinic.addCard(hash);
      await known.useCard(hash, present((await known.rows())[0]).id);
      await clinic.pay(hash);
      await world.bff.runDue();
      return hash;
    },
    has: ["payment.begun", "payment.ended", "card_removal.asked", "saved_card.used"],
    lacks: ["identity.asked", "saved_card.asked", "saved_card.saved"],
    waits: ["waits.due", "waits.payout"],
    next: ["payouts.run", "claims.remind_unfiled", "collection.announce", "collection.deadline"],
  },
  {
    life: "a patient at the card processor's page, after one that they left",
    play: async () => {
      clinic = await world.newClinic({ cardPage: true });
      const hash = await clinic.newOrder();
      await clinic.identify(hash);
      const left = await clinic.call("openCardPage", hash, { body: {} });
      await clinic.onCardPage(left.body.page.url, "cancel");
      expect((await clinic.call("openCardPage", hash, { body: {} })).body.status).toBe("open");
      return hash;
    },
    has: ["card_page.opened", "card_page.ended"],
    waits: ["waits.patient", "waits.card_page"],
    next: ["order.card_page"],
  },
  {
    life: "an early payment whose patient is at their issuer's",
    play: async () => {
      const hash = await clinic.paidOrder({ rut: PATIENTS.neverAnswered, card: LATER.challenged });
      await world.bff.runDue();
      const { provider } = clinic.clinic;
      const paid = await payEarly(world.collection, { provider, key: clinic.key(hash), now: world.bff.clock.now() });
      expect(paid.outcome).toBe("requires_action");
      return hash;
    },
    has: ["authentication.asked"],
    waits: ["waits.authentication", "waits.due", "waits.payout"],
    next: [
      "collection.authenticate",
      "payouts.run",
      "claims.remind_unfiled",
      "collection.announce",
      "collection.deadline",
    ],
  },
  {
    life: "a collection that failed and was written off",
    play: async () => {
      const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days, LATER.stolen);
      await advance(8);
      const [failed] = await listExceptions(dependencies(), clinic.clinic.provider.id);
      const resolution = { resolution: "write_off" as const, actor: "operator:camila", note: "no se pudo ubicar" };
      await resolveException(dependencies(), exceptionId(present(failed)), resolution);
      await world.bff.runDue();
      return hash;
    },
    has: ["collection.triggered", "charge.begun", "charge.ended", "loan.reported", "ledger.booked"],
    waits: ["waits.operator"],
    exceptions: ["collection_written_off"],
    next: ["collection.announce", "collection.deadline"],
  },
  {
    life: "a write-off of which the lender has not heard",
    play: async () => {
      const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days, LATER.stolen);
      await advance(8);
      await clinic.fault("financing-provider", "reportLoan", "fail_before", 100);
      const [failed] = await listExceptions(dependencies(), clinic.clinic.provider.id);
      const resolution = { resolution: "write_off" as const, actor: "operator:camila", note: "no se pudo ubicar" };
      await resolveException(dependencies(), exceptionId(present(failed)), resolution);
      await world.bff.runDue();
      return hash;
    },
    has: ["charge.ended", "ledger.booked"],
    waits: ["waits.operator", "waits.loan_report"],
    exceptions: ["collection_written_off"],
    next: ["collection.report_loan", "collection.announce", "collection.deadline"],
  },
  {
    life: "a chargeback that stops the collection",
    play: async () => {
      const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
      const { orderId, providerId } = clinic.key(hash);
      const [charge] = (await clinic.order(hash)).payments;
      const at = world.bff.clock.now();
      const { amount } = present(charge);
      const taken = { id: "back", chargeId: present(charge?.chargeId), amount, orderId, providerId, at };
      await inTransaction(world.bff.database.db, (tx) => noteChargeback(tx, systemIds, taken, at));
      return hash;
    },
    has: ["payment.ended", "chargeback.noted"],
    // Its last event is not dispatched yet.
    waits: ["waits.claim", "waits.operator", "waits.payout", "waits.event"],
    next: NEXT_OF_FILED,
    exceptions: ["collection_stopped"],
  },
];

test.each(lives)(
  "the timeline of $life shows its events",
  async ({ play, has, lacks = [], waits, next, exceptions = [] }) => {
    const hash = await play();
    const timeline = await timelineOf(hash);
    const { happened } = timeline;

    const times = happened.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const kinds = happened.map(({ what }) => what);
    expect(inOrder(kinds, has)).toEqual(has);
    for (const kind of lacks) expect(kinds).not.toContain(kind);

    const { ledger, events, attempts } = await recordOf(hash);
    const byCause = (a: { cause: string | null }, b: { cause: string | null }) =>
      (a.cause ?? "").localeCompare(b.cause ?? "");
    const moved = happened.filter(({ amount }) => amount !== null);
    expect(moved.map(({ subject, amount, facts }) => ({ cause: subject, amount, ...facts })).toSorted(byCause)).toEqual(
      ledger.toSorted(byCause),
    );
    const published = happened.filter(({ what }) => what === "event").map(({ subject }) => subject);
    expect(published).toHaveLength(events.length);
    expect(new Set(published)).toEqual(new Set(events));
    const begun = happened.filter(({ what }) => what === "payment.begun").map(({ subject }) => subject);
    expect(begun).toHaveLength(attempts.length);
    expect(new Set(begun)).toEqual(new Set(attempts));

    expect(timeline.waits.map(({ what }) => what)).toEqual(waits);
    expect(timeline.next.map(({ what }) => what)).toEqual(next);
    expect(timeline.exceptions.map(({ kind }) => kind)).toEqual(exceptions);

    const other = await timelineOf(await clinic.newOrder());
    const expires = clinic.clinic.provider.settings.unpaidOrderExpiryMinutes !== null;
    expect([other.happened, other.waits, other.next].map((entries) => entries.map(({ what }) => what))).toEqual([
      ["order.created"],
      ["waits.patient"],
      expires ? ["order.expire"] : [],
    ]);
  },
);

test("a receipt that arrives late is no longer awaited", async () => {
  const rut = PATIENTS.neverAnswered;
  await clinic.register(rut);
  const hash = await clinic.paidOrder({ rut });
  await advance(3);
  await clinic.submitReceipt(hash, rut);
  await world.bff.runDue();
  const { happened, waits } = await timelineOf(hash);
  const late = ["receipt.missed", "expense.received", "claim.filed"];
  expect(
    inOrder(
      happened.map(({ what }) => what),
      late,
    ),
  ).toEqual(late);
  expect(waits.map(({ what }) => what)).toEqual(["waits.due", "waits.claim"]);
});

/** The entries of `wanted` that are in `found`, in this sequence. */
function inOrder(found: readonly string[], wanted: readonly string[]): string[] {
  let from = 0;
  return wanted.filter((each) => {
    const at = found.indexOf(each, from);
    if (at !== -1) from = at;
    return at !== -1;
  });
}

test("an operator finds each charge and return in the processor's portal by the timeline's references", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  await advance(8);
  await refund(hash, 1_000);
  const listed = await clinic.sandbox.cardProcessor.listMovements(
    clinic.clinic.provider.id,
    new Date("2026-01-01"),
    new Date("2100-01-01"),
  );
  const ofOrder = listed.filter(({ orderHash }) => orderHash === clinic.key(hash).orderId);
  const entriesOf = async (what: string) => (await timelineOf(hash)).happened.filter((entry) => entry.what === what);
  const factsOf = async (what: string) => (await entriesOf(what)).map(({ facts }) => facts);
  const vouchersOf = (kind: "charge" | "return") =>
    ofOrder
      .filter((movement) => movement.kind === kind)
      .map(({ buyOrder, storeCode, authorisationCode }) => ({
        buy_order: buyOrder,
        store_code: storeCode,
        authorisation_code: authorisationCode,
      }));
  const charges = ofOrder.filter(({ kind }) => kind === "charge");
  expect(charges).toHaveLength(2);
  const days = (await entriesOf("card.charged")).map(({ at }) => Math.round((at.getTime() - START.getTime()) / DAY_MS));
  expect(days).toEqual([0, 5]);
  expect(await factsOf("card.charged")).toMatchObject(
    vouchersOf("charge").map((voucher, at) => ({ ...voucher, charge: charges[at]?.chargeId, instalments: 0 })),
  );
  expect((await factsOf("refund.moved")).filter(({ kind }) => kind === "card_return")).toMatchObject(
    vouchersOf("return"),
  );
  // The patient's contract is about one charge, so the operator sees that an issuer split it into instalments.
  await world.bff.database.db
    .updateTable("order_payments")
    .set({ instalments: 3 })
    .where("order_id", "=", clinic.key(hash).orderId)
    .where("kind", "=", "deferred")
    .execute();
  expect((await factsOf("card.charged")).map(({ instalments }) => instalments)).toEqual([0, 3]);
});

test("a timeline shows the deliveries of this order only, with its waits and next steps", async () => {
  const { bff } = world;
  const [open, closed] = [await startReceiver(bff.clock), await startReceiver(bff.clock)];
  for (const receiver of [open, closed]) onTestFinished(() => receiver.close());
  open.behave((response) => response.writeHead(500).end());
  const as = clinic.clinic;
  const create = async (url: string): Promise<string> =>
    (await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as, body: { url } })).body.id;
  const [sent, paused] = [await create(open.url), await create(closed.url)];
  await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { as, params: { id: paused }, body: { paused: true } });
  // The events of both orders have the same timestamp.
  const [{ hash }, { hash: other }] = [await cancelledOrder(bff, as), await cancelledOrder(bff, as)];
  await bff.runDue();
  const webhooksOf = async (order: string) => {
    const { happened, waits, next } = await timelineOf(order);
    const of = (what: string, entries: readonly TimelineEntry[]) => entries.filter((entry) => entry.what === what);
    return {
      subjects: new Set(of("webhook.queued", happened).map(({ subject }) => subject)),
      queued: of("webhook.queued", happened).map(({ facts }) => facts.endpoint),
      attempted: of("webhook.attempted", happened).map(({ facts }) => facts),
      waits: of("waits.webhook", waits).map(({ facts }) => [facts.attempts, facts.paused]),
      next: next.filter(({ what }) => what === "webhooks.retry").map(({ at }) => at.getTime()),
    };
  };
  const failed = { number: 1, outcome: "failed", failure: "status", status: 500 };
  const first = await webhooksOf(hash);
  expect(first.queued).toHaveLength(2);
  expect(new Set(first.queued)).toEqual(new Set([sent, paused]));
  expect(first.attempted).toEqual([failed]);
  expect(first.waits).toHaveLength(2);
  expect(first.waits).toEqual(
    expect.arrayContaining([
      [0, true],
      [1, false],
    ]),
  );
  expect(first.next).toEqual([bff.clock.now().getTime() + 60_000]);
  const ofOther = await webhooksOf(other);
  expect([...ofOther.subjects].filter((subject) => first.subjects.has(subject))).toEqual([]);

  open.behave(accept);
  await bff.advance(60_000);
  expect(await webhooksOf(hash)).toMatchObject({
    attempted: [failed, { number: 2, outcome: "succeeded", status: 204 }],
    waits: [[0, true]],
    next: [],
  });

  open.behave((response) => response.writeHead(500).end());
  const { hash: dropped } = await cancelledOrder(bff, as);
  await bff.runDue();
  await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as, params: { id: sent } });
  expect(await webhooksOf(dropped)).toMatchObject({ attempted: [failed], waits: [[0, true]], next: [] });
});

test("a lookup shows the patient's data only on request, and is audited accordingly", async () => {
  const hash = await clinic.justPaid();
  const { customer } = await clinic.order(hash);
  const textOf = async (isRevealed: boolean, asJson: boolean) =>
    answerText(shownTimeline(await timelineOf(hash, isRevealed), { isRevealed, now: world.bff.clock.now() }), asJson);
  const secrets = [customer.rut, customer.email, customer.lastName, customer.phoneNumber];
  for (const asJson of [true, false]) {
    const [masked, revealed] = [await textOf(false, asJson), await textOf(true, asJson)];
    for (const secret of secrets) {
      expect(masked).not.toContain(secret);
      expect(revealed).toContain(secret);
    }
  }
  const looks = await world.bff.database.db
    .selectFrom("audit_log")
    .select(["actor", "details"])
    .where("act", "=", "order.seen")
    .where("subject_id", "=", clinic.key(hash).orderId)
    .orderBy("id")
    .execute();
  expect(looks.map(({ actor }) => actor)).toEqual(Array.from({ length: 4 }, () => "operator:camila"));
  expect(looks.filter(({ details }) => JSON.stringify(details).includes("true"))).toHaveLength(2);
});

test("idle time is one line, and switches that are off are listed", async () => {
  const hash = await clinic.newOrder();
  await advance(2);
  const off = { what: "charges", providerId: clinic.clinic.provider.id } as const;
  await switchOff(world.bff.database.db, off);
  const shown = shownTimeline(await timelineOf(hash), { isRevealed: false, now: world.bff.clock.now() });
  await switchOn(world.bff.database.db, off);
  expect(shown.lines.filter((line) => line.startsWith("  …"))).toEqual(["  … 2 d"]);
  expect(shown.lines.slice(shown.lines.indexOf("switched off:"))).toEqual(["switched off:", "  charges"]);
});

test("an order is found by hash, reference, RUT and e-mail, and never for another provider", async () => {
  const hash = await clinic.newOrder({ customer: { email: "Camila.Rojas@example.com" } });
  const { reference, customer } = await clinic.order(hash);
  const found = async (text: string, of = clinic) => {
    const asked = { text, providers: [of.clinic.provider], actor: "operator:camila" };
    return (await findOrders(dependencies(), asked)).map(({ orderId }) => orderId as string);
  };
  for (const text of [hash, reference, customer.rut, "camila.rojas@EXAMPLE.com"])
    expect(await found(text)).toEqual([hash]);
  expect(await found("nobody@example.com")).toEqual([]);
  expect(await found(reference, await world.newClinic())).toEqual([]);
});

test("a search is as many statements for 50 orders as for one, and each order has its audit row", async () => {
  const hash = await clinic.newOrder();
  const { orderId } = clinic.key(hash);
  const { db } = world.bff.database;
  const { customer } = await clinic.order(hash);
  const { ids, ...others } = dependencies();
  const acts: string[] = [];
  const sent = { db: troubledDatabase(db, () => acts.push("statement")) };
  const search = async () => {
    acts.length = 0;
    const asked = { text: customer.rut, providers: [clinic.clinic.provider], actor: "operator:sol" };
    const found = await findOrders({ ...others, ids, ...sent }, asked);
    return { found: found.map((order) => order.orderId).toSorted(), statements: acts.length };
  };
  const one = await search();
  expect(one.found).toEqual([orderId]);
  await sql`
    insert into orders select (jsonb_populate_record(first, jsonb_build_object(
      'id', gen_random_uuid(), 'reference', 'copy-' || n))).*
    from orders as first, generate_series(2, ${ORDERS_FOUND_MAX}) as n where first.id = ${orderId}::uuid`.execute(db);
  const all = await search();
  expect([all.found.length, all.statements]).toEqual([ORDERS_FOUND_MAX, one.statements]);
  const rows = await db
    .selectFrom("audit_log")
    .select(["act", "subject_id", "details"])
    .where("actor", "=", "operator:sol")
    .execute();
  const seen = rows.filter(({ act }) => act === "order.seen").map(({ subject_id }) => subject_id);
  expect(seen.toSorted()).toEqual([orderId, ...all.found].toSorted());
  const searches = rows.filter(({ act }) => act === "patients.searched").map(({ details }) => details);
  expect(searches).toHaveLength(2);
  expect(searches).toEqual(expect.arrayContaining([{ found: 1 }, { found: ORDERS_FOUND_MAX }]));
});
