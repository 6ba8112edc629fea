import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  figuresOf,
  type RandomOrder,
  randomOrders,
  UNAPPROVED,
  type UpcomingExample,
  upcomingExamples,
} from "../../test/order-facts.ts";
import { CLAIMED_WITHIN_DAYS } from "../contract/terms.ts";
import { type Clp, clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { addCalendarDays, type CalendarDay } from "../platform/santiago-time.ts";
import { dayInWords } from "./day-in-words.ts";
import { gsm7Parts, toGsm7 } from "./gsm7.ts";
import type { UnapprovedBecause } from "./kinds/charge-announced.ts";
import { renderMessage } from "./message.ts";
import type { Notification } from "./notification.ts";
import { renderMail } from "./render-mail.ts";

/*
 * Parses mails and messages of random orders. Each amount and day in them must be one of the order, and those that the
 * kind requires must be there. The order's figures are computed by the rules of the interface, not by the service.
 */

const RUNS = 10_000;

interface Case {
  readonly notification: Notification;
  readonly amounts: readonly number[];
  readonly days: readonly CalendarDay[];
}

type Make = (order: RandomOrder, choice: number) => Case;

const issuer = { name: "AAPD de Prueba SpA", rut: "76904444-2" as Rut };
const tax = { regime: "taxed_service", issuer } as const;
const addressed = ({ clinic }: RandomOrder) => ({ firstName: "Camila", clinic });

const KINDS: Readonly<Record<string, Make>> = {
  payment_receipt(order, choice) {
    const { first, later, commission, vat, latest } = figuresOf(order);
    const isInterest = choice % 2 === 0;
    return {
      notification: {
        ...addressed(order),
        kind: "payment_receipt",
        total: clp(order.total),
        today: clp(first),
        laterCharge: clp(later),
        commission: clp(commission),
        tax: isInterest ? { regime: "interest" } : tax,
        latestDay: latest,
        isLaterChargeWithdrawn: choice % 3 === 0,
        authorisationCode: order.code,
        hasAgreement: true,
        credit: null,
      },
      amounts: [order.total, first, later, ...(isInterest ? [commission] : [commission, commission - vat, vat])],
      days: [latest],
    };
  },
  charge_announced(order, choice) {
    const { leftCharge, commissionLeft, charged } = figuresOf(order);
    return {
      notification: {
        ...addressed(order),
        kind: "charge_announced",
        amount: clp(leftCharge),
        commission: clp(commissionLeft),
        because: UNAPPROVED[choice % UNAPPROVED.length] as UnapprovedBecause,
        mayComeEarlier: choice % 2 === 0,
        day: charged,
        cardEnding: order.cardEnding,
        payUrl: null,
      },
      amounts: [leftCharge, commissionLeft],
      days: [charged],
    };
  },
  claim_approved(order, choice) {
    const { first, leftCharge, commissionLeft, reimbursed, charged } = figuresOf(order);
    const isCosted = reimbursed > 0;
    const all = first + leftCharge;
    const own = reimbursed <= leftCharge ? leftCharge - reimbursed : Math.max(0, all - reimbursed);
    return {
      notification: {
        ...addressed(order),
        kind: "claim_approved",
        insurer: order.insurer,
        reimbursed: clp(reimbursed),
        charge: {
          amount: clp(leftCharge),
          commission: clp(commissionLeft),
          cardEnding: order.cardEnding,
          day: charged,
          isToday: choice % 2 === 0,
          paidBefore: clp(first),
        },
      },
      amounts: [
        leftCharge,
        commissionLeft,
        ...(isCosted ? [reimbursed] : []),
        ...(isCosted && reimbursed < all ? [first, own] : []),
      ],
      days: [charged],
    };
  },
  claim_rejected(order, choice) {
    const { latest } = figuresOf(order);
    const charge = choice % 3 === 0 ? null : ({ kind: choice % 3 === 1 ? "on_day" : "by_day", day: latest } as const);
    return {
      notification: {
        ...addressed(order),
        kind: "claim_rejected",
        insurer: order.insurer,
        reason: "No cubre.",
        charge,
      },
      amounts: [],
      days: charge === null ? [] : [latest],
    };
  },
  claim_unfiled(order, choice) {
    const { latest } = figuresOf(order);
    const claimUntil = addCalendarDays(order.paidOn, CLAIMED_WITHIN_DAYS);
    return {
      notification: {
        ...addressed(order),
        kind: "claim_unfiled",
        lacksAccess: choice % 2 === 0,
        lacksPaper: choice % 3 === 0 ? "receipt" : "document",
        documents: ["prescription"],
        accessUrl: null,
        claimUntil,
        chargeDay: latest,
      },
      amounts: [],
      days: [claimUntil, latest],
    };
  },
  access_blocked(order, choice) {
    const { leftCharge, charged } = figuresOf(order);
    return {
      notification: {
        ...addressed(order),
        kind: "access_blocked",
        insurer: order.insurer,
        accessUrl: null,
        earlyCharge: { day: charged, amount: clp(leftCharge) },
        isRefusedAgain: choice % 2 === 0,
      },
      amounts: [leftCharge],
      days: [charged],
    };
  },
  charged(order) {
    const { leftCharge, commissionLeft, charged } = figuresOf(order);
    return {
      notification: {
        ...addressed(order),
        kind: "charged",
        amount: clp(leftCharge),
        commission: clp(commissionLeft),
        day: charged,
        cardEnding: order.cardEnding,
        authorisationCode: order.code,
      },
      amounts: [leftCharge, commissionLeft],
      days: [charged],
    };
  },
  charge_declined(order, choice) {
    const { leftCharge, charged } = figuresOf(order);
    const day = addCalendarDays(charged, 2);
    const next = [
      { kind: "tried_again", day, amount: clp(leftCharge) },
      { kind: "as_before", day },
      { kind: "given_up" },
      { kind: "paused" },
    ] as const;
    const chosen = next[choice % next.length] ?? next[0];
    return {
      notification: {
        ...addressed(order),
        kind: "charge_declined",
        amount: clp(leftCharge),
        day: charged,
        reason: "insufficient_funds",
        cardEnding: order.cardEnding,
        next: chosen,
        cardUrl: null,
      },
      amounts: [leftCharge],
      days: "day" in chosen ? [charged, day] : [charged],
    };
  },
  paid_otherwise(order) {
    const { leftCharge, commissionLeft, charged } = figuresOf(order);
    const [amount, commission] = [clp(leftCharge), clp(commissionLeft)];
    return {
      notification: { ...addressed(order), kind: "paid_otherwise", amount, commission, day: charged },
      amounts: [leftCharge, commissionLeft],
      days: [charged],
    };
  },
  written_off(order) {
    const { leftCharge } = figuresOf(order);
    return {
      notification: { ...addressed(order), kind: "written_off", amount: clp(leftCharge) },
      amounts: [leftCharge],
      days: [],
    };
  },
  mandate_revoked(order, choice) {
    const { leftCharge, commissionLeft, latest } = figuresOf(order);
    return {
      notification: {
        ...addressed(order),
        kind: "mandate_revoked",
        amount: clp(leftCharge),
        commission: clp(commissionLeft),
        cardEnding: order.cardEnding,
        latestDay: choice % 2 === 0 ? null : latest,
        cardUrl: null,
      },
      amounts: [leftCharge, commissionLeft],
      days: choice % 2 === 0 ? [] : [latest],
    };
  },
  refunded(order, choice) {
    const { refund, off, offCommission, leftCharge, commissionLeft, latest } = figuresOf(order);
    const left = { amount: clp(leftCharge), commission: clp(commissionLeft) };
    const nothing = { amount: clp(0), commission: clp(0) };
    const upcoming: UpcomingExample = upcomingExamples(left, latest)[choice % 5] ?? { kind: "none" };
    const isNamed = upcoming.kind !== "none" && leftCharge > 0;
    return {
      notification: {
        ...addressed(order),
        kind: "refunded",
        price: clp(refund),
        offLaterCharge: { amount: clp(off), commission: clp(offCommission) },
        upcoming,
        toCards: [],
        byBank: nothing,
        byTransfer: nothing,
        transferredBecause: [],
      },
      amounts: [refund, off, offCommission, ...(isNamed ? [leftCharge, commissionLeft] : [])],
      days: isNamed && "day" in upcoming ? [latest] : [],
    };
  },
  tax_document(order, choice) {
    const { commission, vat } = figuresOf(order);
    const isExempt = choice % 2 === 0;
    return {
      notification: {
        ...addressed(order),
        kind: "tax_document",
        document: "boleta",
        number: "1047",
        url: "https://documents.example/1047",
        amount: clp(commission),
        vat: clp(isExempt ? 0 : vat),
        isExempt,
        issuer: issuer.name,
      },
      amounts: isExempt ? [commission] : [commission, commission - vat, vat],
      days: [],
    };
  },
};

const names = Object.keys(KINDS);
const NOT_ZERO = (amount: number) => amount > 0;

/** The amounts of a text. 0 carries no information, and some rows omit it. */
function amountsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/\$\d{1,3}(?:\.\d{3})*/g)].map(([amount]) => amount).filter((one) => one !== "$0"));
}

