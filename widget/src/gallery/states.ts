import type { DeclineReason } from "bff/contract/errors";
import type { Locale, WidgetSession } from "bff/contract/widget-tokens";
import type { CheckoutApi } from "../api/checkout-api.ts";
import type { NoAnswer, Problem } from "../api/problem.ts";
import type { Collision, Place } from "../checkout/checkout-state.ts";
import { NOT_RECOGNISED, type Recognition } from "../checkout/recognition.ts";
import type { StepName } from "../checkout/steps.ts";
import type { GalleryState } from "./gallery-state.ts";
import { PAYMENT_PAGE_STATES } from "./payment-page-states.ts";
import {
  BILL,
  collectedOrder,
  knownSession,
  orderWith,
  paidOrder,
  paidPlan,
  partlyRefundedOrder,
  partlyReturnedOrder,
  problemWith,
  refundedOrder,
  refusalWith,
  SAVED,
  SERVER_TIME,
  sessionWith,
  VISA,
} from "./recorded-answers.ts";
import { RETURN_STATES } from "./return-states.ts";
import { SELF_SERVICE_STATES } from "./self-service-states.ts";

function noAnswer(fault: NoAnswer["fault"]): NoAnswer {
  return { kind: "no_answer", fault, traceId: null };
}

/** A session of a patient who has reached this step. */
function sessionAt(step: StepName, locale: Locale): WidgetSession {
  const isKnown = step !== "summary" && step !== "patient";
  return sessionWith({
    locale,
    event_type: isKnown ? "SPOT_USER_SUBSCRIBED" : "SPOT_USER_NEW",
    order: orderWith({
      readiness: { identity_validated: step === "card" || step === "review", payment_method_added: step === "review" },
      payment_method: step === "review" ? VISA : null,
    }),
  });
}

function stepState(
  name: string,
  step: StepName,
  more: Partial<GalleryState> & { readonly problem?: Problem } = {},
): GalleryState {
  const { problem = null, ...rest } = more;
  return {
    name,
    group: step,
    page: (locale) => ({ session: sessionAt(step, locale) }),
    ...rest,
    opening: { place: { at: "step", step, problem }, ...rest.opening },
  };
}

function placeState(name: string, group: string, place: Place): GalleryState {
  return {
    name,
    group,
    page: (locale) => ({ session: sessionAt(group === "patient" ? "patient" : "review", locale) }),
    opening: { place },
  };
}

function problemState(name: string, problem: (locale: Locale) => ReturnType<typeof problemWith>): GalleryState {
  return { name, group: "problem", page: (locale) => ({ problem: problem(locale) }) };
}

const COLLISION: Collision = { rut: "40.100.000-3", emailHint: "c•••@e•••.com", ways: ["email_code", "identity"] };

const PATIENT_TYPED = { "field-insurer": "colmena", "field-document_serial": "123456789" };
const PRESS_EDIT: GalleryState["acts"] = [{ press: "form section button" }];
const CARD_TYPED = {
  "field-number": "4051885600446623",
  "field-expiry": "12/34",
  "field-cvc": "123",
  "field-holder_name": "CAMILA ROJAS",
};

const SUMMARY: readonly GalleryState[] = [
  stepState("summary", "summary"),
  {
    name: "summary-known-patient",
    group: "summary",
    page: (locale) => ({ session: sessionWith({ locale, event_type: "SPOT_USER_SUBSCRIBED" }) }),
  },
  {
    name: "summary-bill",
    group: "summary",
    page: (locale) => ({ session: sessionWith({ locale, order: orderWith({ items: BILL }) }) }),
    acts: [{ press: "form details summary" }],
  },
  {
    name: "summary-expiring",
    group: "summary",
    page: (locale) => ({ session: sessionWith({ locale, expires_at: "2026-11-21T15:24:00.000Z" }) }),
  },
];

