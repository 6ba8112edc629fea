import type { ReadReturnResponse } from "bff/contract/redirects";
import { clp } from "bff/contract/vocabulary/clp";
import type { GalleryReturn, GalleryState } from "./gallery-state.ts";
import { sessionWith } from "./recorded-answers.ts";

/* The page to which patients return from a page of their bank or of the card processor. */

const NO_DETAILS: Omit<ReadReturnResponse, "purpose" | "status"> = {
  waits_for: null,
  amount: null,
  first_instalment: null,
  can_continue: false,
};

interface ReturnState extends Omit<GalleryReturn, "answer"> {
  readonly state?: Partial<ReadReturnResponse>;
  readonly answer?: GalleryReturn["answer"];
  readonly reference?: null;
  readonly return_url?: string;
}

function returnState(name: string, { state, answer, reference, return_url, ...more }: ReturnState): GalleryState {
  const known = { ok: true, value: { purpose: "payment", status: "paid", ...NO_DETAILS, ...state } } as const;
  return {
    name: `return-${name}`,
    group: "return",
    page: (locale) => ({
      returned: {
        reference: reference === undefined ? "gallery" : reference,
        locale,
        provider: reference === undefined ? sessionWith().provider : null,
        return_url: return_url ?? null,
        parent_origins: [],
      },
    }),
    returning: { answer: answer === undefined ? known : answer, ...more },
  };
}

const PAID = { status: "paid", amount: clp(13_786) } as const;
const PROCESSING = { status: "processing" } as const;
/** The page that the patient left in this window, by a link. */
const LEFT = { hasLeftPage: true } as const;

export const RETURN_STATES: readonly GalleryState[] = [
  returnState("checking", { answer: null }),
  returnState("paid", { state: PAID }),
  returnState("paid-elsewhere", { state: PAID, continues: true }),
  returnState("paid-to-clinic", { state: PAID, return_url: "https://clinica.example/pagado" }),
  returnState("refunded", { state: { status: "refunded" } }),
  returnState("at-bank", { state: { ...PROCESSING, waits_for: "patient" } }),
  returnState("bank-confirms", { state: { ...PROCESSING, waits_for: "bank" } }),
  returnState("lender-decides", { state: { ...PROCESSING, waits_for: "lender" } }),
  returnState("declined", { state: { status: "declined" } }),
  returnState("refused", { state: { status: "refused", first_instalment: "returned" } }),
  returnState("closed", { state: { status: "closed" } }),
  returnState("card-added", { state: { purpose: "card", status: "card_added" } }),
  returnState("card-awaited", { state: { purpose: "card", ...PROCESSING, waits_for: "patient" } }),
  returnState("card-declined", { state: { purpose: "card", status: "declined" } }),
  returnState("card-changed", { state: { purpose: "card_change", status: "card_changed" } }),
  returnState("card-to-confirm", {
    state: { purpose: "card_change", status: "to_continue", can_continue: true },
    ...LEFT,
  }),
  returnState("card-not-changed", {
    state: { purpose: "card_change", status: "declined", can_continue: true },
    ...LEFT,
  }),
  returnState("early-paid", { state: { purpose: "pay_early", status: "paid" } }),
  returnState("early-declined", { state: { purpose: "pay_early", status: "declined" } }),
  returnState("unknown", { reference: null }),
  returnState("unreachable", {
    answer: { ok: false, problem: { kind: "no_answer", fault: "offline", traceId: null } },
  }),
];