const DAYS: Readonly<Record<Locale, RegExp>> = {
  "es-CL": /\d+ de \p{L}+ de \d{4}/gu,
  en: /\d+ (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}/g,
};

function daysIn(text: string, locale: Locale): Set<string> {
  return new Set([...text.matchAll(DAYS[locale])].map(([day]) => day));
}

function inWords(amounts: readonly number[]): Set<string> {
  return new Set(amounts.filter(NOT_ZERO).map((amount) => formatClp(amount as Clp)));
}

const cases = fc.record({
  order: randomOrders,
  name: fc.constantFrom(...names),
  choice: fc.nat({ max: 1_000 }),
  locale: fc.constantFrom<Locale>("es-CL", "en"),
});

/** A mail's text without the block that names the payment, which has the payment's day. */
/** The consultation is paid within two days. */
function consultationOf({ paidOn }: RandomOrder): CalendarDay {
  return addCalendarDays(paidOn, -2);
}

function mailOf(
  { order, locale }: { readonly order: RandomOrder; readonly locale: Locale },
  notification: Notification,
) {
  const sender = {
    name: "Red Salud Quillay",
    logoUrl: null,
    appearance: {},
    supportEmail: "ayuda@example.com",
    supportPhone: null,
  };
  const { clinic, reference, paidOn, cardEnding } = order;
  const about = { clinic, reference, paidOn, cardEnding, consultationDay: consultationOf(order) };
  return renderMail("camila@example.com", notification, { sender, about }, locale);
}