const PATIENT: readonly GalleryState[] = [
  stepState("patient", "patient"),
  stepState("patient-with-access", "patient", {
    typed: { ...PATIENT_TYPED, "field-insurer_access": "mi-clave-secreta" },
  }),
  stepState("patient-edited", "patient", { acts: PRESS_EDIT }),
  stepState("patient-fonasa", "patient", { typed: { "field-insurer": "fonasa" } }),
  {
    ...stepState("patient-faults", "patient", {
      typed: { "field-email": "camila@", "field-phone_number": "123" },
      isSent: true,
    }),
    page: (locale) => ({ session: sessionWith({ locale, user_data: {} }) }),
  },
  stepState("patient-consents-missing", "patient", { isSent: true }),
  {
    ...stepState("patient-identity-rejected", "patient", {
      problem: refusalWith("identity_rejected", 422, { attempts_left: 4 }),
    }),
    page: (locale) => ({
      session: sessionWith({ locale, event_type: "SPOT_USER_SUBSCRIBED" }),
    }),
    opening: {
      steps: ["summary", "patient", "card", "review"],
      place: {
        at: "step",
        step: "patient",
        problem: refusalWith("identity_rejected", 422, { attempts_left: 4 }),
      },
    },
  },
  {
    name: "patient-rut-malformed",
    group: "patient",
    page: (locale) => ({
      session: sessionWith({
        locale,
        order: null,
        order_token: null,
        quote: null,
        purpose: "onboarding",
        user_data: {},
      }),
    }),
    typed: { "field-rut": "12.345.678-K" },
    isSent: true,
  },
  stepState("patient-offline", "patient", { typed: PATIENT_TYPED, problem: noAnswer("offline") }),
  stepState("patient-timeout", "patient", { typed: PATIENT_TYPED, problem: noAnswer("timeout") }),
  stepState("patient-server-down", "patient", { typed: PATIENT_TYPED, problem: refusalWith("internal_error", 500) }),
  stepState("patient-refused-fields", "patient", {
    typed: PATIENT_TYPED,
    problem: refusalWith("validation_error", 422, { errors: [{ path: "email", message: "must be an e-mail" }] }),
  }),
  placeState("patient-insurer-not-supported", "patient", { at: "unsupported_insurer" }),
  placeState("recovery", "patient", { at: "recovery", collision: COLLISION, asking: "way", problem: null }),
  placeState("recovery-limited", "patient", {
    at: "recovery",
    collision: COLLISION,
    asking: "way",
    problem: refusalWith("rate_limited", 429),
  }),
  placeState("recovery-identity", "patient", {
    at: "recovery",
    collision: COLLISION,
    asking: "identity",
    problem: null,
  }),
  placeState("recovery-identity-rejected", "patient", {
    at: "recovery",
    collision: COLLISION,
    asking: "identity",
    problem: refusalWith("identity_rejected", 422, { attempts_left: 3 }),
  }),
  placeState("recovery-code", "patient", {
    at: "recovery_code",
    collision: COLLISION,
    sent: { way: "email_code", sentTo: "c•••@e•••.com", resendAt: Date.parse(SERVER_TIME) + 60_000 },
    problem: null,
  }),
  placeState("recovery-code-wrong", "patient", {
    at: "recovery_code",
    collision: COLLISION,
    sent: { way: "email_code", sentTo: "c•••@e•••.com", resendAt: Date.parse(SERVER_TIME) },
    problem: refusalWith("recovery_code_invalid", 422, { attempts_left: 2 }),
  }),
  placeState("recovery-code-expired", "patient", {
    at: "recovery",
    collision: COLLISION,
    asking: "way",
    problem: refusalWith("recovery_code_expired", 410),
  }),
];

const IDENTITY: readonly GalleryState[] = [
  stepState("identity", "identity"),
  stepState("identity-malformed", "identity", { typed: { "field-document_serial": "12345" }, isSent: true }),
  stepState("identity-under-age", "identity", { problem: refusalWith("patient_under_age", 422) }),
  stepState("identity-rejected", "identity", { problem: refusalWith("identity_rejected", 422, { attempts_left: 4 }) }),
  stepState("identity-last-attempt", "identity", {
    problem: refusalWith("identity_rejected", 422, { attempts_left: 1 }),
  }),
  stepState("identity-not-valid", "identity", {
    problem: refusalWith("identity_document_not_valid", 422, { attempts_left: 3 }),
  }),
  stepState("identity-exhausted", "identity", {
    problem: refusalWith("identity_attempts_exhausted", 422, { attempts_left: 0, retry_after_seconds: 3_000 }),
  }),
  stepState("identity-registry-down", "identity", { problem: refusalWith("identity_registry_unavailable", 503) }),
];

/** The payment with the order's card was declined. */
function declinedState(name: string, decline_reason: DeclineReason): GalleryState {
  const declined = refusalWith("card_declined", 400, { decline_reason });
  return {
    ...placeState(name, "review", { at: "step", step: "card", problem: declined }),
    opening: { place: { at: "step", step: "card", problem: declined }, declined },
  };
}

