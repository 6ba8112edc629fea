import { clp } from "bff/contract/vocabulary/clp";
import type { Answer, Problem } from "../api/problem.ts";
import type { LinkPurpose } from "../self-service/link-page.ts";
import type { GalleryAct, GalleryState } from "./gallery-state.ts";
import {
  type DueInput,
  keptCards,
  openedLink,
  patientData,
  refusalWith,
  SERVER_TIME,
  sessionWith,
  upcomingWith,
} from "./recorded-answers.ts";

/* The pages of the links that patients receive after the payment. Answering a code shows everything behind it. */

const PRIMARY = "button[data-kind=primary]";
const CODE: readonly GalleryAct[] = [
  { press: PRIMARY },
  { type: "#field-code", text: "314159" },
  { press: "button[type=submit]" },
];
const CARD: readonly GalleryAct[] = [
  { type: "#field-number", text: "4051885600446623" },
  { type: "#field-expiry", text: "12/34" },
  { type: "#field-cvc", text: "123" },
  { type: "#field-holder_name", text: "CAMILA ROJAS" },
];
const ACCESS: readonly GalleryAct[] = [
  { type: "#field-password", text: "mi-clave-secreta" },
  { press: "#consent-insurer_access" },
];
/**
 * Identifies each form by an element that only it has: the code's form disappears shortly after its button was pressed.
 */
const PAY: GalleryAct = { press: "dl ~ div button[type=submit]" };
const CHECK: GalleryAct = { press: "button[type=button][data-kind=primary]" };
const USE_CARD: GalleryAct = { press: "button[type=submit]" };
const GIVE_ACCESS: GalleryAct = { press: "fieldset ~ div button[type=submit]" };

type Answers = NonNullable<GalleryState["answers"]>;

function refused(...refusal: Parameters<typeof refusalWith>): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: refusalWith(...refusal) };
}

const offline = { ok: false, problem: { kind: "no_answer", fault: "offline", traceId: null } } as const;

async function codeSent(): ReturnType<NonNullable<Answers["sendCode"]>> {
  const resend_after = new Date(Date.parse(SERVER_TIME) + 60_000).toISOString();
  const expires_at = new Date(Date.parse(SERVER_TIME) + 600_000).toISOString();
  return { ok: true, value: { sent_to: "c•••@e•••.com", expires_at, resend_after } };
}

export interface LinkState {
  readonly purpose: LinkPurpose;
  readonly due?: Partial<DueInput> | null;
  readonly answers?: Answers;
  /** The actions after the code was answered. */
  readonly acts?: readonly GalleryAct[];
  readonly shows?: string;
  readonly cardEntry?: "page";
}

export function linkState(
  name: string,
  { purpose, due, answers, acts = [], shows, cardEntry }: LinkState,
): GalleryState {
  const isAboutAnOrder = purpose !== "insurer_access" && purpose !== "my_data";
  return {
    name,
    group: purpose,
    page: (locale) => ({
      session: sessionWith({
        locale,
        purpose,
        order: null,
        order_token: null,
        quote: null,
        user_data: {},
        parent_origins: [],
        ...(cardEntry !== undefined && { card_entry: cardEntry }),
      }),
    }),
    answers: {
      sendCode: codeSent,
      answerCode: async () => ({ ok: true, value: openedLink(isAboutAnOrder ? due : null) }),
      ...answers,
    },
    acts: [...CODE, ...acts],
    ...(shows === undefined ? {} : { shows }),
  };
}

export function closedState(name: string, purpose: LinkPurpose): GalleryState {
  return { ...linkState(name, { purpose }), acts: [] };
}

async function paid(status: "collected" | "processing" | "none"): ReturnType<NonNullable<Answers["payEarly"]>> {
  return { ok: true, value: { status } };
}

/** The bank's page stays empty in the gallery. */
const CHALLENGE = {
  status: "requires_action",
  action: { type: "challenge", url: "about:blank", expires_at: "2026-11-21T15:30:00.000Z" },
} as const;
const CARD_PAGE_OPEN = {
  status: "open",
  page: { url: "about:blank", expires_at: "2026-11-21T15:30:00.000Z" },
} as const;
/** Not the button of the code, which is shown before. */
const OPEN_PAGE = { press: "form:not(:has(#field-code)) button[type=submit]" } as const;
const LEAVE: GalleryAct = { press: "dialog button" };
const NOT_CONFIRMED = refused("card_declined", 400, { decline_reason: "authentication_failed" });

export const answered =
  <Value>(answer: Answer<Value>) =>
  async (): Promise<Answer<Value>> =>
    answer;

const EARLY = { purpose: "pay_early", acts: [PAY] } as const;
const ALERT = "[role=alert]";

