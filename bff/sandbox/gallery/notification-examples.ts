import { declineLimitSchema, declineReasonSchema } from "../../src/contract/errors.ts";
import { clp } from "../../src/contract/vocabulary/clp.ts";
import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import type { MailSender } from "../../src/notifications/mail-layout.ts";
import type { Notification, NotificationKind, NotificationOf } from "../../src/notifications/notification.ts";
import type { AboutPayment, Undated } from "../../src/notifications/notification-definition.ts";

/** The clinic that sends the examples, and the payment that they are about. */
export const exampleSender: MailSender = {
  name: "Clínica Los Aromos del Sur SpA",
  logoUrl: null,
  appearance: {},
  supportEmail: "ayuda@example.com",
  supportPhone: null,
};
export const exampleAbout: AboutPayment = {
  clinic: "Clínica Los Aromos del Sur SpA",
  reference: "AGENDA-20417",
  paidOn: "2026-11-21",
  cardEnding: "6623",
  consultationDay: "2026-11-20",
};

const link = "https://widget.example/?widget_token=t&public_key=k";
const insurer = "Nueva Masvida";
const addressed = { firstName: "Camila", clinic: "Clínica Los Aromos del Sur SpA" };
const money = { amount: clp(30_800), commission: clp(2_800), cardEnding: "6623" };
const revoked = {
  ...addressed,
  ...money,
  isRefundFailed: false,
  isOnHold: false,
  latestDay: null,
  mayComeEarlier: false,
  cardUrl: null,
} as const;
const receipt = {
  ...addressed,
  total: clp(40_000),
  today: clp(12_000),
  laterCharge: clp(30_800),
  commission: clp(2_800),
  tax: { regime: "taxed_service", issuer: { name: "AAPD de Prueba SpA", rut: "76904444-2" as Rut } },
  latestDay: "2027-01-05",
  isLaterChargeWithdrawn: false,
  authorisationCode: "418207",
  hasAgreement: true,
  credit: { financingProvider: "Financiera Andina S.A.", annualCostPercentage: 81.11 },
} as const;
const approved = { ...money, day: "2026-12-03", isToday: true, paidBefore: clp(12_000) } as const;
const earlyCharge = { day: "2027-12-28", amount: clp(30_800) } as const;
const blocked = { ...addressed, insurer, accessUrl: link, earlyCharge, isRefusedAgain: false };
const unfiled = {
  ...addressed,
  lacksAccess: false,
  lacksPaper: null,
  documents: [],
  accessUrl: null,
  claimUntil: "2027-01-20",
  chargeDay: "2027-01-05",
} as const;
const BECAUSE = [
  "rejected",
  "no_answer",
  "no_access",
  "no_receipt",
  "no_document",
  "access_blocked",
  "portal_down",
  "withdrawn",
  "not_followed",
  "taken_back",
  "given_up",
  "approved",
  "access_was_blocked",
  "latest_day_over",
] as const;
const declined = {
  ...addressed,
  amount: clp(999_999_999),
  day: "2027-01-05",
  reason: "insufficient_funds",
  cardEnding: "6623",
  next: { kind: "tried_again", day: "2027-01-07", amount: clp(999_999_999) },
  cardUrl: link,
} as const;

const { clinic } = addressed;
const [firstUse, ...otherUses] = [
  { kind: "confirm_registration", clinic, total: clp(40_000) },
  { kind: "confirm_registration", clinic, total: null },
  { kind: "move_mailbox", clinic, maskedRut: "40.1•••••-3" },
  { kind: "open_data" },
  { kind: "give_access", clinic },
  { kind: "change_card", clinic },
  { kind: "open_payment", clinic, charge: { amount: clp(30_800), cardEnding: "6623" } },
  { kind: "open_payment", clinic, charge: null },
  { kind: "pay_early", clinic, charge: { amount: clp(30_800), cardEnding: "6623" } },
  { kind: "pay_early", clinic, charge: null },
] as const;
const payingCode = {
  code: "048213",
  host: "widget.example",
  clinic,
  total: clp(999_999_999),
  today: clp(300_000_000),
  cardEnding: "6623",
} as const;

