import fc from "fast-check";
import { extractText } from "unpdf";
import { expect, it } from "vitest";
import {
  exampleAgreement,
  exampleOrder,
  examplePayment,
  exampleReceipt,
  exampleRefund,
} from "../../../sandbox/gallery/document-examples.ts";
import { figuresOf, type RandomOrder, randomOrders } from "../../../test/order-facts.ts";
import { SAMPLE_TEXTS } from "../../../test/sample-texts.ts";
import type { UpcomingCharge } from "../../contract/orders.ts";
import { type Clp, clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { CommissionTax } from "../../contract/vocabulary/commission-tax.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import { addCalendarDays, type CalendarDay, santiagoMoment } from "../../platform/santiago-time.ts";
import { agreementValues } from "../agreement/agreement-values.ts";
import { fillText } from "../agreement/fill-text.ts";
import type { OrderRecord, RefundRecord } from "../order-record.ts";
import { quoteFor } from "../quote.ts";
import { type StampTaxTerms, stampTaxIn } from "../stamp-tax.ts";
import { agreementDocument } from "./agreement-document.ts";
import { calendarEntry } from "./calendar-entry.ts";
import { receiptDocument } from "./receipt-document.ts";
import { type SetDocument, setDocument } from "./set-document.ts";

/* Documents of random orders. The figures are computed by the rules of the interface, not by the service. */

/** 100 documents, because each one takes a tenth of a second to print and read. */
const RECEIPTS = 60;
const AGREEMENTS = 40;
const STATES = ["by_day", "on_day", "on_hold", "card_needed", "charged", "paid_otherwise", "written_off"] as const;

const cases = fc.record({
  random: randomOrders,
  before: fc.option(fc.integer({ min: 0, max: 60 })),
  state: fc.constantFrom(...STATES),
  /** After the charge: `returned` is a refund to its card, `disputed` what the patient's bank took back. */
  after: fc.constantFrom("nothing", "returned", "disputed"),
  locale: fc.constantFrom<Locale>("es-CL", "en"),
});
type Given = ReturnType<(typeof cases)["generate"]>["value"];

const NONE: UpcomingCharge = { status: "none", amount: clp(0), commission: clp(0), day: null, reason: null };

const WORDS = {
  "es-CL": {
    paid: "Pagaste",
    price: "Precio de la atención",
    charge: "Monto",
    fee: "Comisión (IVA incluido)",
    parts: "Neto e IVA",
    refunded: "Precio devuelto",
    off: "Descontado del segundo cobro",
    toCard: "Devuelto a la tarjeta",
    byBank: "Devuelto por tu banco",
    states: {
      by_day: "Por cobrar A más tardar",
      on_day: "Por cobrar Se cobra el",
      on_hold: "Pendiente; no se cobra por ahora",
      card_needed: "Por pagar con otra tarjeta A más tardar",
      charged: "Cobrado Pagado el",
      paid_otherwise: "Pagado de otra forma Pagado el",
      written_off: "Ya no se cobra",
    },
  },
  en: {
    paid: "You paid",
    price: "Price",
    charge: "Amount",
    fee: "Fee (VAT included)",
    parts: "Net and VAT",
    refunded: "Price refunded",
    off: "Taken off the second charge",
    toCard: "Returned to the card",
    byBank: "Returned by your bank",
    states: {
      by_day: "To be charged At the latest",
      on_day: "To be charged Charged on",
      on_hold: "Owed; not charged for now",
      card_needed: "To be paid with another card At the latest",
      charged: "Charged Paid on",
      paid_otherwise: "Paid in another way Paid on",
      written_off: "Not charged any more",
    },
  },
} as const;

const laterCard = ({ cardEnding }: RandomOrder) => String((Number(cardEnding) + 1) % 10_000).padStart(4, "0");

function refundOf(amount: number, movement: Partial<RefundRecord["movements"][number]>, at: Date): RefundRecord {
  const [kept] = exampleRefund.movements;
  const movements = [{ ...kept, ...movement, amount: clp(amount) }] as RefundRecord["movements"];
  return { ...exampleRefund, amount: clp(amount), movements, createdAt: at };
}

/** The order of a test case. */
function orderOf({ random, state, after }: Given) {
  const { first, refund, offCommission, leftCharge, commissionLeft, latest, charged } = figuresOf(random);
  const paidAt = santiagoMoment(random.paidOn, 12);
  const chargedAt = santiagoMoment(charged, 12);
  const money = { amount: clp(leftCharge), commission: clp(commissionLeft) };
  const isCharged = state === "charged" && leftCharge > 0;
  const back = isCharged && after !== "nothing" ? Math.floor((leftCharge - commissionLeft) / 2) : 0;
  const card = { ...examplePayment.card, last4: random.cardEnding };
  const voucher = { authorisationCode: random.code };
  const paid = { ...examplePayment, amount: clp(first), card, voucher, createdAt: paidAt };
  const second = {
    ...{ ...paid, ...money, id: "second", kind: "deferred" as const, createdAt: chargedAt },
    card: { ...card, last4: laterCard(random) },
    disputed: clp(after === "disputed" ? back : 0),
  };
  const off = { kind: "loan_reduction", paymentId: null, commission: clp(offCommission), status: "done" } as const;
  const toCard = { kind: "card_return", paymentId: "second", commission: clp(0), status: "done" } as const;
  const order: OrderRecord & { readonly paidAt: Date } = {
    ...exampleOrder,
    paidAt,
    reference: random.reference,
    total: clp(random.total),
    first: clp(first),
    deferred: clp(random.total - first),
    deferredCancelled: clp(refund),
    commissionBasisPoints: random.basisPoints,
    payments: isCharged ? [paid, second] : [paid],
    refunds: [
      ...(refund === 0 ? [] : [refundOf(refund, off, paidAt)]),
      ...(after === "returned" && back > 0 ? [refundOf(back, toCard, chargedAt)] : []),
    ],
    paidOtherwise:
      state === "paid_otherwise"
        ? { ...money, id: "p", returnAccepted: clp(0), commissionReturnAccepted: clp(0), createdAt: chargedAt }
        : null,
    deferredWrittenOffAt: state === "written_off" ? chargedAt : null,
  };
  const day = { by_day: latest, on_day: charged, charged, paid_otherwise: charged, card_needed: latest }[
    state as string
  ];
  const upcomingDay = state === "by_day" || state === "on_day" ? (day ?? null) : null;
  const isOver = state === "charged" || state === "paid_otherwise" || state === "written_off";
  const upcoming: UpcomingCharge = isOver ? NONE : { ...money, status: state, day: upcomingDay, reason: null };
  return { order, upcoming, day: day ?? null, back };
}

async function textOf(document: SetDocument): Promise<string> {
  const { base64 } = await setDocument(document);
  const { text } = await extractText(new Uint8Array(Buffer.from(base64, "base64")), { mergePages: true });
  return text.replaceAll(/\s+/g, " ");
}

function amountsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/\$\d{1,3}(?:\.\d{3})*/g)].map(([amount]) => amount).filter((one) => one !== "$0"));
}

