import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addReturned, insertMovement } from "../../../sandbox/card-processor/card-processor-store.ts";
import { SANDBOX_COMMISSION_TAX } from "../../../sandbox/commission-tax.ts";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import type { Resolution } from "../../../src/back-office/exceptions/exception-kinds.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { releaseCollection } from "../../../src/collection/collection-resolutions.ts";
import { noteChargeback } from "../../../src/collection/daily-sync.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import type { Order, Refund } from "../../../src/contract/orders.ts";
import { clp, formatClp } from "../../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { balancesOf } from "../../../src/orders/book-reads.ts";
import { patientOrder } from "../../../src/orders/order-view.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { reconcile } from "../../../src/settlement/reconcile.ts";
import {
  type AfterPaidWorld,
  type Clinic,
  DAY_MS,
  LATER,
  START,
  startAfterPaid,
} from "../after-paid/after-paid-world.ts";
import { CARDS, present } from "../orders/orders-world.ts";

const PESOS = /-?[\d.]+/g;
const pesos = (text: string) => Number(text.replaceAll(".", ""));

interface Life {
  readonly number: string;
  readonly steps: readonly (readonly string[])[];
  readonly parts: readonly number[];
  readonly moved: string;
  readonly commission: number;
  readonly books: string;
  /** The tax documents of the commission, if it is a taxed service. */
  readonly documents: string;
}

/** The lives that were worked by hand; `docs/reference/money.md` explains the columns. */
function livesOfTheList(): Life[] {
  const list = readFileSync(new URL("../../fixtures/lives.tsv", import.meta.url), "utf8");
  const [, ...lines] = list.trimEnd().split("\n");
  return lines.map((line) => {
    const [number = "", happens = "", parts = "", moved = "", commission = "", books = "", documents = ""] =
      line.split("\t");
    const steps = happens.split(";").map((step) => step.trim().split(" "));
    const sums = (parts.match(PESOS) ?? []).map(pesos);
    return { number, steps, parts: sums, moved: moved, commission: pesos(commission), books, documents };
  });
}

let world: AfterPaidWorld;

interface Playing {
  readonly clinic: Clinic;
  hash: string;
  /** The error of the last refund. */
  refused: string | null;
  failed: unknown;
}

const dependencies = () => {
  const { database, clock } = world.bff;
  return { db: database.db, clock, ids: systemIds, environment: "staging" as const };
};

async function resolve({ clinic }: Playing, resolution: Resolution, amount?: number): Promise<void> {
  const [exception] = await listExceptions(dependencies(), clinic.clinic.provider.id);
  const ask = (actor: string) =>
    resolveException(dependencies(), exceptionId(present(exception)), {
      resolution,
      actor,
      note: "transferencia 4411",
      ...(amount && { amount: clp(amount) }),
    });
  const { isDone } = await ask("operator:camila");
  if (!isDone) await ask("operator:diego");
}

/** The patient's bank takes back the rest of a charge, or this part of it. */
async function takeBack({ clinic, hash }: Playing, kind = "", part?: string): Promise<void> {
  const key = clinic.key(hash);
  const at = world.bff.clock.now();
  const charge = present((await clinic.order(hash)).payments.find((payment) => payment.kind === kind));
  const { orderId: orderHash, providerId } = key;
  const amount = clp(part === undefined ? charge.amount - charge.returned : pesos(part));
  const taken = { id: systemIds.uuid(), chargeId: present(charge.chargeId), amount, at };
  await inTransaction(world.bff.database.db, async (tx) => {
    await addReturned(tx, taken.chargeId, amount);
    const movement = { ...taken, providerId, kind: "chargeback" as const, orderHash, idempotencyKey: taken.id };
    await insertMovement(tx, { ...movement, cardId: charge.card.id });
    await noteChargeback(tx, systemIds, { ...key, ...taken }, at);
  });
}

