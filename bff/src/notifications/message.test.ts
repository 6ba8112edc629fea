import { describe, expect, it } from "vitest";
import { clp } from "../contract/vocabulary/clp.ts";
import { readPhone } from "../contract/vocabulary/phone.ts";
import { MESSAGE_CHARACTERS_MAX } from "../gateways/messenger/protocol.ts";
import { messageHour, takesMessages } from "./message.ts";
import { messageWords } from "./message-words.ts";
import type { Notification } from "./notification.ts";

const insurer = "Nueva Masvida";
const link = "https://widget.example/?widget_token=t&public_key=k";
const addressed = { firstName: "Camila", clinic: "Clínica Los Aromos del Sur SpA" };
const announced = {
  ...addressed,
  kind: "charge_announced",
  amount: clp(30_800),
  commission: clp(2_800),
  day: "2027-01-05",
  cardEnding: "6623",
  payUrl: link,
} as const;
const declined = {
  ...addressed,
  kind: "charge_declined",
  amount: clp(999_999_999),
  reason: "insufficient_funds",
  cardEnding: "6623",
  next: { kind: "tried_again", day: "2027-01-07" },
  cardUrl: link,
} as const;

const MESSAGED: readonly Notification[] = [
  {
    ...addressed,
    kind: "payment_receipt",
    total: clp(40_000),
    today: clp(12_000),
    laterCharge: clp(30_800),
    latestDay: "2027-01-05",
  },
  { ...addressed, kind: "claim_filed", insurer },
  { ...addressed, kind: "claim_approved", insurer, reimbursed: clp(24_000), isCharged: true, cardEnding: "6623" },
  {
    ...addressed,
    kind: "claim_rejected",
    insurer,
    reason: "Falta la orden médica de tu psiquiatra.",
    isChargeAhead: true,
  },
  { ...addressed, kind: "access_blocked", insurer, accessUrl: link, isChargeAhead: true, refusedAgain: null },
  {
    ...addressed,
    kind: "access_blocked",
    insurer,
    accessUrl: link,
    isChargeAhead: true,
    refusedAgain: { chargeDay: "2027-12-28" },
  },
  {
    ...addressed,
    kind: "access_blocked",
    insurer,
    accessUrl: null,
    isChargeAhead: false,
    refusedAgain: { chargeDay: "2027-12-28" },
  },
  { ...addressed, kind: "access_blocked", insurer, accessUrl: null, isChargeAhead: false, refusedAgain: null },
  announced,
  { ...announced, payUrl: null },
  { ...addressed, kind: "charged", amount: clp(30_800), commission: clp(2_800), cardEnding: "6623" },
  declined,
  { ...declined, next: { kind: "as_before", day: "2027-12-05" } },
  { ...declined, next: { kind: "given_up" } },
  { ...declined, next: { kind: "paused" } },
  { ...addressed, kind: "refunded", refunded: clp(10_000), total: clp(40_000) },
];

describe.each(["es-CL", "en"] as const)("a notice as a message in %s", (locale) => {
  it.each(MESSAGED)("$kind is one short line that names the clinic, without a link", (notification) => {
    const text = messageWords(notification, locale) ?? "";
    expect(text).toMatch(/^Clínica Los Aromos del Sur SpA: .*\.$/);
    expect(text.length).toBeLessThanOrEqual(MESSAGE_CHARACTERS_MAX);
    expect(text).not.toMatch(/https?:|widget_token|undefined|null/);
    // What is wrong with somebody's health does not stand on a locked screen.
    expect(text).not.toContain("psiquiatra");
  });

  it.each(MESSAGED)("$kind fits, and stays one line, whatever a clinic is called", (notification) => {
    const named = { ...notification, clinic: `Centro\r\n${"médico ".repeat(30)}` };
    const text = messageWords(named, locale) ?? "";
    expect(text.length).toBeLessThanOrEqual(MESSAGE_CHARACTERS_MAX);
    expect(text).not.toMatch(/[\r\n]/);
  });

  it("what is only for the confirmed address is no message", () => {
    const mailOnly: readonly Notification[] = [
      { kind: "recovery_code", code: "048213", minutes: 10 },
      {
        kind: "email_changed",
        maskedRut: "40.***.***-3",
        maskedEmail: "n•••@e•••.org",
        objectionUrl: link,
        objectionHours: 48,
      },
      { kind: "email_change_undone", maskedRut: "40.***.***-3" },
      { kind: "data_link", dataUrl: link, hours: 24 },
      { kind: "data_erased", isWaiting: false },
    ];
    for (const notification of mailOnly) expect(messageWords(notification, locale)).toBeNull();
  });
});

it("amounts and days are written as in Chile", () => {
  expect(messageWords(announced, "es-CL")).toBe(
    "Clínica Los Aromos del Sur SpA: el 5 de enero de 2027 cobraremos $30.800 en tu tarjeta terminada en 6623. Si quieres pagar antes, usa el botón que está en tu correo.",
  );
  expect(messageWords(declined, "es-CL")).toContain("el 7 de enero de 2027");
});

it.each([
  ["9 1234 5678", true],
  ["+56 2 2345 6789", false],
  ["+54 9 11 1234 5678", true],
])("does %s take messages? %s", (typed, takes) => {
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

  it("the receipt of who pays at night comes at once", () => {
    const night = new Date("2026-11-22T04:30:00Z");
    expect(messageHour("payment_receipt", night)).toEqual(night);
  });
});
