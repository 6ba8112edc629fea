import { describe, expect, it } from "vitest";
import { declineReasonSchema } from "../contract/errors.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import type { Notification } from "./notification.ts";
import { renderNotification } from "./render-notification.ts";

const sender = { clinic: "Clínica Los Aromos del Sur SpA", supportEmail: "ayuda@example.com", supportPhone: null };
const receipt: Notification = {
  kind: "payment_receipt",
  firstName: "Camila",
  clinic: sender.clinic,
  total: clp(40_000),
  today: clp(12_000),
  laterCharge: clp(30_800),
  latestDay: "2027-01-05",
};

const addressed = { firstName: "Camila", clinic: sender.clinic };
const link = "https://widget.example/?widget_token=t&public_key=k";

const notices: Notification[] = [
  receipt,
  { kind: "claim_filed", firstName: "Camila", clinic: sender.clinic, insurer: "Colmena" },
  { kind: "recovery_code", code: "048213", minutes: 10 },
  {
    kind: "email_changed",
    maskedRut: "40.***.***-3",
    maskedEmail: "n•••@e•••.org",
    objectionUrl: "https://widget.example/?widget_token=t&public_key=k",
    objectionHours: 48,
  },
  { kind: "email_change_undone", maskedRut: "40.***.***-3" },
  { kind: "data_link", dataUrl: link, hours: 24 },
  {
    ...addressed,
    kind: "payment_link",
    purpose: "pay_early",
    amount: clp(30_800),
    commission: clp(2_800),
    cardEnding: "6623",
    url: link,
  },
  {
    ...addressed,
    kind: "payment_link",
    purpose: "card_change",
    amount: clp(28_000),
    commission: clp(0),
    cardEnding: "6623",
    url: link,
  },
  { kind: "data_erased", isWaiting: true },
  { kind: "data_erased", isWaiting: false },
  { kind: "data_erasure_ended" },
  {
    ...addressed,
    kind: "claim_approved",
    insurer: "Colmena",
    reimbursed: clp(24_000),
    isCharged: true,
    cardEnding: "6623",
  },
  { ...addressed, kind: "claim_approved", insurer: "Colmena", reimbursed: clp(0), isCharged: false, cardEnding: null },
  {
    ...addressed,
    kind: "claim_rejected",
    insurer: "Colmena",
    reason: "La prestación no está cubierta por tu plan.",
    isChargeAhead: true,
  },
  {
    ...addressed,
    kind: "access_blocked",
    insurer: "Colmena",
    accessUrl: link,
    isChargeAhead: true,
    refusedAgain: null,
  },
  {
    ...addressed,
    kind: "access_blocked",
    insurer: "Colmena",
    accessUrl: link,
    isChargeAhead: true,
    refusedAgain: { chargeDay: "2027-12-28" },
  },
  {
    ...addressed,
    kind: "access_blocked",
    insurer: "Colmena",
    accessUrl: null,
    isChargeAhead: false,
    refusedAgain: { chargeDay: "2027-12-28" },
  },
  {
    ...addressed,
    kind: "access_blocked",
    insurer: "Colmena",
    accessUrl: null,
    isChargeAhead: false,
    refusedAgain: null,
  },
  {
    ...addressed,
    kind: "charge_announced",
    amount: clp(30_800),
    commission: clp(2_800),
    day: "2027-01-05",
    cardEnding: "6623",
    payUrl: link,
  },
  { ...addressed, kind: "charged", amount: clp(30_800), commission: clp(2_800), cardEnding: "6623" },
  { ...addressed, kind: "charged", amount: clp(28_000), commission: clp(0), cardEnding: "6623" },
  ...declineReasonSchema.options.map((reason): Notification => {
    const next =
      reason === "card_lost_or_stolen"
        ? ({ kind: "given_up" } as const)
        : ({ kind: "tried_again", day: "2027-01-07" } as const);
    return {
      ...addressed,
      kind: "charge_declined",
      amount: clp(30_800),
      reason,
      cardEnding: "6623",
      next,
      cardUrl: link,
    };
  }),
  { ...addressed, kind: "refunded", refunded: clp(10_000), total: clp(40_000) },
  { ...addressed, kind: "refunded", refunded: clp(40_000), total: clp(40_000) },
];

/** What a reader sees of the HTML part. */
function visible(html: string): string {
  return html
    .replace(/<title>.*<\/title>/, "")
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");
}

describe("a notice as an e-mail", () => {
  it.each(notices)("$kind says the same in text and in HTML, and whom to ask", (notification) => {
    const { to, subject, text, html } = renderNotification("camila@example.com", notification, sender);
    expect(to).toBe("camila@example.com");
    expect(subject).not.toBe("");
    expect(html).toContain('<html lang="es-CL">');
    for (const line of text.split("\n").filter((line) => line !== "--" && line !== "")) {
      const value = line.split(": ").at(-1) ?? line;
      expect(
        /^(No fui yo|Dar acceso|Pagar ahora|Cambiar mi|Ver mis datos)/.test(line)
          ? html.replaceAll("&amp;", "&")
          : visible(html),
      ).toContain(value);
    }
    expect(text).toContain("ayuda@example.com");
  });

  it("writes amounts and days as they are written in Chile", () => {
    const { text } = renderNotification("a@example.com", receipt, sender);
    expect(text).toContain("Total de la atención: $40.000");
    expect(text).toContain("Se cobrará después, comisión incluida: $30.800");
    expect(text).toContain("Fecha límite: 5 de enero de 2027");
  });

  it("never promises that the reimbursement covers the later charge", () => {
    expect(renderNotification("a@example.com", receipt, sender).text).toContain("aunque la isapre reembolse menos");
  });

  it("escapes what a person typed, and keeps a subject on one line", () => {
    const name = '<img src=x onerror="alert(1)">';
    const { html, subject } = renderNotification(
      "a@example.com",
      { ...receipt, firstName: name, clinic: "Clínica\r\nBcc: all@example.com" },
      sender,
    );
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img");
    expect(subject).toBe("Tu pago en Clínica Bcc: all@example.com");
  });
});