const happenings: Readonly<Record<string, (playing: Playing, ...given: string[]) => Promise<void>>> = {
  async pay(playing, kind = "", total = "") {
    const card = { credit: CARDS.approved, debit: CARDS.debit, prepaid: CARDS.prepaid, stolen: LATER.stolen }[kind];
    playing.hash = await playing.clinic.paidOrder({ total: pesos(total), ...(card && { card }) });
  },
  collect: async ({ clinic, hash }) => void (await clinic.approve(hash)),
  async early({ clinic, hash }) {
    await payEarly(world.collection, {
      provider: clinic.clinic.provider,
      key: clinic.key(hash),
      now: world.bff.clock.now(),
    });
  },
  async unanswered({ clinic, hash }) {
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
  },
  // The inquiry is due before the next step.
  answer: async () => undefined,
  async refund(playing, amount = "", refusal) {
    const answer = await playing.clinic.refund(playing.hash, amount === "all" ? {} : { amount: pesos(amount) });
    playing.refused = answer.status === 200 ? null : (answer.body.reason ?? answer.body.code);
    expect([answer.status, playing.refused]).toEqual(refusal === undefined ? [200, null] : [400, refusal]);
  },
  bank: takeBack,
  lost: (playing) => resolve(playing, "chargeback_lost"),
  async won(playing) {
    const { clinic, hash } = playing;
    const disputed = (await clinic.order(hash)).payments.filter((payment) => payment.disputed > 0);
    await inTransaction(world.bff.database.db, async (tx) => {
      for (const charge of disputed) await addReturned(tx, present(charge.chargeId), clp(-charge.disputed));
    });
    await resolve(playing, "chargeback_won");
  },
  recover: (playing) => resolve(playing, "recover_from_clinic"),
  paid_otherwise: (playing, amount = "") => resolve(playing, "paid_otherwise", pesos(amount)),
  write_off: (playing) => resolve(playing, "write_off"),
  transferred: (playing) => resolve(playing, "transferred"),
  async release({ clinic, hash }) {
    await inTransaction(world.bff.database.db, (tx) => releaseCollection(tx, clinic.resolving(), clinic.key(hash)));
  },
};

const lives = livesOfTheList();
test("the list has every life that was worked by hand", () => expect(lives).toHaveLength(59));
const played = new Map<Life, Playing>();

/** All lives run in parallel, step by step, so that due work runs once per step. */
beforeAll(async () => {
  world = await startAfterPaid();
  world.bff.clock.set(START);
  for (const life of lives) {
    const isTaxed = life.documents !== "—" || life.steps[0]?.at(-1) === "taxed";
    const commissionTax = isTaxed ? SANDBOX_COMMISSION_TAX : ({ regime: "interest" } as const);
    played.set(life, { clinic: await world.newClinic({ commissionTax }), hash: "", refused: null, failed: null });
  }
  const stepsMax = Math.max(...lives.map(({ steps }) => steps.length));
  for (let step = 0; step < stepsMax; step += 1) {
    world.bff.clock.advance(MINUTE_MS);
    await Promise.all(lives.map((life) => playStep(life, step)));
    await world.bff.runDue();
  }
});
afterAll(() => world.bff.close());

async function playStep(life: Life, step: number): Promise<void> {
  const playing = present(played.get(life));
  const [name, ...given] = life.steps[step] ?? [];
  if (name === undefined || playing.failed !== null) return;
  // Each life's own test decides what a failure means.
  await present(happenings[name])(playing, ...given).catch((error: unknown) => {
    playing.failed = error;
  });
}

const withCommission = ({ amount, commission }: { amount: number; commission: number }) =>
  `${formatClp(clp(amount))} (${formatClp(clp(commission))})`.replaceAll("$", "");

/** The amounts that a refund moved, in the list's words. */
function describeMoved(order: Order, refund: Refund, left: string | null): string {
  const { off_later_charge: off, to_cards: cards, by_bank: bank, by_transfer: transfer } = refund.moved;
  const kindOf = (id: string) => order.payments.find((payment) => payment.id === id)?.kind;
  return [
    ...(off.amount > 0 ? [`off ${withCommission(off)}`, `left ${left}`] : []),
    ...cards.map((card) => `${kindOf(card.payment_id)} ${withCommission(card)}`),
    ...(bank.amount > 0 ? [`bank ${withCommission(bank)}`] : []),
    ...(transfer.amount > 0 ? [`transfer ${withCommission(transfer)}`] : []),
  ].join(", ");
}

/** The later charge as the order shows it; 0 if there is none. */
function leftOf({ plan }: Order, cancelled: number): string {
  const [, later] = plan.data.installments;
  const price = later.status === "scheduled" || later.status === "failed" ? later.amount - cancelled : 0;
  const commission = price === 0 ? 0 : plan.data.commission.amount;
  return withCommission({ amount: price + commission, commission });
}

