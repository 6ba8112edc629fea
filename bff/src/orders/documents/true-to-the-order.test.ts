import fc from "fast-check";
import { extractText } from "unpdf";
import { expect, it } from "vitest";
import { exampleOrder, examplePayment, exampleReceipt } from "../../../sandbox/gallery/document-examples.ts";
import type { UpcomingCharge } from "../../contract/orders.ts";
import { clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import { addCalendarDays, santiagoMoment } from "../../platform/santiago-time.ts";
import { calendarEntry } from "./calendar-entry.ts";
import { receiptDocument } from "./receipt-document.ts";
import { setDocument } from "./set-document.ts";

const SAMPLE = 100;

const cases = fc.record({
  total: fc.integer({ min: 10, max: 999_999_999 }),
  basisPoints: fc.constantFrom(0, 295, 700, 3_000),
  paidOn: fc.integer({ min: 0, max: 1_200 }).map((days) => addCalendarDays("2026-01-01", days)),
  after: fc.integer({ min: 1, max: 44 }),
  before: fc.option(fc.integer({ min: 0, max: 60 })),
  state: fc.constantFrom("by_day", "on_day", "on_hold", "card_needed", "charged", "paid_otherwise", "written_off"),
  locale: fc.constantFrom("es-CL" as const, "en" as const),
});

const NONE: UpcomingCharge = { status: "none", amount: clp(0), commission: clp(0), day: null, reason: null };

/** The order of a test case, with its figures computed by the rules of the interface. */
function orderOf({
  total,
  basisPoints,
  paidOn,
  after,
  before,
  state,
}: ReturnType<(typeof cases)["generate"]>["value"]) {
  const first = Math.floor((30 * total + 50) / 100);
  const commission = Math.floor((2 * total * basisPoints + 10_000) / 20_000);
  const later = total - first + commission;
  const latest = addCalendarDays(paidOn, 45);
  const charged = addCalendarDays(paidOn, after);
  const paidAt = santiagoMoment(paidOn, 12);
  const money = { amount: clp(later), commission: clp(commission) };
  const charge = { ...examplePayment, ...money, kind: "deferred" as const, createdAt: santiagoMoment(charged, 12) };
  const order = {
    ...exampleOrder,
    paidAt,
    total: clp(total),
    first: clp(first),
    deferred: clp(total - first),
    commissionBasisPoints: basisPoints,
    payments: state === "charged" ? [examplePayment, charge] : [examplePayment],
    paidOtherwise:
      state === "paid_otherwise"
        ? { ...money, id: "p", returnAccepted: clp(0), commissionReturnAccepted: clp(0), createdAt: charge.createdAt }
        : null,
    deferredWrittenOffAt: state === "written_off" ? charge.createdAt : null,
  };
  const day = { by_day: latest, on_day: charged, charged, paid_otherwise: charged, card_needed: latest }[
    state as string
  ];
  const isOver = ["charged", "paid_otherwise", "written_off"].includes(state);
  const upcomingDay = state === "by_day" || state === "on_day" ? (day ?? null) : null;
  const upcoming = isOver
    ? NONE
    : { ...money, status: state as UpcomingCharge["status"], day: upcomingDay, reason: null };
  const vat = commission - Math.floor((200 * commission + 119) / 238);
  const fee = state === "written_off" ? [] : [commission, commission - vat, vat];
  return {
    order,
    consultationDay: before === null ? null : addCalendarDays(paidOn, -before),
    upcoming,
    day: day ?? null,
    amounts: [first, total, ...(state === "written_off" ? [] : [later]), ...fee],
  };
}

it(`${SAMPLE} receipts of random orders name exactly the order's amounts and days`, { timeout: 120_000 }, async () => {
  for (const given of fc.sample(cases, SAMPLE)) {
    const { order, consultationDay, upcoming, day, amounts } = orderOf(given);
    const { locale, paidOn } = given;
    const facts = { ...exampleReceipt, order, consultationDay, upcoming, locale, madeAt: order.paidAt };
    const receipt = receiptDocument(facts);
    const { base64 } = await setDocument(receipt);
    const { text } = await extractText(new Uint8Array(Buffer.from(base64, "base64")), { mergePages: true });
    const words = text.replaceAll(/\s+/g, " ");
    const named = [...words.matchAll(/\$\d{1,3}(?:\.\d{3})*/g)].map(([amount]) => amount).filter((one) => one !== "$0");
    expect(new Set(named)).toEqual(
      new Set(amounts.filter((amount) => amount > 0).map((amount) => formatClp(clp(amount)))),
    );
    const pattern = locale === "en" ? /\d+ [A-Z][a-z]+ 20\d\d/g : /\d+ de [a-z]+ de \d{4}/g;
    expect(new Set([...words.matchAll(pattern)].map(([one]) => one))).toEqual(
      new Set([paidOn, consultationDay, day].flatMap((each) => (each === null ? [] : [dayInWords(each, locale)]))),
    );
  }
});

it("10000 calendar entries of random orders name the day and the amount of the charge to come, or cancel", () => {
  fc.assert(
    fc.property(cases, (given) => {
      const { order, consultationDay, upcoming, day } = orderOf(given);
      const { base64 } = calendarEntry({
        order,
        clinic: exampleReceipt.clinic,
        consultationDay,
        upcoming,
        locale: given.locale,
        now: order.paidAt,
      });
      const text = Buffer.from(base64, "base64").toString();
      const isToCome = upcoming.status !== "none" && day !== null;
      expect(text.includes("METHOD:PUBLISH")).toBe(isToCome);
      const consultation = consultationDay === null ? "" : dayInWords(consultationDay, given.locale);
      expect(text.replaceAll("\r\n ", "")).toContain(`${consultation}\\n`);
      if (!isToCome) return;
      expect(text).toContain(`DTSTART;VALUE=DATE:${day.replaceAll("-", "")}\r\n`);
      expect(text).toContain(`${formatClp(upcoming.amount)} · `);
    }),
    { numRuns: 10_000 },
  );
});