const CARD: readonly GalleryState[] = [
  stepState("card", "card"),
  stepState("card-typed", "card", { typed: CARD_TYPED }),
  stepState("card-amex", "card", { typed: { "field-number": "378282246310005" } }),
  stepState("card-doubtful", "card", { typed: { ...CARD_TYPED, "field-number": "4511346660037060" } }),
  stepState("card-faults", "card", { typed: { "field-number": "4051 8856", "field-expiry": "13/20" }, isSent: true }),
  stepState("card-no-funds", "card", {
    problem: refusalWith("card_declined", 400, { decline_reason: "insufficient_funds" }),
  }),
  stepState("card-declined", "card", { problem: refusalWith("card_declined", 400, { decline_reason: "declined" }) }),
  declinedState("card-payment-declined", "declined"),
  declinedState("card-payment-no-funds", "insufficient_funds"),
  stepState("card-expires-too-soon", "card", { problem: refusalWith("card_expires_too_soon", 400) }),
  stepState("card-sealed-refused", "card", { problem: refusalWith("sealed_card_refused", 400) }),
  stepState("card-payment-at-bank", "card", {
    problem: refusalWith("payment_in_progress", 409, { challenge_ends_at: "2026-11-21T15:30:00.000Z" }),
  }),
  stepState("card-processor-down", "card", { problem: refusalWith("card_processor_unavailable", 503) }),
  {
    ...stepState("card-replace", "card"),
    page: (locale) => ({ session: sessionAt("review", locale) }),
  },
];

/** The processor's page stays empty in the gallery. */
const PAGE_OPEN = {
  status: "open",
  page: { url: "about:blank", expires_at: "2026-11-21T15:30:00.000Z" },
  payment_method: null,
  order: orderWith(),
} as const;

/**
 * The step of a card entered on the processor's page: the answers to an inquiry and then to the press of the button.
 */
function cardPageState(
  name: string,
  {
    inquired = "none",
    ...more
  }: Partial<GalleryState> & {
    readonly problem?: Problem;
    readonly inquired?: "none" | "open" | "processing";
  } = {},
): GalleryState {
  const { page: _, ...unopened } = PAGE_OPEN;
  return {
    ...stepState(name, "card", more),
    page: (locale) => ({
      session: { ...sessionAt("card", locale), card_entry: "page" },
    }),
    visitAnswers: {
      openCardPage: async (_credentials, _hash, { inquire }) => ({
        ok: true,
        value: inquire !== true || inquired === "open" ? PAGE_OPEN : { ...unopened, status: inquired },
      }),
    },
  };
}

const PRESS_OPEN: GalleryState["acts"] = [{ press: "button[type=submit]" }];

const CARD_PAGE: readonly GalleryState[] = [
  cardPageState("card-page"),
  cardPageState("card-page-open", { acts: PRESS_OPEN, shows: "dialog" }),
  cardPageState("card-page-processing", { inquired: "processing", shows: "[role=status]" }),
  cardPageState("card-page-left", { inquired: "open", shows: "[role=status]" }),
  cardPageState("card-page-abandoned", { problem: refusalWith("card_page_abandoned", 400) }),
  cardPageState("card-page-declined", {
    problem: refusalWith("card_declined", 400, { decline_reason: "card_expired" }),
  }),
  {
    ...cardPageState("card-page-replace"),
    page: (locale) => ({ session: { ...sessionAt("review", locale), card_entry: "page" } }),
  },
];

/** A visit at a clinic that saves cards, at the first screen that requires input. */
function knownState(name: string, group: string, more: Partial<GalleryState>): GalleryState {
  const order = orderWith({ readiness: { identity_validated: true, payment_method_added: false } });
  return { name, group, page: (locale) => ({ session: knownSession({ locale, order }) }), ...more };
}

const READY = { identity_validated: true, payment_method_added: true };

const ASKED: Recognition = {
  is: "open",
  asked: { resendAt: Date.parse(SERVER_TIME) + 60_000, isEarlier: false },
  cards: [],
};
const RECOGNISED: Recognition = { ...ASKED, is: "recognised", cards: SAVED };

function codeState(name: string, problem: Problem | null, recognition: Recognition = ASKED): GalleryState {
  return {
    name,
    group: "recognition",
    page: (locale) => ({ session: knownSession({ locale }) }),
    opening: { place: { at: "step", step: "summary", problem }, recognition },
  };
}