async function booksOf(clinic: Clinic): Promise<string> {
  const balances = await balancesOf(world.bff.database.db, clinic.clinic.provider.id);
  const of = (...names: string[]) =>
    balances.filter(({ account }) => names.includes(account)).reduce((sum, { balance }) => sum + balance, 0);
  const shown = (amount: number) => formatClp(clp(amount)).replace("$", "");
  const owes = [
    `clinic ${shown(-of("order", "bank", "payout_fee", "payout_fee_vat"))}`,
    `commission ${shown(-of("commission"))}`,
    `owed ${shown(-of("transfers_owed"))}`,
    `by hand ${shown(-of("paid_by_hand"))}`,
  ].join(", ");
  const others = [
    ["otherwise", of("paid_otherwise")],
    ["written off", of("written_off")],
    ["VAT", -of("vat")],
  ] as const;
  const further = others.filter(([, amount]) => amount !== 0).map(([name, amount]) => `, ${name} ${shown(amount)}`);
  const has = `cards ${shown(of("card_processor"))}, lender ${shown(of("financing_provider"))}, loss ${shown(of("chargeback_loss"))}${further.join("")}`;
  return `${owes}; ${has}`;
}

/** The amounts in the last mail of a refund, with their labels. */
async function mailed(clinic: Clinic): Promise<string> {
  const { name } = clinic.clinic.provider;
  return (await clinic.mailTexts(`Devolución de tu pago en ${name}`)).at(-1) ?? "";
}

async function differencesOf({ clinic }: Playing): Promise<string[]> {
  const { database, clock } = world.bff;
  const { cardProcessor, financingProvider, bank, taxDocuments } = clinic.sandbox;
  const to = new Date(clock.now().getTime() + 1);
  const period = { providerId: clinic.clinic.provider.id, from: new Date(START.getTime() - DAY_MS), to };
  const parties = { db: database.db, cardProcessor, financingProvider, bank, taxDocuments };
  return (await reconcile(parties, period, clock.now())).differences.map(({ kind }) => kind);
}

describe("the lives worked by hand", () => {
  test.for(
    lives.map((life) => [`${life.number}: ${life.steps.map((step) => step.join(" ")).join("; ")}`, life] as const),
  )("%s", async ([, life]) => {
    const playing = present(played.get(life));
    if (playing.failed !== null) throw playing.failed;
    const { clinic, hash } = playing;
    const order = await clinic.read(hash);
    const { first, deferred, deferredCancelled } = await clinic.order(hash);
    const [, , commission = 0] = life.parts;
    expect([first, deferred, Math.floor((order.total_amount * 700 + 5_000) / 10_000)]).toEqual(life.parts);
    expect(order.plan.data.commission.amount).toBe(life.commission);
    expect(commission).toBeGreaterThanOrEqual(life.commission);
    expect(await booksOf(clinic)).toBe(life.books);
    await expectDocuments(playing, order, life);

    const refund = order.refunds.at(-1);
    if (playing.refused !== null) {
      expect(`refused ${playing.refused}`).toBe(life.moved);
      expect(refund).toBeUndefined();
    } else if (refund === undefined) {
      expect(life.moved).toBe("—");
    } else {
      expect(describeMoved(order, refund, leftOf(order, deferredCancelled))).toBe(life.moved);
      await expectReported(playing, refund, life);
    }

    for (const [name, amount = ""] of life.steps)
      if (name === "paid_otherwise") await expectPaidOtherwise(playing, pesos(amount));

    const isDisputed =
      life.steps.some(([name]) => name === "bank") && !life.steps.some(([name]) => /lost|won|recover/.test(name ?? ""));
    const isHeld = isDisputed && refund !== undefined;
    const expected = [...(isDisputed ? ["chargeback"] : []), ...(isHeld ? ["commission_held"] : [])];
    expect((await differencesOf(playing)).sort()).toEqual(expected);
  });
});

/** The order, the patient's mails and the issuer's list contain exactly the documents of the commission. */
async function expectDocuments({ clinic }: Playing, order: Order, life: Life): Promise<void> {
  const documents = order.tax_documents ?? [];
  const shown = documents.map(
    ({ kind, amount, vat }) =>
      `${kind === "boleta" ? "boleta" : "nota"} ${withCommission({ amount, commission: vat })}`,
  );
  expect(shown.join(", ") || "—").toBe(life.documents);
  const numbers = { boleta: 0, credit_note: 0 };
  for (const { kind, number, url, amount, vat } of documents) {
    numbers[kind] += 1;
    expect(number).toBe(String(numbers[kind]));
    const name = kind === "boleta" ? "Boleta electrónica" : "Nota de crédito";
    const [mail, ...others] = await clinic.mailTexts(`${name} N° ${number}`);
    expect(others).toEqual([]);
    expect(mail).toContain(present(url));
    expect(mail).toContain(`Comisión (IVA incluido): ${formatClp(clp(amount))}`);
    expect(mail).toContain(`IVA: ${formatClp(clp(vat))}`);
  }
}