const PAY_EARLY: readonly GalleryState[] = [
  closedState("pay-early", "pay_early"),
  linkState("pay-early-review", { purpose: "pay_early", shows: "dl" }),
  linkState("pay-early-done", { ...EARLY, answers: { payEarly: () => paid("collected") } }),
  linkState("pay-early-processing", { ...EARLY, answers: { payEarly: () => paid("processing") } }),
  linkState("pay-early-still-processing", {
    purpose: "pay_early",
    acts: [PAY, CHECK],
    answers: {
      payEarly: async (_publicKey, { inquire = false }) =>
        inquire ? refused("rate_limited", 429) : paid("processing"),
    },
    shows: ALERT,
  }),
  linkState("pay-early-declined", {
    ...EARLY,
    answers: { payEarly: answered(refused("card_declined", 400, { decline_reason: "insufficient_funds" })) },
    shows: ALERT,
  }),
  linkState("pay-early-challenge-left", {
    purpose: "pay_early",
    acts: [PAY, LEAVE],
    answers: { payEarly: answered({ ok: true, value: CHALLENGE }) },
    shows: "[role=status]",
  }),
  linkState("pay-early-not-confirmed", { ...EARLY, answers: { payEarly: answered(NOT_CONFIRMED) }, shows: ALERT }),
  linkState("pay-early-not-charged", {
    purpose: "pay_early",
    acts: [PAY, LEAVE],
    answers: {
      payEarly: async (_publicKey, { inquire = false }) => (inquire ? paid("none") : { ok: true, value: CHALLENGE }),
    },
  }),
  linkState("pay-early-offline", { ...EARLY, answers: { payEarly: answered(offline) }, shows: ALERT }),
  linkState("pay-early-collected", { purpose: "pay_early", due: { status: "collected", amount: 0, due_at: null } }),
  linkState("pay-early-on-hold", {
    purpose: "pay_early",
    due: { amount: 0, upcoming: upcomingWith({ status: "on_hold", amount: 0, commission: 0, day: null }) },
  }),
  linkState("pay-early-nothing-due", { ...EARLY, answers: { payEarly: answered(refused("order_not_payable", 409)) } }),
  linkState("pay-early-failed", {
    ...EARLY,
    answers: { payEarly: answered(refused("widget_token_used", 410, { collection_status: "failed" })) },
  }),
  linkState("pay-early-used", { ...EARLY, answers: { payEarly: answered(refused("widget_token_used", 410)) } }),
  linkState("pay-early-code-over", {
    ...EARLY,
    answers: { payEarly: answered(refused("patient_code_required", 400)) },
    shows: ALERT,
  }),
];

const CHARGED_NOW = upcomingWith({ status: "due_now", day: "2026-11-21", reason: "approved" });
const CHANGE = { purpose: "card_change", acts: [...CARD, USE_CARD] } as const;

const CARD_CHANGE: readonly GalleryState[] = [
  closedState("card-change", "card_change"),
  linkState("card-change-form", { purpose: "card_change", shows: "#field-number" }),
  linkState("card-change-form-charged-now", {
    purpose: "card_change",
    due: { upcoming_with_given_card: CHARGED_NOW },
    shows: "#field-number",
  }),
  linkState("card-change-done-charged-now", {
    ...CHANGE,
    answers: {
      changeCard: answered({ ok: true, value: { status: "changed", due: openedLink({ upcoming: CHARGED_NOW }).due } }),
    },
  }),
  linkState("card-change-faults", {
    purpose: "card_change",
    acts: [{ type: "#field-number", text: "4051" }, USE_CARD],
    shows: ALERT,
  }),
  linkState("card-change-done", {
    ...CHANGE,
    answers: { changeCard: answered({ ok: true, value: { status: "changed", due: openedLink().due } }) },
  }),
  linkState("card-change-done-after-trigger", {
    ...CHANGE,
    answers: {
      changeCard: answered({
        ok: true,
        value: {
          status: "changed",
          due: openedLink({
            reason: "approved",
            due_at: "2026-11-24T12:00:00.000Z",
            upcoming: upcomingWith({ status: "on_day", day: "2026-11-24", reason: "approved" }),
          }).due,
        },
      }),
    },
  }),
  linkState("card-change-declined", {
    ...CHANGE,
    answers: { changeCard: answered(refused("card_declined", 400, { decline_reason: "card_expired" })) },
    shows: ALERT,
  }),
  linkState("card-change-challenge", {
    ...CHANGE,
    answers: { changeCard: answered({ ok: true, value: { ...CHALLENGE, due: openedLink().due } }) },
    shows: "dialog",
  }),
  linkState("card-change-challenge-left", {
    purpose: "card_change",
    acts: [...CARD, USE_CARD, LEAVE],
    answers: { changeCard: answered({ ok: true, value: { ...CHALLENGE, due: openedLink().due } }) },
    shows: "[role=status]",
  }),
  linkState("card-change-on-page", { purpose: "card_change", cardEntry: "page", shows: OPEN_PAGE.press }),
  linkState("card-change-on-page-open", {
    purpose: "card_change",
    cardEntry: "page",
    acts: [OPEN_PAGE],
    answers: { openCardPage: answered({ ok: true, value: { ...CARD_PAGE_OPEN, due: openedLink().due } }) },
    shows: "dialog",
  }),
  linkState("card-change-on-page-left", {
    purpose: "card_change",
    cardEntry: "page",
    acts: [OPEN_PAGE, LEAVE],
    answers: { openCardPage: answered({ ok: true, value: { ...CARD_PAGE_OPEN, due: openedLink().due } }) },
    shows: "[role=status]",
  }),
  linkState("card-change-not-confirmed", { ...CHANGE, answers: { changeCard: answered(NOT_CONFIRMED) }, shows: ALERT }),
  linkState("card-change-processing", {
    ...CHANGE,
    answers: { changeCard: answered({ ok: true, value: { status: "processing", due: openedLink().due } }) },
  }),
  linkState("card-change-changed-before", {
    ...CHANGE,
    answers: {
      changeCard: answered(refused("widget_token_used", 410, { collection_status: "scheduled", card_last4: "4435" })),
    },
  }),
  linkState("card-change-processor-down", {
    ...CHANGE,
    answers: { changeCard: answered(refused("card_processor_unavailable", 503)) },
    shows: ALERT,
  }),
  linkState("card-change-collected", { purpose: "card_change", due: { status: "collected", amount: 0, due_at: null } }),
  linkState("card-change-nothing-due", {
    purpose: "card_change",
    due: {
      status: "cancelled",
      amount: 0,
      due_at: null,
      upcoming: upcomingWith({ status: "none", amount: 0, commission: 0, day: null }),
    },
  }),
];