describe(`${RUNS} notifications of random orders`, () => {
  it("name exactly the order's amounts and days, its clinic and its reference", () => {
    fc.assert(
      fc.property(cases, ({ order, name, choice, locale }) => {
        const { notification, amounts, days } = KINDS[name]?.(order, choice) ?? expect.unreachable();
        const { text, subject } = mailOf({ order, locale }, notification);
        const words = `${subject}\n${text}`;
        expect(amountsIn(words)).toEqual(inWords(amounts));
        const named = new Set([...words.matchAll(DAYS[locale])].map(([day]) => day));
        expect(named).toEqual(
          new Set([...days, order.paidOn, consultationOf(order)].map((day) => dayInWords(day, locale))),
        );
        for (const fact of [order.clinic.trim(), order.reference, `••${order.cardEnding}`])
          expect(words.replace(/\s+/g, " ")).toContain(fact.replace(/\s+/g, " "));
        expect(words).not.toMatch(/undefined|null|NaN|\[object/);
      }),
      { numRuns: RUNS },
    );
  });

  it("fit in two parts as messages, name clinic and contact, and repeat only amounts and days of the mail", () => {
    fc.assert(
      fc.property(cases, ({ order, name, choice, locale }) => {
        const { notification, amounts, days } = KINDS[name]?.(order, choice) ?? expect.unreachable();
        const rendered = renderMessage(notification, order.clinic, locale);
        if (rendered === null) return;
        const { text: message, values = {} } = rendered;
        // A template that is filled with the values has the amounts and days of the text.
        const filled = toGsm7(Object.values(values).join(" "));
        expect(amountsIn(filled)).toEqual(amountsIn(message));
        expect(daysIn(filled, locale)).toEqual(daysIn(message, locale));
        expect(gsm7Parts(message)).toBeLessThanOrEqual(2);
        expect(message.startsWith(toGsm7(order.clinic.slice(0, 30)))).toBe(true);
        expect(message).toMatch(locale === "en" ? /Check your e-mail\.$/ : /Revisa tu correo\.$/);
        expect(message).not.toMatch(/https?:/);
        expect([...amountsIn(message)].filter((amount) => !inWords(amounts).has(amount))).toEqual([]);
        const announced = days.map((day) => toGsm7(dayInWords(day, locale)));
        expect([...message.matchAll(DAYS[locale])].filter(([day]) => !announced.includes(day))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

it("each cause of a charge has its own words", () => {
  const order = fc.sample(randomOrders, { numRuns: 1, seed: 7 })[0] ?? expect.unreachable();
  for (const locale of ["es-CL", "en"] as const) {
    const texts = UNAPPROVED.map((_, choice) => {
      const made = KINDS.charge_announced?.(order, choice) ?? expect.unreachable();
      const notification = { ...made.notification, mayComeEarlier: false } as Notification;
      return mailOf({ order, locale }, notification).text;
    });
    expect(new Set(texts).size).toBe(UNAPPROVED.length);
  }
});