function daysIn(text: string, locale: Locale): Set<string> {
  const pattern = locale === "en" ? /\d+ [A-Z][a-z]+ 20\d\d/g : /\d+ de [a-z]+ de \d{4}/g;
  return new Set([...text.matchAll(pattern)].map(([day]) => day));
}

const written = (amount: number) => formatClp(amount as Clp);
const allWritten = (amounts: readonly number[]) => new Set(amounts.filter((amount) => amount > 0).map(written));
const inWords = (days: readonly (CalendarDay | null)[], locale: Locale) =>
  new Set(days.flatMap((day) => (day === null ? [] : [dayInWords(day, locale)])));
const consultationOf = ({ random, before }: Given) =>
  before === null ? null : addCalendarDays(random.paidOn, -before);

it(`${RECEIPTS} receipts of random orders name exactly the order's amounts by label, its days, cards and state`, {
  timeout: 120_000,
}, async () => {
  for (const given of fc.sample(cases, RECEIPTS)) {
    const { random, state, after, locale } = given;
    const { order, upcoming, day, back } = orderOf(given);
    const { first, refund, off, leftCharge, commissionLeft } = figuresOf(random);
    const consultationDay = consultationOf(given);
    const facts = { ...exampleReceipt, order, consultationDay, upcoming, locale, madeAt: order.paidAt };
    const text = await textOf(receiptDocument(facts));
    const words = WORDS[locale];
    const isShown = state !== "written_off" && leftCharge > 0;
    const fee = isShown ? commissionLeft : 0;
    const vat = fee - Math.floor((200 * fee + 119) / 238);
    const rows = [
      [words.paid, first],
      [words.price, random.total],
      [words.charge, isShown ? leftCharge : 0],
      [words.fee, fee],
      [words.refunded, refund],
      [words.off, off * Number(refund > 0)],
      [`${words.toCard} ••${laterCard(random)}`, after === "returned" ? back : 0],
      [words.byBank, after === "disputed" ? back : 0],
    ] as const;
    const shown = rows.filter(([, amount]) => amount > 0);
    for (const [label, amount] of shown) expect(text).toContain(`${label} ${written(amount)}`);
    if (fee > 0) expect(text).toContain(`${words.parts} ${written(fee - vat)} + ${written(vat)}`);
    expect(amountsIn(text)).toEqual(allWritten([...shown.map(([, amount]) => amount), fee - vat, vat]));
    expect(daysIn(text, locale)).toEqual(
      inWords([random.paidOn, consultationDay, isStated(given) ? day : null], locale),
    );
    const cards = [random.cardEnding, ...(order.payments.length > 1 ? [laterCard(random)] : [])];
    expect(new Set([...text.matchAll(/••(\d{4})/g)].map(([, ending]) => ending))).toEqual(new Set(cards));
    expect(text).toContain(random.code);
    if (isStated(given)) expect(text).toContain(words.states[state]);
  }
});