const sum = (amount: number, commission: number) => ({ amount: clp(amount), commission: clp(commission) });
const undated = (kind: Undated) => ({ kind, ...sum(30_800, 2_800) });
const card = (amount: number, commission: number) => ({ ...sum(amount, commission), cardEnding: "6623" });
const nothing = sum(0, 0);
const refund = {
  ...addressed,
  offLaterCharge: nothing,
  upcoming: { kind: "none" },
  toCards: [],
  byBank: nothing,
  byTransfer: nothing,
  transferredBecause: [],
} as const;

const issued = {
  number: "1047",
  url: "https://documents.example/1047",
  amount: clp(2_800),
  vat: clp(447),
  isExempt: false,
  issuer: "AAPD de Prueba SpA, RUT 76.904.444-2",
};

type Facts<Kind extends NotificationKind> = Omit<NotificationOf<Kind>, "kind">;

/** Every kind, with each case that has different text. */
const examples: { readonly [Kind in NotificationKind]: readonly [Facts<Kind>, ...Facts<Kind>[]] } = {
  payment_receipt: [
    receipt,
    { ...receipt, tax: { regime: "interest" } },
    { ...receipt, isLaterChargeWithdrawn: true },
    {
      ...receipt,
      commission: clp(0),
      laterCharge: clp(28_000),
      tax: { regime: "interest" },
      credit: null,
      authorisationCode: null,
      hasAgreement: false,
    },
  ],
  claim_filed: [{ ...addressed, insurer }],
  claim_approved: [
    { ...addressed, insurer, reimbursed: clp(24_000), charge: approved, settled: null, undated: null },
    {
      ...addressed,
      insurer,
      reimbursed: clp(30_800),
      charge: { ...approved, isToday: false, commission: clp(0) },
      settled: null,
      undated: null,
    },
    { ...addressed, insurer, reimbursed: clp(31_000), charge: approved, settled: null, undated: null },
    { ...addressed, insurer, reimbursed: clp(50_000), charge: approved, settled: null, undated: null },
    { ...addressed, insurer, reimbursed: clp(0), charge: approved, settled: null, undated: null },
    { ...addressed, insurer, reimbursed: clp(0), charge: null, settled: null, undated: null },
    { ...addressed, insurer, reimbursed: clp(24_000), charge: null, settled: null, undated: undated("on_hold") },
    { ...addressed, insurer, reimbursed: clp(24_000), charge: null, settled: null, undated: undated("in_flight") },
    { ...addressed, insurer, reimbursed: clp(24_000), charge: null, settled: null, undated: undated("card_needed") },
    { ...addressed, insurer, reimbursed: clp(24_000), charge: null, settled: null, undated: undated("owed_on_hold") },
    { ...addressed, insurer, reimbursed: clp(24_000), charge: null, settled: clp(0), undated: null },
    { ...addressed, insurer, reimbursed: clp(24_000), charge: null, settled: clp(42_800), undated: null },
    { ...addressed, insurer, reimbursed: clp(42_800), charge: null, settled: clp(42_800), undated: null },
  ],
  claim_rejected: [
    {
      ...addressed,
      insurer,
      reason: "Falta la orden médica de tu psiquiatra.",
      charge: { kind: "by_day", day: "2027-01-05" },
    },
    {
      ...addressed,
      insurer,
      reason: "Falta la orden médica de tu psiquiatra.",
      charge: { kind: "on_day", day: "2026-12-05" },
    },
    { ...addressed, insurer, reason: "La prestación no está cubierta por tu plan.", charge: null },
    { ...addressed, insurer, reason: "La prestación no está cubierta por tu plan.", charge: undated("on_hold") },
    { ...addressed, insurer, reason: "La prestación no está cubierta por tu plan.", charge: undated("owed_on_hold") },
    { ...addressed, insurer, reason: "La prestación no está cubierta por tu plan.", charge: undated("card_needed") },
  ],
  claim_unfiled: [
    { ...unfiled, lacksAccess: true, accessUrl: link },
    { ...unfiled, lacksAccess: true, lacksPaper: "receipt", chargeDay: null },
    { ...unfiled, lacksPaper: "receipt" },
    { ...unfiled, lacksPaper: "document", documents: ["medical_order"], chargeDay: null },
    { ...unfiled, lacksPaper: "document", documents: ["unlocked_receipt"] },
    { ...unfiled, lacksPaper: "document", documents: ["readable_photo", "prescription", "other_document"] },
  ],
  access_blocked: [
    blocked,
    { ...blocked, accessUrl: null, earlyCharge: null },
    { ...blocked, isRefusedAgain: true },
    { ...blocked, isRefusedAgain: true, accessUrl: null, earlyCharge: null },
  ],
  charge_announced: [
    {
      ...addressed,
      ...money,
      because: "no_answer",
      mayComeEarlier: true,
      day: "2027-01-05",
      isOverdue: false,
      payUrl: link,
    },
    {
      ...addressed,
      ...money,
      because: "no_answer",
      mayComeEarlier: false,
      day: "2027-01-05",
      isOverdue: false,
      payUrl: link,
    },
    {
      ...addressed,
      ...money,
      because: "no_answer",
      mayComeEarlier: false,
      day: "2027-01-12",
      isOverdue: true,
      payUrl: null,
    },
    ...BECAUSE.map((because) => ({
      ...addressed,
      ...money,
      because,
      mayComeEarlier: false,
      day: "2027-01-05",
      isOverdue: false,
      payUrl: null,
    })),
  ],
  charged: [
    { ...addressed, ...money, day: "2026-12-03", authorisationCode: "418207" },
    { ...addressed, ...money, day: "2026-12-03", commission: clp(0), authorisationCode: null },
  ],
  paid_otherwise: [
    { ...addressed, amount: money.amount, commission: money.commission, day: "2026-12-03" },
    { ...addressed, amount: money.amount, commission: clp(0), day: "2026-12-03" },
  ],
  written_off: [{ ...addressed, amount: money.amount }],
  dispute_closed: [
    { ...addressed, outcome: "lost", amount: clp(12_000), upcoming: { kind: "on_hold", ...sum(30_800, 2_800) } },
    { ...addressed, outcome: "lost", amount: clp(30_800), upcoming: { kind: "none" } },
    {
      ...addressed,
      outcome: "won",
      amount: clp(12_000),
      upcoming: { kind: "by_day", day: "2027-01-05", ...sum(30_800, 2_800) },
    },
    { ...addressed, outcome: "won", amount: clp(12_000), upcoming: { kind: "card_needed", ...sum(30_800, 2_800) } },
    { ...addressed, outcome: "lost", amount: clp(12_000), upcoming: { kind: "owed_on_hold", ...sum(30_800, 2_800) } },
    { ...addressed, outcome: "won", amount: clp(12_000), upcoming: { kind: "in_flight", ...sum(30_800, 2_800) } },
  ],
  charge_returned: [{ ...addressed, amount: money.amount, day: "2026-11-21" }],
  charge_declined: [
    declined,
    { ...declined, next: { kind: "tried_again", day: "2027-01-07", amount: clp(20_100) } },
    { ...declined, next: { kind: "as_before", day: "2027-12-05" } },
    { ...declined, next: { kind: "given_up" } },
    { ...declined, next: { kind: "given_up" }, cardUrl: null },
    { ...declined, next: { kind: "paused" }, cardUrl: null },
    ...declineReasonSchema.options.map((reason) => ({ ...declined, reason })),
    ...declineLimitSchema.options.map((limit) => ({ ...declined, limit })),
  ],
  mandate_revoked: [
    { ...revoked, latestDay: "2027-01-05", mayComeEarlier: true, cardUrl: link },
    { ...revoked, latestDay: "2027-01-05", cardUrl: link },
    { ...revoked, commission: clp(0) },
    { ...revoked, isOnHold: true },
    { ...revoked, isRefundFailed: true, cardUrl: link },
    { ...revoked, isRefundFailed: true, latestDay: "2027-01-05", mayComeEarlier: true, cardUrl: link },
  ],
  refunded: [
    {
      ...refund,
      price: clp(10_000),
      offLaterCharge: sum(10_700, 700),
      upcoming: { kind: "on_hold", ...sum(20_100, 2_100) },
    },
    {
      ...refund,
      price: clp(10_000),
      offLaterCharge: sum(10_700, 700),
      upcoming: { kind: "card_needed", ...sum(20_100, 2_100) },
    },
    {
      ...refund,
      price: clp(10_000),
      offLaterCharge: sum(10_700, 700),
      upcoming: { kind: "in_flight", ...sum(20_100, 2_100) },
    },
    {
      ...refund,
      price: clp(10_000),
      offLaterCharge: sum(10_700, 700),
      upcoming: { kind: "owed_on_hold", ...sum(20_100, 2_100) },
    },
    { ...refund, price: clp(40_000), offLaterCharge: sum(30_800, 2_800), toCards: [card(12_000, 0)] },
    { ...refund, price: clp(45_952), toCards: [card(35_383, 3_217), card(13_786, 0)] },
    { ...refund, price: clp(10_000) },
    { ...refund, price: clp(26_997), byBank: sum(26_997, 0) },
    {
      ...refund,
      price: clp(26_997),
      byBank: sum(26_997, 0),
      upcoming: { kind: "by_day", day: "2027-01-05", ...sum(67_403, 4_410) },
    },
    { ...refund, price: clp(10_000), byTransfer: sum(10_700, 700), transferredBecause: ["card_takes_no_part"] },
    { ...refund, price: clp(32_166), byTransfer: sum(35_383, 3_217), transferredBecause: ["paid_without_card"] },
  ],
  refund_transferred: [{ ...addressed, amount: clp(10_700), day: "2026-12-03" }],
  tax_document: [
    { ...addressed, ...issued, document: "boleta" },
    { ...addressed, ...issued, document: "credit_note" },
    { ...addressed, ...issued, document: "boleta", vat: clp(0), isExempt: true },
  ],
  checkout_link: [
    {
      ...addressed,
      total: clp(40_000),
      today: clp(12_000),
      validUntil: { day: "2026-11-21", time: "16:04" },
      url: link,
    },
  ],
  payment_link: [
    { ...addressed, ...money, purpose: "pay_early", url: link },
    { ...addressed, ...money, purpose: "card_change", commission: clp(0), url: link },
    { ...addressed, ...money, purpose: "card_change", cardEnding: null, url: link },
  ],
  access_link: [{ ...addressed, accessUrl: link }],
  recovery_code: [{ code: "048213", use: firstUse }, ...otherUses.map((use) => ({ code: "048213", use }))],
  recognition_code: [payingCode, { ...payingCode, cardEnding: null }],
  email_changed: [{ maskedRut: "40.***.***-3", maskedEmail: "n•••@e•••.org", objectionUrl: link }],
  email_change_undone: [{ maskedRut: "40.***.***-3" }],
  data_link: [{ dataUrl: link }],
  data_erased: [{ isWaiting: true }, { isWaiting: false }],
  data_erasure_ended: [{}],
  card_saved: [{ ...addressed, cardEnding: "6623" }],
  saved_card_used: [{ ...addressed, cardEnding: "6623" }],
  registration_renewed: [
    { clinic: "Clínica Los Aromos", hasNewAccess: true },
    { clinic: "Clínica Los Aromos", hasNewAccess: false },
  ],
  rights_requested: [
    { firstName: "Camila", type: "rectification", answerBy: "2026-12-21" },
    { firstName: "Camila", type: "opposition", answerBy: "2026-12-21" },
    { firstName: "Camila", type: "blocking", answerBy: "2026-12-21" },
    { firstName: "Camila", type: "credit_review", answerBy: "2026-12-21" },
  ],
  rights_answered: [
    { firstName: "Camila", type: "rectification", isGranted: true, answer: "Corregimos tu apellido." },
    { firstName: "Camila", type: "blocking", isGranted: false, answer: "Confirmamos que los datos son tuyos." },
    { firstName: "Camila", type: "credit_review", isGranted: false, answer: "La financiera mantiene su decisión." },
  ],
};

export const notificationExamples = Object.entries(examples).flatMap(([kind, cases]) =>
  // Each case belongs to its kind. The type of the record above guarantees this, but `Object.entries` loses it.
  cases.map((facts) => ({ kind, ...facts }) as Notification),
);