const RECOGNITION: readonly GalleryState[] = [
  codeState("recognition", null, NOT_RECOGNISED),
  codeState("recognition-requested", null),
  codeState("recognition-wrong", refusalWith("recovery_code_invalid", 422, { attempts_left: 2 })),
  codeState("recognition-over", refusalWith("recovery_code_expired", 410)),
  knownState("recognition-other-card", "recognition", {
    opening: {
      place: { at: "card_code", card: SAVED[1], problem: null },
      recognition: {
        ...RECOGNISED,
        asked: { resendAt: Date.parse(SERVER_TIME) + 60_000, isEarlier: false, card: SAVED[1] },
      },
    },
  }),
  codeState("recognition-offline", noAnswer("offline"), NOT_RECOGNISED),
];

const KNOWN_CARD: readonly GalleryState[] = [
  knownState("card-keep", "card", { typed: CARD_TYPED }),
  knownState("card-after-code", "card", { opening: { recognition: { ...RECOGNISED, cards: [] } } }),
  knownState("card-saved", "card", {
    page: (locale) => ({
      session: knownSession({ locale, order: orderWith({ readiness: READY, payment_method: VISA }) }),
    }),
    opening: { place: { at: "step", step: "card", problem: null }, recognition: RECOGNISED },
  }),
];

const CHALLENGE = { url: "about:blank", expires_at: "2026-11-21T15:30:00.000Z" };

const REVIEW: readonly GalleryState[] = [
  stepState("review", "review"),
  knownState("review-saved", "review", {
    page: (locale) => ({
      session: knownSession({ locale, order: orderWith({ readiness: READY, payment_method: VISA }) }),
    }),
    opening: { recognition: RECOGNISED },
  }),
  stepState("review-consent-missing", "review", { isSent: true }),
  stepState("review-challenge-left", "review", { opening: { challengeLeft: CHALLENGE } }),
  stepState("review-consents-changed", "review", { problem: refusalWith("consents_missing", 400) }),
  stepState("review-quote-changed", "review", { problem: refusalWith("quote_changed", 409) }),
  placeState("paying", "review", { at: "paying", doing: "sending" }),
  {
    name: "paying-asking",
    group: "review",
    page: (locale) => ({ session: { ...sessionAt("review", locale), quote: null } }),
    opening: { place: { at: "step", step: "review", problem: null } },
  },
  placeState("paying-checking", "review", { at: "paying", doing: "checking" }),
  placeState("paying-processing", "review", { at: "paying", doing: "processing" }),
  placeState("paying-reviewing", "review", { at: "paying", doing: "reviewing" }),
  placeState("paying-stuck", "review", { at: "paying", doing: "stuck" }),
  placeState("challenge", "review", { at: "challenge", challenge: CHALLENGE }),
  placeState("credit-refused", "review", {
    at: "credit_refused",
    problem: refusalWith("credit_declined", 400, {
      first_instalment: "not_charged",
      reasons: [
        "Tu renta informada no alcanza para el monto de este crédito.",
        "Tienes otra atención pendiente de cobro con nosotros.",
      ],
    }),
  }),
];

/** The receipt, with the data request open and completed. */
function dataState(name: string, sendDataLink: CheckoutApi["sendDataLink"]): GalleryState {
  return {
    name,
    group: "done",
    page: (locale) => ({ session: sessionWith({ locale, order: paidOrder() }) }),
    opening: { place: { at: "done", kind: "payment" } },
    visitAnswers: { sendDataLink },
    acts: [{ press: `${OWN_DATA} summary` }, { press: `${OWN_DATA} button` }],
    shows: `${OWN_DATA} [role]`,
  };
}

/** Excludes the help, which is a disclosure too, and comes later. */
const OWN_DATA = "main > div > details";

