import { describe, expect, it } from "vitest";
import { notificationExamples } from "../../sandbox/gallery/notification-examples.ts";
import { readPhone } from "../contract/vocabulary/phone.ts";
import { gsm7Parts, toGsm7 } from "./gsm7.ts";
import { messageHour, renderMessage, takesMessages } from "./message.ts";
import type { Notification, NotificationKind } from "./notification.ts";

const clinic = "Clínica Los Aromos del Sur SpA";
const MAIL_ONLY: readonly NotificationKind[] = [
  "checkout_link",
  "payment_link",
  "access_link",
  "recovery_code",
  "email_changed",
  "email_change_undone",
  "data_link",
  "data_erased",
  "data_erasure_ended",
  "registration_renewed",
  "rights_requested",
  "rights_answered",
  "card_saved",
  "saved_card_used",
  "tax_document",
];
/** Kinds whose message replaces the mail, and ends in a line for the telephone. */
const ALONE: readonly NotificationKind[] = ["recognition_code"];
const messaged = notificationExamples.filter(({ kind }) => !MAIL_ONLY.includes(kind) && !ALONE.includes(kind));
const mailOnly = notificationExamples.filter(({ kind }) => MAIL_ONLY.includes(kind));

/** The text around the values, by kind and language. */
const FIXED_TEXTS = new Map<string, string>();

/** The first example of a kind. */
function exampleOf(kind: NotificationKind): Notification {
  const example = notificationExamples.find((candidate) => candidate.kind === kind);
  if (example === undefined) throw new Error(`There is no example of ${kind}.`);
  return example;
}

describe.each(["es-CL", "en"] as const)("a notification as a message in %s", (locale) => {
  it.each(messaged)("$kind is one short line that names the clinic, without a link", (notification) => {
    const text = renderMessage(notification, clinic, locale)?.text ?? "";
    expect(text).toMatch(/^Clinica Los Aromos del Sur SpA: .*\. (Revisa tu correo|Check your e-mail)\.$/);
    expect(gsm7Parts(text)).toBeLessThanOrEqual(2);
    expect(text).not.toMatch(/https?:|widget_token|undefined|null/);
    // A patient's illness must not appear on a locked screen.
    expect(text).not.toContain("psiquiatra");
  });

  it.each(messaged)("$kind fits on one line, whatever the clinic's name is", (notification) => {
    const text = renderMessage(notification, `Centro\r\n${"médico ".repeat(30)}`, locale)?.text ?? "";
    expect(gsm7Parts(text)).toBeLessThanOrEqual(2);
    expect(text).not.toMatch(/[\r\n]/);
  });

  it.each(notificationExamples.filter(({ kind }) => !MAIL_ONLY.includes(kind)))(
    "$kind is a fixed text, the same for every payment, with its values filled in",
    (notification) => {
      const { text, template, values = {} } = renderMessage(notification, clinic, locale) ?? expect.unreachable();
      expect(template).toEqual({ name: notification.kind, language: locale });
      let fixed = text.split("\n")[0] ?? "";
      for (const value of Object.values(values).toSorted((a, b) => b.length - a.length)) {
        expect(value).toMatch(/^\S(.*\S)?$/);
        expect(fixed).toContain(toGsm7(value));
        fixed = fixed.replace(toGsm7(value), "…");
      }
      expect(fixed.replace(/10 minut(o|e)s/, "")).not.toMatch(/\d|\$/);
      FIXED_TEXTS.set(`${notification.kind} ${locale}`, FIXED_TEXTS.get(`${notification.kind} ${locale}`) ?? fixed);
      expect(fixed).toBe(FIXED_TEXTS.get(`${notification.kind} ${locale}`));
    },
  );

  it.each(mailOnly)("$kind is sent only to the confirmed address, and not as a message", (notification) => {
    expect(renderMessage(notification, clinic, locale)).toBeNull();
  });
});

describe("the message with a code to pay", () => {
  it.each([
    [
      "es-CL",
      "tu codigo para pagar es 048213: hoy $300.000.000 de un total de $999.999.999, con la tarjeta terminada en 6623. Si no es tu pago, no lo escribas. Vence en 10 minutos. No se lo des a nadie, tampoco a la clinica.",
    ],
    [
      "en",
      "your code to pay is 048213: $300.000.000 today out of $999.999.999, with your card ending in 6623. If this is not your payment, do not type it. It expires in 10 minutes. Do not share it, not even with the clinic.",
    ],
  ] as const)(
    "names amounts and card in %s, and ends in the line that browsers recognise for autofill",
    (locale, words) => {
      expect(renderMessage(exampleOf("recognition_code"), clinic, locale)?.text).toBe(
        `Clinica Los Aromos del Sur SpA: ${words}\n@widget.example #048213`,
      );
    },
  );

  it.each(["es-CL", "en"] as const)("fits two parts in %s for any clinic's name and a long host", (locale) => {
    for (const example of notificationExamples) {
      if (example.kind !== "recognition_code") continue;
      const longest = { ...example, host: "checkout.atiendeteahora-pagadespues.cl" };
      expect(
        gsm7Parts(renderMessage(longest, `Centro ${"médico ".repeat(30)}`, locale)?.text ?? ""),
      ).toBeLessThanOrEqual(2);
    }
  });
});

it("amounts and days are written as in Chile, without accents, which would double the cost", () => {
  expect(renderMessage(exampleOf("charge_announced"), clinic, "es-CL")?.text).toBe(
    "Clinica Los Aromos del Sur SpA: el 5 de enero de 2027, o antes si tu isapre aprueba, cobraremos $30.800 en tu tarjeta terminada en 6623. Revisa tu correo.",
  );
  expect(renderMessage(exampleOf("charge_declined"), clinic, "es-CL")?.text).toContain("el 7 de enero de 2027");
});

it("days are written in words in English too", () => {
  expect(renderMessage(exampleOf("charge_announced"), clinic, "en")?.text).toBe(
    "Clinica Los Aromos del Sur SpA: on 5 January 2027, or earlier if your isapre approves, we will charge $30.800 to your card ending in 6623. Check your e-mail.",
  );
});

it.each([
  ["9 1234 5678", true],
  ["+56 2 2345 6789", false],
  ["+54 9 11 1234 5678", true],
])("messages to %s are accepted: %s", (typed, takes) => {
  const phone = readPhone(typed);
  expect(phone !== null && takesMessages(phone)).toBe(takes);
});

describe("the hour of a message", () => {
  it.each([
    ["by day, at once", "2026-11-21T15:00:00Z", "2026-11-21T15:00:00.000Z"],
    ["at 08:00, at once", "2026-11-21T11:00:00Z", "2026-11-21T11:00:00.000Z"],
    ["early, at 08:00", "2026-11-21T10:59:59Z", "2026-11-21T11:00:00.000Z"],
    ["at 21:00, in the morning", "2026-11-22T00:00:00Z", "2026-11-22T11:00:00.000Z"],
    ["after midnight, the same morning", "2026-11-22T04:30:00Z", "2026-11-22T11:00:00.000Z"],
    ["in the night in which an hour is skipped", "2026-09-06T02:00:00Z", "2026-09-06T11:00:00.000Z"],
    ["in the night in which an hour comes twice", "2026-04-05T02:30:00Z", "2026-04-05T12:00:00.000Z"],
  ])("%s", (_name, at, hour) => {
    expect(messageHour("claim_approved", new Date(at)).toISOString()).toBe(hour);
  });

  it("the receipt of a payment at night is sent at once", () => {
    const night = new Date("2026-11-22T04:30:00Z");
    expect(messageHour("payment_receipt", night)).toEqual(night);
  });
});