const GIVE = { purpose: "insurer_access", acts: [...ACCESS, GIVE_ACCESS] } as const;

const INSURER_ACCESS: readonly GalleryState[] = [
  closedState("insurer-access", "insurer_access"),
  linkState("insurer-access-form", { purpose: "insurer_access", shows: "#field-password" }),
  linkState("insurer-access-typed", { purpose: "insurer_access", acts: ACCESS }),
  linkState("insurer-access-done", {
    ...GIVE,
    answers: { giveInsurerAccess: answered({ ok: true, value: { status: "given" } }) },
  }),
  linkState("insurer-access-not-supported", {
    ...GIVE,
    answers: { giveInsurerAccess: answered(refused("insurer_not_supported", 422)) },
    shows: ALERT,
  }),
  linkState("insurer-access-used", {
    ...GIVE,
    answers: { giveInsurerAccess: answered(refused("widget_token_used", 410)) },
  }),
  linkState("insurer-access-faults", { purpose: "insurer_access", acts: [GIVE_ACCESS], shows: ALERT }),
];

const EVERYTHING: Answers = { readData: answered({ ok: true, value: patientData() }) };
const WITHDRAW: readonly GalleryAct[] = [{ press: "li:nth-of-type(3) button" }];
const ASK: readonly GalleryAct[] = [{ press: "section:nth-last-of-type(2) > button" }];
const ERASE: readonly GalleryAct[] = [{ press: "section:last-of-type button" }];

/** One of two saved cards was used twice; the processor has not confirmed the deletion of the other. */
const CARDS_KEPT: Answers = {
  readData: answered({ ok: true, value: patientData({ saved_cards: keptCards() }) }),
  removeCard: answered(offline),
};
const REMOVE: readonly GalleryAct[] = [{ press: "section li:first-child button" }];