const DONE: readonly GalleryState[] = [
  {
    name: "done",
    group: "done",
    page: (locale) => ({ session: sessionWith({ locale, order: paidOrder() }) }),
    opening: { place: { at: "done", kind: "payment" } },
  },
  {
    name: "done-bill",
    group: "done",
    page: (locale) => ({ session: sessionWith({ locale, order: paidOrder({ items: BILL }) }) }),
    opening: { place: { at: "done", kind: "payment" } },
  },
  {
    name: "done-access-missing",
    group: "done",
    page: (locale) => ({ session: sessionWith({ locale, order: paidOrder({ missing_step: "insurer_access" }) }) }),
    opening: { place: { at: "done", kind: "payment" } },
  },
  {
    name: "done-access-form",
    group: "done",
    page: (locale) => ({ session: sessionWith({ locale, order: paidOrder({ missing_step: "insurer_access" }) }) }),
    opening: { place: { at: "done", kind: "payment" } },
    acts: [{ press: "[data-tone=warning] button" }],
    shows: "#field-password",
  },
  {
    name: "done-access-given",
    group: "done",
    page: (locale) => ({ session: sessionWith({ locale, order: paidOrder({ missing_step: "insurer_access" }) }) }),
    opening: { place: { at: "done", kind: "payment" } },
    visitAnswers: { giveInsurerAccess: async () => ({ ok: true, value: { status: "given" } }) },
    acts: [
      { press: "[data-tone=warning] button" },
      { type: "#field-insurer", text: "colmena" },
      { type: "#field-password", text: "mi-clave-secreta" },
      { press: "#consent-insurer_access" },
      { press: "button[type=submit]" },
    ],
    shows: "[data-tone=success]",
  },
  {
    name: "done-onboarding",
    group: "done",
    page: (locale) => ({
      session: sessionWith({ locale, order: null, order_token: null, quote: null, purpose: "onboarding" }),
    }),
    opening: { place: { at: "done", kind: "onboarding" } },
  },
  {
    name: "done-onboarding-linked",
    group: "done",
    page: (locale) => ({
      session: sessionWith({ locale, order: null, order_token: null, quote: null, purpose: "onboarding" }),
    }),
    opening: { place: { at: "done", kind: "onboarding", linked: true } },
  },
  dataState("done-data-asked", async () => ({ ok: true, value: null })),
  dataState("done-data-limited", async () => ({ ok: false, problem: refusalWith("rate_limited", 429) })),
  problemState("used-paid", (locale) => problemWith("widget_token_used", { locale, order: paidOrder() })),
  problemState("used-charge-withdrawn", (locale) =>
    problemWith("widget_token_used", { locale, order: paidOrder({ mandate_revoked: true }) }),
  ),
  problemState("used-collected", (locale) => problemWith("widget_token_used", { locale, order: collectedOrder() })),
  problemState("used-collection-failed", (locale) =>
    problemWith("widget_token_used", { locale, order: paidOrder({ plan: paidPlan("failed") }) }),
  ),
  problemState("used-refunded-in-part", (locale) =>
    problemWith("widget_token_used", {
      locale,
      order: partlyRefundedOrder(),
    }),
  ),
  problemState("used-returned-in-part", (locale) =>
    problemWith("widget_token_used", { locale, order: partlyReturnedOrder() }),
  ),
  problemState("used-refunded", (locale) => problemWith("widget_token_used", { locale, order: refundedOrder() })),
  problemState("used-cancelled", (locale) =>
    problemWith("widget_token_used", {
      locale,
      order: orderWith({ status: "cancelled", paid_amount: 0, pending_amount: 0 }),
    }),
  ),
];

const PROBLEMS: readonly GalleryState[] = [
  problemState("token-unknown", (locale) =>
    problemWith("widget_token_not_found", { locale, provider_name: null, support: null, purpose: null }),
  ),
  problemState("token-expired", (locale) => problemWith("widget_token_expired", { locale })),
  problemState("token-used", (locale) => problemWith("widget_token_used", { locale })),
  problemState("link-expired", (locale) => problemWith("widget_token_expired", { locale, purpose: "pay_early" })),
  problemState("link-used", (locale) => problemWith("widget_token_used", { locale, purpose: "card_change" })),
  problemState("service-down", (locale) => problemWith("service_unavailable", { locale })),
  problemState("clinic-unknown", (locale) =>
    problemWith("invalid_public_key", { locale, provider_name: null, support: null }),
  ),
  { ...stepState("unopened", "summary", { isUnopened: true }), group: "problem" },
  { ...stepState("screens-lost", "patient", { screens: "lost" }), group: "problem" },
  { ...stepState("fault", "patient", { screens: "faulty" }), group: "problem" },
  placeState("ended-while-typing", "problem", { at: "ended", problem: refusalWith("widget_token_expired", 410) }),
  placeState("order-not-payable", "problem", { at: "ended", problem: refusalWith("order_not_payable", 409) }),
];

/** Every screen and state of the checkout, in the order in which a patient may see them. */
export const GALLERY_STATES: readonly GalleryState[] = [
  ...SUMMARY,
  ...PATIENT,
  ...IDENTITY,
  ...RECOGNITION,
  ...CARD,
  ...CARD_PAGE,
  ...KNOWN_CARD,
  ...REVIEW,
  ...DONE,
  ...PROBLEMS,
  ...RETURN_STATES,
  ...SELF_SERVICE_STATES,
  ...PAYMENT_PAGE_STATES,
];