/** A charge of nothing is not made. */
function isStated({ random, state }: Given): boolean {
  return state !== "charged" || figuresOf(random).leftCharge > 0;
}

/** The other texts name no figure, and take most of the time to print. */
const SAMPLES_WITH_FIGURES = SAMPLE_TEXTS.filter(({ kind }) => kind === "contract" || kind === "summary_sheet");
const LENDER = "Financiera Andina S.A.";
const agreements = fc.record({
  random: randomOrders,
  tax: fc.constantFrom<CommissionTax>(
    { regime: "interest" },
    { regime: "taxed_service", issuer: { name: "AAPD de Prueba SpA", rut: "76904444-2" as Rut } },
  ),
  terms: fc.constantFrom<StampTaxTerms>(
    { borneBy: "lender" },
    { borneBy: "commission", monthlyPartsPerMillion: 660 },
    { borneBy: "none", exemption: "DL 3.475, art. 24" },
  ),
  locale: fc.constantFrom<Locale>("es-CL", "en"),
});

it(`${AGREEMENTS} agreements of random orders name exactly the order's amounts, cost and days`, {
  timeout: 120_000,
}, async () => {
  for (const { random, tax, terms, locale } of fc.sample(agreements, AGREEMENTS)) {
    const { total, basisPoints, paidOn, reference } = random;
    const { first, commission, later, vat, latest } = figuresOf(random);
    const now = santiagoMoment(paidOn, 12);
    const quote = quoteFor({
      total: clp(total),
      commissionBasisPoints: basisPoints,
      commissionTax: tax,
      financingProvider: LENDER,
      annualCost: { convention: "linear", dayBase: 365 },
      now,
    });
    const { customer } = exampleOrder;
    const order = { reference, customer, commissionTax: tax };
    const lent = clp(total - first);
    const loan = { regime: tax.regime, commission: quote.commission, lent, from: paidOn, to: latest };
    const stampTax = { terms, included: stampTaxIn(terms, loan) };
    const values = agreementValues({ clinic: exampleReceipt.clinic, order, quote, stampTax, now }, locale);
    const texts = SAMPLES_WITH_FIGURES.filter((text) => text.locale === locale).map(({ kind, text }) => {
      const { title, blocks } = fillText(text, values);
      return { kind, version: "muestra-3", locale, title, blocks: [...blocks] };
    });
    const text = await textOf(agreementDocument({ ...exampleAgreement, order, texts, locale, agreedAt: now }));
    const isTaxed = tax.regime === "taxed_service";
    const stamp = Math.floor((lent * 1_320 + 500_000) / 1_000_000);
    const isIncluded = terms.borneBy === "commission" && !isTaxed && stamp > 0 && stamp <= commission;
    const parts = isTaxed ? [commission - vat, vat] : [];
    const amounts = [total, first, lent, commission, later, total + commission, ...parts, isIncluded ? stamp : 0];
    expect(amountsIn(text)).toEqual(allWritten(amounts));
    const consultation = exampleAgreement.consultationDay;
    expect(daysIn(text, locale)).toEqual(inWords([paidOn, latest, consultation], locale));
    const yearly = Math.round((commission / lent) * (365 / 45) * 10_000) / 100;
    for (const statement of statementsOf({ first, later, lent, commission, total }, yearly, locale))
      expect(text).toContain(statement);
    const borne = { "es-CL": "La comisión incluye", en: "The fee includes" }[locale];
    expect(text.includes(borne)).toBe(isIncluded);
    if (isIncluded) expect(text).toContain(`${borne} ${written(stamp)}`);
    expect(text).not.toMatch(/[{}]/);
  }
});

