import { describe, expect, it } from "vitest";
import { exampleAbout, exampleSender, notificationExamples } from "../../sandbox/gallery/notification-examples.ts";
import { clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { dayInWords } from "../platform/day-in-words.ts";
import { toGsm7 } from "./gsm7.ts";
import { renderMessage } from "./message.ts";
import type { Notification } from "./notification.ts";
import { renderMail } from "./render-mail.ts";

const given = { sender: exampleSender, about: exampleAbout };
const receipt = exampleOf("payment_receipt");

/** The first example of a kind. */
function exampleOf<Kind extends Notification["kind"]>(kind: Kind): Extract<Notification, { readonly kind: Kind }> {
  const found = notificationExamples.find((example) => example.kind === kind);
  if (found === undefined) throw new Error(`There is no example of ${kind}.`);
  return found as Extract<Notification, { readonly kind: Kind }>;
}

/** The visible text of the HTML part. */
function visible(html: string): string {
  return html
    .replace(/<title>.*<\/title>|<style>.*?<\/style>/g, "")
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
  "outcome",
  "because",
  "transferredBecause",
  "lacksPaper",
  "documents",
  "document",
  "regime",
  "rut",
  "host",
  "paidBefore",
  "settled",
  "undated",
];

/** The facts of a notification as a mail shows them: amounts in pesos, days in words, everything else unchanged. */
function factsIn(notification: Notification, locale: Locale): string[] {
  return factsOf(Object.entries(notification), notification, locale);
}

function factsOf(facts: readonly [string, unknown][], notification: Notification, locale: Locale): string[] {
  return facts.flatMap(([name, value]) => {
    if (
      CHOOSING_FACTS.includes(name) ||
      (notification.kind === "charge_declined" && ["reason", "limit"].includes(name))
    )
      return [];
    if (name === "annualCostPercentage") return [`${String(value).replace(".", locale === "en" ? "." : ",")}%`];
    // Grouped facts, such as a charge with its amount and day, are checked one by one. A code only selects words.
    if (typeof value === "object" && value !== null)
      return factsOf(
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
  it.each(notificationExamples)("$kind has the same content in text and HTML, and names a contact", (notification) => {
    const { to, subject, text, html } = renderMail("camila@example.com", notification, given, locale);
    expect(to).toBe("camila@example.com");
    expect(subject).not.toBe("");
    expect(html).toContain(`<html lang="${locale}">`);
    for (const line of text.split("\n").filter((line) => line !== "--" && line !== "")) {
      const value = (line.split(": ").at(-1) ?? line).replaceAll("\u00a0", " ");
      const isLink = value.startsWith("https://");
      expect(isLink ? html.replaceAll("&amp;", "&") : visible(html)).toContain(value);
    }
    expect(text).toContain("ayuda@example.com");
  });

  it.each(notificationExamples)("$kind mentions its facts", (notification) => {
    const { subject, text } = renderMail("camila@example.com", notification, given, locale);
    for (const fact of factsIn(notification, locale)) expect(`${subject}\n${text}`).toContain(fact);
    expect(text).not.toMatch(/undefined|null|NaN|\[object/);
  });

  it("includes the telephone if the clinic has one", () => {
    const { text } = renderMail(
      "a@example.com",
      receipt,
      { sender: { ...exampleSender, supportPhone: "+56 2 2345 6789" } },
      locale,
    );
    expect(text).toMatch(/ayuda@example\.com · \+56 2 2345 6789$/m);
  });
});

it.each(notificationExamples)("$kind has its own words in each language", (notification) => {
  const [spanish, english] = (["es-CL", "en"] as const).map((locale) =>
    renderMail("camila@example.com", notification, given, locale),
  );
  expect(english?.subject).not.toBe(spanish?.subject);
  const paragraphs = new Set(spanish?.text.split("\n\n"));
  const shared = english?.text.split("\n\n").filter((paragraph) => paragraphs.has(paragraph));
  // A code is the same in every language.
  const isTheSame =
    notification.kind === "recovery_code" || notification.kind === "recognition_code" ? [notification.code] : [];
  expect(shared).toEqual(isTheSame);
});

it("amounts and days are written as in Chile", () => {
  const { text } = renderMail("a@example.com", receipt, given, "es-CL");
  expect(text).toContain("Precio de la atención: $40.000");
  expect(text).toContain("Segundo cobro: $30.800");
  expect(text).toContain("CAE (costo anual): 81,11%");
  expect(text).toContain("no es una boleta");
  expect(text).toContain("A más tardar: 5 de enero de 2027");
});

it("English mails write pesos as in Chile, and days in words", () => {
  const { text } = renderMail("a@example.com", receipt, given, "en");
  expect(text).toContain("Price: $40.000");
  expect(text).toContain("Second charge: $30.800");
  expect(text).toContain("CAE (annual cost): 81.11%");
  expect(text).toContain("At the latest: 5 January 2027");
});

it.each([
  ["es-CL", "aunque tu isapre reembolse menos"],
  ["en", "even if your isapre reimburses less"],
] as const)("a mail in %s never promises that the reimbursement covers the later charge", (locale, words) => {
  expect(renderMail("a@example.com", receipt, given, locale).text).toContain(words);
});

it.each([
  ["es-CL", /misma tarjeta|Segundo cobro: |se hará una/, "Te queda por pagar: $30.800", "no se cobrará en tu tarjeta"],
  ["en", /same card|Second charge: |will be made/, "Left to pay: $30.800", "will not be charged to your card"],
] as const)(
  "a receipt in %s announces no charge whose mandate was withdrawn, but names the amount left to pay",
  (locale, charge, left, withdrawn) => {
    const unmandated = { ...receipt, isLaterChargeWithdrawn: true };
    const { text } = renderMail("a@example.com", unmandated, given, locale);
    const message = renderMessage(unmandated, exampleAbout.clinic, locale)?.text ?? "";
    expect(text).not.toMatch(charge);
    expect(text).toContain(withdrawn);
    expect(message).toContain(toGsm7(withdrawn));
    expect(text).toContain(left);
  },
);

it("a mail never breaks an amount or a day, and breaks a long reference anywhere", () => {
  const reference = "AGENDA-20417-CONSULTA-DE-DERMATOLOGIA";
  const about = { ...exampleAbout, reference };
  const { html = "" } = renderMail("c@example.com", receipt, { sender: exampleSender, about }, "es-CL");
  const cells = new Map(
    [...html.matchAll(/<td [^>]*style="([^"]*)"><strong>([^<]*)<\/strong>/g)].map(([, style, value]) => [value, style]),
  );
  for (const value of ["$12.000", "$30.800", "5 de enero de 2027", "••6623"])
    expect(cells.get(value)).toContain("white-space:nowrap");
  expect(cells.get(reference)).toContain("word-break:break-word");
});

it("a mail escapes typed text and keeps its subject on one line", () => {
  const name = '<img src=x onerror="alert(1)">';
  const hostile = { ...receipt, firstName: name, clinic: "Clínica\r\nBcc: all@example.com" };
  const { html, subject } = renderMail("a@example.com", hostile, given, "es-CL");
  expect(html).not.toContain("<img");
  expect(html).toContain("&lt;img");
  expect(subject).toBe("Tu pago en Clínica Bcc: all@example.com");
});

it.each([
  ["es-CL", /pagarlo antes/],
  ["en", /pay earlier/],
] as const)("a mail in %s offers no early payment if there is none", (locale, words) => {
  for (const notification of notificationExamples) {
    if (notification.kind !== "charge_announced") continue;
    const { text } = renderMail("camila@example.com", notification, given, locale);
    expect(words.test(text)).toBe(notification.payUrl !== null);
  }
});

it.each([
  ["es-CL", "Ya no habrá más cobros", "El segundo cobro está en curso"],
  ["en", "There will be no more charges", "The second charge is in progress"],
] as const)(
  "a refund's mail says that charges have ended only if none is in progress (%s)",
  (locale, over, inFlight) => {
    const off = notificationExamples.filter((one) => one.kind === "refunded" && one.offLaterCharge.amount > 0);
    const left = { amount: clp(20_111), commission: clp(0) };
    for (const refund of off)
      for (const upcoming of [
        { kind: "none" },
        { kind: "in_flight", ...left },
        { kind: "on_hold", ...left },
      ] as const) {
        const { text } = renderMail("camila@example.com", { ...refund, upcoming } as Notification, given, locale);
        expect([text.includes(over), text.includes(inFlight)]).toEqual([
          upcoming.kind === "none",
          upcoming.kind === "in_flight",
        ]);
      }
  },
);

it("a refund's mail states the rest of the second charge, even if only its commission changed", () => {
  const charged = { mail: "El segundo cobro es ahora de", message: "el segundo cobro es de" };
  const owed = { mail: "Te queda por pagar", message: "quedan por pagar" };
  const inFlight = { mail: "Segundo cobro en curso", message: "esta en curso el segundo cobro, de" };
  const labels = { on_hold: charged, card_needed: owed, owed_on_hold: owed, in_flight: inFlight } as const;
  for (const notification of notificationExamples) {
    if (notification.kind !== "refunded") continue;
    for (const kind of ["on_hold", "card_needed", "owed_on_hold", "in_flight"] as const) {
      const refund = { ...notification, upcoming: { kind, amount: clp(20_111), commission: clp(0) } };
      const { text } = renderMail("camila@example.com", refund, given, "es-CL");
      const message = renderMessage(refund, exampleAbout.clinic, "es-CL")?.text ?? "";
      const shown = [charged, owed, inFlight].map((label) => [
        text.includes(`${label.mail}: $20.111`),
        message.includes(`${label.message} $20.111`),
      ]);
      expect(shown).toEqual([charged, owed, inFlight].map((label) => [label === labels[kind], label === labels[kind]]));
    }
  }
});

it.each([
  ["es-CL", "Ya no habrá más cobros"],
  ["en", "There will be no more charges"],
] as const)(
  "a refund's mail promises in %s that charges have ended only if nothing can be charged any more",
  (locale, promise) => {
    const reduction = { amount: clp(20_100), commission: clp(0) };
    const refund = notificationExamples.find(({ kind }) => kind === "refunded");
    if (refund?.kind !== "refunded") return expect.unreachable();
    const off = { ...refund, offLaterCharge: reduction };
    const promises = (["in_flight", "on_hold", "owed_on_hold", "card_needed"] as const).map((kind) =>
      renderMail("camila@example.com", { ...off, upcoming: { kind, ...reduction } }, given, locale).text.includes(
        promise,
      ),
    );
    const over = renderMail("camila@example.com", { ...off, upcoming: { kind: "none" } }, given, locale);
    expect([...promises, over.text.includes(promise)]).toEqual([false, false, false, false, true]);
  },
);

it.each([
  [24_000, "Tu isapre te devuelve $24.000: de tu bolsillo salen $6.800 más los $12.000 que ya pagaste."],
  [30_800, "Tu isapre te devuelve $30.800: de tu bolsillo salen los $12.000 que ya pagaste."],
  [31_000, "Tu isapre te devuelve $31.000: de los $12.000 que ya pagaste, salen de tu bolsillo $11.800."],
  [50_000, "Tu isapre te devuelve $50.000: cubre todo lo que pagas."],
])("an approval of %s names the patient's own cost", (reimbursed, words) => {
  const approved = { ...exampleOf("claim_approved"), reimbursed: clp(reimbursed) };
  expect(renderMail("a@example.com", approved, given, "es-CL").text).toContain(
    `Hoy, 3 de diciembre de 2026, cobramos $30.800 en tu tarjeta ••6623. ${words}`,
  );
});

it.each(["es-CL", "en"] as const)(
  "a mail that requests the isapre's password says in %s who requests it, and how to answer without its button",
  (locale) => {
    for (const kind of ["claim_unfiled", "access_blocked", "access_link"] as const) {
      const { text } = renderMail("a@example.com", exampleOf(kind), given, locale);
      for (const phrase of [
        "AGENDA-20417",
        "••6623",
        exampleAbout.clinic,
        "widget.example",
        "Atiéndete ahora, paga después",
      ])
        expect(text).toContain(phrase);
      expect(text).toMatch(locale === "en" ? /Prefer not to use the button\?/ : /¿Prefieres no usar el botón\?/);
      expect(text).toMatch(locale === "en" ? /Before your password/ : /Antes de tu clave/);
    }
  },
);

describe("the layout of a mail", () => {
  const htmlWith = (sender: Partial<typeof exampleSender>) =>
    renderMail("a@example.com", exampleOf("access_link"), { sender: { ...exampleSender, ...sender } }, "es-CL").html;

  it("has the clinic's logo and colour, or its name and the product's colour", () => {
    const own = htmlWith({ logoUrl: "https://clinic.example/logo.png", appearance: { accent: "#1a4fa0" } });
    expect(own).toContain('src="https://clinic.example/logo.png" alt="Clínica Los Aromos del Sur SpA"');
    expect(own).toContain('bgcolor="#1a4fa0"');
    expect(htmlWith({})).toContain('bgcolor="#0b6b61"');
  });

  it("replaces a colour on which white text is unreadable", () => {
    expect(htmlWith({ appearance: { accent: "#ffe066" } })).toContain('bgcolor="#0b6b61"');
  });

  it("follows the reader's dark mode, stays under 100 kB, and links its contacts", () => {
    for (const example of notificationExamples) {
      const { html } = renderMail("a@example.com", example, given, "es-CL");
      expect(html).toContain("prefers-color-scheme:dark");
      expect(html).toContain('href="mailto:ayuda@example.com"');
      expect(Buffer.byteLength(html)).toBeLessThan(100_000);
    }
  });
});

it.each([
  ["es-CL", "Para pagar lo que queda, abre «Ver mi pago», más abajo, e ingresa otra tarjeta.", "Ver mi pago"],
  ["en", "To pay the rest, open “See my payment” below and add another card.", "See my payment"],
] as const)(
  "a mail about a second payment whose card is never charged says in %s how much is left, and how to pay it",
  (locale, onPage, page) => {
    const left = { kind: "card_needed", amount: clp(20_111), commission: clp(1_111) } as const;
    const mails = [
      { ...exampleOf("claim_approved"), charge: null, undated: left },
      { ...exampleOf("claim_rejected"), charge: left },
      { ...exampleOf("dispute_closed"), upcoming: left },
      { ...exampleOf("refunded"), upcoming: left },
    ];
    const paymentPage = "https://widget.example/?widget_token=t";
    for (const mail of mails) {
      const { text } = renderMail("a@example.com", mail, { ...given, paymentPage }, locale);
      for (const words of [": $20.111", onPage, `\n${page}: ${paymentPage}`]) expect(text).toContain(words);
      const { text: withoutPage } = renderMail("a@example.com", mail, given, locale);
      expect(withoutPage).toMatch(locale === "en" ? /To pay the rest, write to us\./ : /queda, escríbenos\./);
      expect(withoutPage).not.toContain(page);
    }
  },
);