const MY_DATA: readonly GalleryState[] = [
  closedState("my-data", "my_data"),
  linkState("my-data-view", { purpose: "my_data", answers: EVERYTHING, shows: "section" }),
  linkState("my-data-nothing-owed", {
    purpose: "my_data",
    answers: {
      readData: answered({ ok: true, value: patientData({ owed: 0, insurer_access: { kept: false, since: null } }) }),
    },
    shows: "section",
  }),
  linkState("my-data-unreachable", {
    purpose: "my_data",
    answers: { readData: answered(offline) },
    shows: "button[data-kind=primary]",
  }),
  linkState("my-data-withdraw", {
    purpose: "my_data",
    answers: EVERYTHING,
    acts: WITHDRAW,
    shows: "button[data-kind=quiet]",
  }),
  linkState("my-data-withdrawn", {
    purpose: "my_data",
    answers: {
      ...EVERYTHING,
      withdrawConsent: answered({
        ok: true,
        value: {
          withdrawn: "claim_mandate",
          effects: ["insurer_access_destroyed", "open_claims_stopped", "no_more_claims"],
          owed: clp(35_383),
        },
      }),
    },
    acts: [...WITHDRAW, { press: PRIMARY }],
    shows: "[role=status]",
  }),
  linkState("my-data-not-withdrawable", {
    purpose: "my_data",
    answers: { ...EVERYTHING, withdrawConsent: answered(refused("consent_not_withdrawable", 409)) },
    acts: [...WITHDRAW, { press: PRIMARY }],
    shows: ALERT,
  }),
  linkState("my-data-request", { purpose: "my_data", answers: EVERYTHING, acts: ASK, shows: "select" }),
  linkState("my-data-request-faults", {
    purpose: "my_data",
    answers: EVERYTHING,
    acts: [...ASK, { press: PRIMARY }],
    shows: ALERT,
  }),
  linkState("my-data-requests", {
    purpose: "my_data",
    answers: {
      readData: answered({
        ok: true,
        value: patientData({
          requests: [
            {
              id: "5b0f3c52-3a39-4a0a-9b0c-51a5a2f5d001",
              kind: "rectification",
              about: "last_name",
              words: "Rojas Fuenzalida",
              status: "granted",
              asked_at: "2026-11-20T15:04:05.000Z",
              answer_by: "2026-12-20T15:04:05.000Z",
              answered_at: "2026-11-21T12:00:00.000Z",
              answer: "Corregimos tu apellido.",
            },
            {
              id: "5b0f3c52-3a39-4a0a-9b0c-51a5a2f5d002",
              kind: "blocking",
              about: null,
              words: "No reconozco esta atención.",
              status: "open",
              asked_at: "2026-11-21T15:04:05.000Z",
              answer_by: "2026-12-21T15:04:05.000Z",
              answered_at: null,
              answer: null,
            },
          ],
        }),
      }),
    },
    shows: "section",
  }),
  linkState("my-data-cards", { purpose: "my_data", answers: CARDS_KEPT, shows: "section" }),
  linkState("my-data-card-remove", { purpose: "my_data", answers: CARDS_KEPT, acts: REMOVE, shows: PRIMARY }),
  linkState("my-data-erase", { purpose: "my_data", answers: EVERYTHING, acts: ERASE, shows: PRIMARY }),
  linkState("my-data-erased", {
    purpose: "my_data",
    answers: {
      ...EVERYTHING,
      eraseData: answered({ ok: true, value: { status: "erased", kept: [{ what: "consents", because: "proof" }] } }),
    },
    acts: [...ERASE, { press: PRIMARY }],
  }),
  linkState("my-data-erasure-waits", {
    purpose: "my_data",
    answers: {
      ...EVERYTHING,
      eraseData: answered({
        ok: true,
        value: {
          status: "waiting",
          kept: [
            { what: "contact", because: "charge_owed" },
            { what: "orders", because: "accounting_law" },
            { what: "consents", because: "proof" },
          ],
        },
      }),
    },
    acts: [...ERASE, { press: PRIMARY }],
  }),
  linkState("my-data-erased-before", {
    purpose: "my_data",
    answers: { ...EVERYTHING, eraseData: answered(refused("widget_token_used", 410, { erasure_status: "erased" })) },
    acts: [...ERASE, { press: PRIMARY }],
  }),
  linkState("my-data-erase-offline", {
    purpose: "my_data",
    answers: { ...EVERYTHING, eraseData: answered(offline) },
    acts: [...ERASE, { press: PRIMARY }],
    shows: ALERT,
  }),
];

function objectionState(name: string, more: Partial<GalleryState> = {}): GalleryState {
  const nothing = { order: null, order_token: null, quote: null, user_data: {} } as const;
  return {
    name,
    group: "objection",
    page: (locale) => ({ session: sessionWith({ ...nothing, locale, purpose: "objection", parent_origins: [] }) }),
    ...more,
  };
}

const OBJECTION: readonly GalleryState[] = [
  objectionState("objection"),
  objectionState("objection-done", {
    answers: { objectToEmailChange: answered({ ok: true, value: { status: "undone" } }) },
    acts: [{ press: PRIMARY }],
    shows: "h1",
  }),
  objectionState("objection-done-before", {
    answers: {
      objectToEmailChange: answered(refused("widget_token_used", 410)),
    },
    acts: [{ press: PRIMARY }],
    shows: "h1",
  }),
  objectionState("objection-too-late", {
    answers: {
      objectToEmailChange: answered(refused("widget_token_expired", 410)),
    },
    acts: [{ press: PRIMARY }],
    shows: ALERT,
  }),
  objectionState("objection-offline", {
    answers: { objectToEmailChange: answered(offline) },
    acts: [{ press: PRIMARY }],
    shows: ALERT,
  }),
];

export const SELF_SERVICE_STATES: readonly GalleryState[] = [
  ...OBJECTION,
  ...PAY_EARLY,
  ...CARD_CHANGE,
  ...INSURER_ACCESS,
  ...MY_DATA,
];