/**
 * The order as clinic and patient read it, the mail and the message name the payment by another method. No card was
 * charged.
 */
async function expectPaidOtherwise({ clinic, hash }: Playing, amount: number): Promise<void> {
  const order = await clinic.read(hash);
  const { paid_otherwise, captured_amount } = patientOrder(await clinic.order(hash), world.bff.clock.now());
  expect([paid_otherwise, captured_amount]).toEqual([amount, order.plan.data.installments[0].amount]);
  const [paid] = order.payments.filter(({ card }) => card === null);
  expect(paid).toMatchObject({ kind: "deferred", status: "captured", amount });
  expect(order.payments.filter(({ status }) => status === "captured").map(({ kind }) => kind)).toEqual([
    "first",
    "deferred",
  ]);
  expect(order.collection?.status).toBe("collected");
  const [mail = ""] = await clinic.mailTexts(`Recibimos el resto de tu pago en ${clinic.clinic.provider.name}`);
  const [, named = ""] = /Monto que recibimos: \$([\d.]+)/.exec(mail) ?? [];
  expect(pesos(named)).toBe(amount);
  const [message = ""] = (await clinic.messages()).filter((text) => text.includes("el resto de tu pago"));
  expect(message).toContain(formatClp(clp(amount)));
}

/** The event, the mail and the message state exactly the same sums. */
async function expectReported({ clinic, hash }: Playing, refund: Refund, life: Life): Promise<void> {
  const { db } = world.bff.database;
  const events = await db
    .selectFrom("events")
    .select("payload")
    .where("order_id", "=", clinic.key(hash).orderId)
    .where("kind", "=", "order.refunded")
    .orderBy("sequence")
    .execute();
  const event = present(events.at(-1)).payload as { order: Order };
  expect(event.order.refunds.find(({ id }) => id === refund.id)).toEqual(refund);
  expect(event.order.plan.data.commission.amount).toBe(life.commission);
  const { body: seen } = await clinic.call("getOrder", hash, { using: "client_id" });
  const all = (way: "by_transfer" | "by_bank") =>
    event.order.refunds.reduce((sum, { moved }) => sum + moved[way].amount, 0);
  expect([seen.transferred_amount ?? 0, seen.bank_returned_amount ?? 0]).toEqual([all("by_transfer"), all("by_bank")]);
  if (event.order.plan.data.installments[1].status === "cancelled")
    expect(event.order.collection?.status).toBe("cancelled");

  const sums = (life.moved.match(PESOS) ?? []).map(pesos).filter((sum) => sum > 0);
  const mail = await mailed(clinic);
  const named = [...mail.matchAll(/\$([\d.]+)/g)].map(([, sum = ""]) => pesos(sum));
  expect(named).toEqual([refund.amount, ...sums]);
  const transfers = await db
    .selectFrom("refund_movements")
    .select("payment_id")
    .where("refund_id", "=", refund.id)
    .where("kind", "=", "bank_transfer")
    .where("status", "=", "done")
    .execute();
  expect(mail.includes("Tu tarjeta no permite")).toBe(transfers.some(({ payment_id: of }) => of !== null));
  expect(mail.includes("Lo que pagaste sin tarjeta")).toBe(transfers.some(({ payment_id: of }) => of === null));
  const isOfRefund = /(hicimos|registramos) una devolucion/;
  const message = (await clinic.messages()).filter((text) => isOfRefund.test(text)).at(-1) ?? "";
  if (life.moved.startsWith("bank")) expect(message).toContain("registramos una devolucion");
  const withoutCommission = life.moved.replaceAll(/\([\d.]+\)/g, "").match(PESOS) ?? [];
  expect([...message.matchAll(/\$([\d.]+)/g)].map(([, sum = ""]) => pesos(sum))).toEqual(
    withoutCommission.map(pesos).filter((sum) => sum > 0),
  );
}
