import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CASES, type Case, written } from "../../test/notification-cases.ts";
import { CAUSES, LABELS, SHORT_CAUSES } from "../../test/notification-words.ts";
import { type RandomOrder, randomOrders } from "../../test/order-facts.ts";
import { type Clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { dayInWords } from "../platform/day-in-words.ts";
import { addCalendarDays, type CalendarDay } from "../platform/santiago-time.ts";
import { gsm7Parts, toGsm7 } from "./gsm7.ts";
import { renderMessage } from "./message.ts";
import type { Notification, NotificationKind } from "./notification.ts";
import { renderMail } from "./render-mail.ts";

/*
 * Parses mails and messages of random orders. Each amount must stand after its label. A text names exactly the amounts,
 * days, cards and causes that `CASES` expects.
 */

const RUNS = 10_000;
const KINDS = Object.keys(CASES) as NotificationKind[];

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

function cardsIn(text: string): Set<string> {
  const named = text.matchAll(/(?:••|terminada en |ending in )(\d{4})/g);
  return new Set([...named].map(([, ending = ""]) => ending));
}

function daysInWords(days: readonly CalendarDay[], locale: Locale): Set<string> {
  return new Set(days.map((day) => dayInWords(day, locale)));
}

/** The text that a reader of the HTML sees. */
function shownIn(html: string): string {
  const shown = html.replace(/<(style|title)>[\s\S]*?<\/\1>|<!--[\s\S]*?-->/g, "").replace(/<[^>]+>/g, "\n");
  const characters = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " ", zwnj: "", "#847": "" };
  return shown.replace(/&([\w#]+);/g, (whole, name: string) => characters[name as keyof typeof characters] ?? whole);
}

const spaced = (text: string) => text.replace(/\s+/g, " ");
const unaccented = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "");

const cases = fc.record({
  order: randomOrders,
  kind: fc.constantFrom(...KINDS),
  choice: fc.nat({ max: 100_000 }),
  locale: fc.constantFrom<Locale>("es-CL", "en"),
});
type Given = ReturnType<(typeof cases)["generate"]>["value"];

function caseOf({ order, kind, choice }: Given): { readonly made: Case; readonly notification: Notification } {
  const made: Case = CASES[kind](order, choice);
  return { made, notification: { kind, ...made.facts } as Notification };
}

/** The consultation is paid within two days. */
function consultationOf({ paidOn }: RandomOrder): CalendarDay {
  return addCalendarDays(paidOn, -2);
}

function mailOf({ order, locale }: Given, notification: Notification) {
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
  it("name exactly the order's amounts under their labels, its days, cards, codes and causes", () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { order, locale } = given;
        const { made, notification } = caseOf(given);
        const { rows = [], inSentences = [], days = [], cards = [], causes = [] } = made;
        const { text, subject, html } = mailOf(given, notification);
        const amounts = written([...rows.map(([, amount]) => amount), ...inSentences]);
        const named = daysInWords([...days, order.paidOn, consultationOf(order)], locale);
        for (const words of [`${subject}\n${text}`, `${subject}\n${spaced(shownIn(html))}`]) {
          expect(amountsIn(words)).toEqual(amounts);
          expect(daysIn(words, locale)).toEqual(named);
          expect(cardsIn(words)).toEqual(new Set([order.cardEnding, ...cards]));
          expect(words).not.toMatch(/undefined|null|NaN|\[object/);
          for (const fact of [order.clinic, order.reference]) expect(spaced(words)).toContain(spaced(fact.trim()));
        }
        const lines = text.split("\n");
        for (const [label, amount, card = ""] of rows.filter(([, each]) => each > 0))
          expect(lines).toContain(`${LABELS[label][locale].replace("CARD", card)}: ${formatClp(amount as Clp)}`);
        const code = made.authorisationCode;
        if (code !== undefined)
          expect(lines).toContain(`${locale === "en" ? "Authorization code" : "Código de autorización"}: ${code}`);
        const stated = Object.entries(CAUSES).filter(([, words]) => words[locale].test(text));
        expect(new Set(stated.map(([cause]) => cause))).toEqual(new Set(causes));
      }),
      { numRuns: RUNS },
    );
  });

  it("fit in two parts as messages, and name exactly the clinic, contact, amounts, days, card and causes", () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { order, kind, locale } = given;
        const { made, notification } = caseOf(given);
        const rendered = renderMessage(notification, order.clinic, locale);
        expect(rendered === null && made.message !== undefined).toBe(false);
        if (rendered === null) return;
        const { text: message, values = {} } = rendered;
        // A template that is filled with the values has the amounts and days of the text.
        expect(Object.entries(values).filter(([, value]) => value === "")).toEqual([]);
        const filled = toGsm7(Object.values(values).join(" "));
        expect(amountsIn(filled)).toEqual(amountsIn(message));
        expect(daysIn(filled, locale)).toEqual(daysIn(message, locale));
        expect(gsm7Parts(message)).toBeLessThanOrEqual(2);
        expect(message.startsWith(toGsm7(order.clinic.slice(0, 30)))).toBe(true);
        if (kind !== "recognition_code")
          expect(message).toMatch(locale === "en" ? /Check your e-mail\.$/ : /Revisa tu correo\.$/);
        expect(message).not.toMatch(/https?:|undefined|null|NaN|\[object/);
        const { amounts = [], days = [], cards = [] } = made.message ?? {};
        expect(amountsIn(message)).toEqual(written(amounts));
        expect(daysIn(message, locale)).toEqual(new Set([...daysInWords(days, locale)].map(toGsm7)));
        expect(cardsIn(message)).toEqual(new Set(cards));
        const plain = unaccented(message);
        for (const [cause, words] of Object.entries(SHORT_CAUSES))
          expect([cause, words[locale].test(plain)]).toEqual([cause, isStated(cause, made)]);
      }),
      { numRuns: RUNS },
    );
  });
});

/** The two ways in which a charge stays as it was are one in a message. */
function isStated(cause: string, { causes = [] }: Case): boolean {
  const asked: readonly string[] = cause.startsWith("stays_") ? ["stays_on_day", "stays_by_day"] : [cause];
  return causes.some((each) => asked.includes(each));
}