interface Stated {
  readonly first: number;
  readonly later: number;
  readonly lent: number;
  readonly commission: number;
  readonly total: number;
}

/** Each figure with its words, in contract and summary sheet. */
function statementsOf({ first, later, lent, commission, total }: Stated, yearly: number, locale: Locale): string[] {
  if (locale === "en")
    return [
      `Today, with your card: ${written(first)}`,
      `Later, with the same card: ${written(later)}, which is ${written(lent)} of the price and a fee of ${written(commission)}`,
      `Total cost: ${written(total + commission)}. Annual cost (CAE): ${yearly}%`,
      `Credit: ${written(lent)}, lent by ${LENDER}`,
      `One instalment: ${written(later)}`,
    ];
  return [
    `Hoy, con tu tarjeta: ${written(first)}`,
    `Después, con la misma tarjeta: ${written(later)}, que son ${written(lent)} del precio y ${written(commission)} de comisión`,
    `Costo total: ${written(total + commission)}. Carga anual equivalente (CAE): ${String(yearly).replace(".", ",")}%`,
    `Crédito: ${written(lent)}, que te presta ${LENDER}`,
    `Una sola cuota: ${written(later)}`,
  ];
}

/** The first words of what an entry says about its day. */
const CALENDAR = {
  "es-CL": {
    by_day: "Último día: puede ser antes",
    on_day: "Revisa que tu tarjeta",
    card_needed: "Último día para pagar",
    ended: "Este cobro ya no está pendiente",
  },
  en: {
    by_day: "Last day: it may be earlier",
    on_day: "Check that your card",
    card_needed: "Last day to pay",
    ended: "This charge is no longer pending",
  },
} as const;

it("10000 calendar entries of random orders name the day and the amount of the charge to come, or cancel", () => {
  fc.assert(
    fc.property(cases, (given) => {
      const { order, upcoming } = orderOf(given);
      const consultationDay = consultationOf(given);
      const { base64 } = calendarEntry({
        order,
        clinic: exampleReceipt.clinic,
        consultationDay,
        upcoming,
        locale: given.locale,
        now: order.paidAt,
      });
      const text = Buffer.from(base64, "base64").toString().replaceAll("\r\n ", "");
      const { latest } = figuresOf(given.random);
      const day = upcoming.status === "card_needed" ? latest : upcoming.day;
      const isToCome = upcoming.status !== "none" && day !== null;
      expect(text.includes("METHOD:PUBLISH")).toBe(isToCome);
      const consultation = consultationDay === null ? "" : dayInWords(consultationDay, given.locale);
      expect(text).toContain(`${consultation}\\n`);
      const because = isToCome ? upcoming.status : "ended";
      const stated = Object.entries(CALENDAR[given.locale]).filter(([, words]) => text.includes(words));
      expect(stated.map(([cause]) => cause)).toEqual([because]);
      if (!isToCome) return;
      expect(text).toContain(`DTSTART;VALUE=DATE:${day.replaceAll("-", "")}\r\n`);
      if (upcoming.amount > 0) expect(text).toContain(`${formatClp(upcoming.amount)} · `);
    }),
    { numRuns: 10_000 },
  );
});
