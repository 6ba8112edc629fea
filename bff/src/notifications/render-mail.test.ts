import { describe, expect, it } from "vitest";
import { notificationExamples } from "../../test/notification-examples.ts";
import { clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { dayInWords } from "./day-in-words.ts";
import { toGsm7 } from "./gsm7.ts";
import { renderMessage } from "./message.ts";
import type { Notification } from "./notification.ts";
import { renderMail } from "./render-mail.ts";

const sender = { clinic: "Clínica Los Aromos del Sur SpA", supportEmail: "ayuda@example.com", supportPhone: null };
const receipt: Notification = {
  kind: "payment_receipt",
  firstName: "Camila",
  clinic: sender.clinic,
  total: clp(40_000),
  today: clp(12_000),
  laterCharge: clp(30_800),
  commission: clp(2_800),
  regime: "taxed_service",
  latestDay: "2027-01-05",
  isLaterChargeWithdrawn: false,
  reference: "AGENDA-20417",
  cardEnding: "6623",
  authorisationCode: "418207",
  agreement: null,
  credit: { financingProvider: "Financiera Andina S.A.", annualCostPercentage: 81.11 },
};

/** The visible text of the HTML part. */
function visible(html: string): string {
  return html
    .replace(/<title>.*<\/title>/, "")
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&amp;", "&")
    .replaceAll("&#39;", "'")
    .replace(/\s+/g, " ");
}

/** Facts that select the text without appearing in it. */
const CHOOSING_FACTS: readonly string[] = [
  "kind",
  "type",
  "purpose",
  "because",
  "transferredBecause",
  "lacksPaper",
  "documents",
  "document",
  "regime",
  "host",
];

/** The facts of a notification as a mail shows them: amounts in pesos, days in words, everything else unchanged. */
function factsSaid(notification: Notification, locale: Locale): string[] {
  return saidIn(Object.entries(notification), notification, locale);
}

function saidIn(facts: readonly [string, unknown][], notification: Notification, locale: Locale): string[] {
  return facts.flatMap(([name, value]) => {
    if (
      CHOOSING_FACTS.includes(name) ||
      (notification.kind === "charge_declined" && ["reason", "limit"].includes(name))
    )
      return [];
    if (name === "annualCostPercentage") return [`${String(value).replace(".", locale === "en" ? "." : ",")}%`];
    // What stands together, such as a charge with its amount and day, is said like the rest; a code only chooses words.
    if (typeof value === "object" && value !== null)
      return saidIn(
        Object.entries(value).filter(([inner]) => inner !== "kind"),
        notification,
        locale,
      );
    if (typeof value === "number") return value === 0 ? [] : [formatClp(clp(value))];
    if (typeof value !== "string") return [];
    return [/^\d{4}-\d{2}-\d{2}$/.test(value) ? dayInWords(value, locale) : value];
  });
}

describe.each(["es-CL", "en"] as const)("a notification as an e-mail in %s", (locale) => {
  it.each(notificationExamples)("$kind says the same in text and in HTML, and whom to ask", (notification) => {
    const { to, subject, text, html } = renderMail("camila@example.com", notification, sender, locale);
    expect(to).toBe("camila@example.com");
    expect(subject).not.toBe("");
    expect(html).toContain(`<html lang="${locale}">`);
    for (const line of text.split("\n").filter((line) => line !== "--" && line !== "")) {
      const value = line.split(": ").at(-1) ?? line;
      const isLink = value.startsWith("https://");
      expect(isLink ? html.replaceAll("&amp;", "&") : visible(html)).toContain(value);
    }
    expect(text).toContain("ayuda@example.com");
  });

  it.each(notificationExamples)("$kind mentions its facts", (notification) => {
    const { subject, text } = renderMail("camila@example.com", notification, sender, locale);
    for (const said of factsSaid(notification, locale)) expect(`${subject}\n${text}`).toContain(said);
    expect(text).not.toMatch(/undefined|null|NaN|\[object/);
  });

  it("names the telephone where the clinic has one", () => {
    const { text } = renderMail("a@example.com", receipt, { ...sender, supportPhone: "+56 2 2345 6789" }, locale);
    expect(text).toMatch(/ayuda@example\.com.*\+56 2 2345 6789\.$/);
  });
});

it.each(notificationExamples)("$kind has words of its own in each language", (notification) => {
  const [spanish, english] = (["es-CL", "en"] as const).map((locale) =>
    renderMail("camila@example.com", notification, sender, locale),
  );
  expect(english?.subject).not.toBe(spanish?.subject);
  const paragraphs = new Set(spanish?.text.split("\n\n"));
  const shared = english?.text.split("\n\n").filter((paragraph) => paragraphs.has(paragraph));
  // A code is the same in every language, and what was agreed to stays as it was shown.
  const agreed = notification.kind === "payment_receipt" ? notification.agreement : null;
  const enclosed = (agreed ?? []).flatMap(({ title, blocks }) => [title, ...blocks.map(({ text }) => text)]);
  const isTheSame =
    notification.kind === "recovery_code" || notification.kind === "recognition_code" ? [notification.code] : enclosed;
  expect(shared?.map((paragraph) => paragraph.replace("• ", ""))).toEqual(isTheSame);
});

it("amounts and days are written as in Chile", () => {
  const { text } = renderMail("a@example.com", receipt, sender, "es-CL");
  expect(text).toContain("Total de la atención: $40.000");
  expect(text).toContain("Se cobrará después: $30.800");
  expect(text).toContain("Carga anual equivalente (CAE): 81,11%");
  expect(text).toContain("No es una boleta");
  expect(text).toContain("Fecha límite: 5 de enero de 2027");
});

it("in English pesos are written as in Chile too, and days in words", () => {
  const { text } = renderMail("a@example.com", receipt, sender, "en");
  expect(text).toContain("Total of the consultation: $40.000");
  expect(text).toContain("To be charged later: $30.800");
  expect(text).toContain("Annual cost (CAE): 81.11%");
  expect(text).toContain("Latest date: 5 January 2027");
});

it.each([
  ["es-CL", "aunque la isapre reembolse menos"],
  ["en", "even if your isapre reimburses less"],
] as const)("never promises in %s that the reimbursement covers the later charge", (locale, words) => {
  expect(renderMail("a@example.com", receipt, sender, locale).text).toContain(words);
});

it.each([
  ["es-CL", /misma tarjeta|Se cobrará|se cobrará una/, "Te queda por pagar: $30.800", "no se cobrará en tu tarjeta"],
  ["en", /same card|To be charged|will be charged/, "Left to pay: $30.800", "will not be charged to your card"],
] as const)(
  "announces in %s no charge that the patient has withdrawn: what is left is to be paid",
  (locale, charge, left, withdrawn) => {
    const said = { ...receipt, isLaterChargeWithdrawn: true };
    const { text } = renderMail("a@example.com", said, sender, locale);
    const message = renderMessage(said, sender.clinic, locale);
    expect(text).not.toMatch(charge);
    expect(text).toContain(withdrawn);
    expect(message).toContain(toGsm7(withdrawn));
    expect(text).toContain(left);
  },
);

it("a mail breaks no amount of its table, and breaks a long reference anywhere", () => {
  const reference = "AGENDA-20417-CONSULTA-DE-DERMATOLOGIA";
  const { html = "" } = renderMail("c@example.com", { ...receipt, reference }, sender, "es-CL");
  const cells = new Map(
    [...html.matchAll(/<td style="([^"]*)"><strong>([^<]*)<\/strong>/g)].map(([, style, value]) => [value, style]),
  );
  expect(cells.get("$12.000")).toContain("white-space:nowrap");
  expect(cells.get(reference)).toContain("overflow-wrap:anywhere");
  expect([...cells].filter(([value = "", style]) => /\d$/.test(value) && style?.includes("anywhere"))).toEqual([]);
});

it("what a person typed is escaped, and a subject stays on one line", () => {
  const name = '<img src=x onerror="alert(1)">';
  const hostile = { ...receipt, firstName: name, clinic: "Clínica\r\nBcc: all@example.com" };
  const { html, subject } = renderMail("a@example.com", hostile, sender, "es-CL");
  expect(html).not.toContain("<img");
  expect(html).toContain("&lt;img");
  expect(subject).toBe("Tu pago en Clínica Bcc: all@example.com");
});

it.each([
  ["es-CL", /pagarlo antes/],
  ["en", /pay earlier/],
] as const)("promises no way to pay earlier where there is none, in %s", (locale, words) => {
  for (const notification of notificationExamples) {
    if (notification.kind !== "charge_announced") continue;
    const { text } = renderMail("camila@example.com", notification, sender, locale);
    expect(words.test(text)).toBe(notification.payUrl !== null);
  }
});

it.each([
  ["es-CL", "Ya no habrá más cobros", "El cobro que queda está en curso"],
  ["en", "There will be no more charges", "The charge that is left is in progress"],
] as const)("a refund announces the end of all charges only if none is in progress (%s)", (locale, over, inFlight) => {
  const off = notificationExamples.filter((one) => one.kind === "refunded" && one.offLaterCharge.amount > 0);
  const left = { amount: clp(20_111), commission: clp(0) };
  for (const refund of off)
    for (const upcoming of [{ kind: "none" }, { kind: "in_flight", ...left }, { kind: "on_hold", ...left }] as const) {
      const { text } = renderMail("camila@example.com", { ...refund, upcoming } as Notification, sender, locale);
      expect([text.includes(over), text.includes(inFlight)]).toEqual([
        upcoming.kind === "none",
        upcoming.kind === "in_flight",
      ]);
    }
});

it("a refund says what is left where it took something off it, and nowhere else; no charge where another card is needed", () => {
  const charged = { mail: "El cobro que queda es ahora de", message: "queda un cobro de" };
  const owed = { mail: "Lo que queda por pagar es ahora", message: "quedan por pagar" };
  const inFlight = { mail: "Cobro en curso", message: "esta en curso un cobro de" };
  const labels = { on_hold: charged, card_needed: owed, in_flight: inFlight } as const;
  for (const notification of notificationExamples) {
    if (notification.kind !== "refunded") continue;
    for (const kind of ["on_hold", "card_needed", "in_flight"] as const) {
      const refund = { ...notification, upcoming: { kind, amount: clp(20_111), commission: clp(0) } };
      const isTold = refund.offLaterCharge.amount > 0;
      const { text } = renderMail("camila@example.com", refund, sender, "es-CL");
      const message = renderMessage(refund, sender.clinic, "es-CL") ?? "";
      const said = Object.values(labels).map((label) => [
        text.includes(`${label.mail}: $20.111`),
        message.includes(`${label.message} $20.111`),
      ]);
      expect(said).toEqual(Object.keys(labels).map((label) => (label === kind ? [isTold, isTold] : [false, false])));
    }
  }
});

it.each([
  ["es-CL", "Ya no habrá más cobros"],
  ["en", "There will be no more charges"],
] as const)("a refund promises in %s no more charges only if nothing can be charged any more", (locale, promise) => {
  const told = { amount: clp(20_100), commission: clp(0) };
  const refund = notificationExamples.find(({ kind }) => kind === "refunded");
  if (refund?.kind !== "refunded") return expect.unreachable();
  const off = { ...refund, offLaterCharge: told };
  const promises = (["in_flight", "on_hold", "card_needed"] as const).map((kind) =>
    renderMail("camila@example.com", { ...off, upcoming: { kind, ...told } }, sender, locale).text.includes(promise),
  );
  const over = renderMail("camila@example.com", { ...off, upcoming: { kind: "none" } }, sender, locale);
  expect([...promises, over.text.includes(promise)]).toEqual([false, false, false, true]);
});
