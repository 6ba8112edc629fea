import { canRetry } from "bff/contract/decline-retry";
import { declineLimitSchema, declineReasonSchema, type ErrorCode, errorCodes } from "bff/contract/errors";
import type { PatientOrder } from "bff/contract/orders";
import { localeSchema, type WidgetSession } from "bff/contract/widget-tokens";
import {
  AGREEMENT_FILE,
  agreementWith,
  openedLink,
  orderWith,
  paidOrder,
  patientData,
  paymentPage,
  SAVED,
  sessionWith,
  VISA,
} from "../src/gallery/recorded-answers.ts";

/** The card of an order: the saved one that the call names, or the one that tests enter, with a new id each time. */
function cardIn({ body }: ReceivedCall, typedCards: number): typeof VISA {
  return { ...VISA, id: `${VISA.id}_${typedCards}`, ...SAVED.find(({ id }) => id === body.stored_card) };
}

/** One received call. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** The fault of one call: refused with a code, or its answer (or the call itself) lost. */
export type Fault =
  | { readonly code: ErrorCode; readonly additions?: Record<string, unknown> }
  | { readonly lost: "call" | "answer" };

type Answer = { readonly status: number; readonly body: unknown };

/**
 * An in-memory service for one patient's browser. It keeps the order, so that a test can check what really happened.
 * Pass `fetch` to the checkout; the contract parses every answer.
 */
export function createFakeService(overrides: Parameters<typeof sessionWith>[0] = {}) {
  let session: WidgetSession = sessionWith(overrides);
  let order: PatientOrder = session.order ?? orderWith();
  let charges = 0;
  let typedCards = 0;
  /** The saved card of the code that was answered last. */
  let answeredFor: unknown;
  const paidKeys = new Set<string>();
  const calls: ReceivedCall[] = [];
  const faults = new Map<string, Fault[]>();
  const answers = new Map<string, unknown[]>();

  function refusal(code: ErrorCode, additions: Record<string, unknown> = {}): Answer {
    const body = { detail: errorCodes[code].es, code, request_id: "req_1", ...additions };
    return { status: errorCodes[code].status, body };
  }

  function change(changes: Parameters<typeof orderWith>[0]): PatientOrder {
    order = orderWith({ ...order, ...changes });
    return order;
  }

  /** The order keeps a card that can never pay it. */
  function decline({ decline_reason, decline_limit }: Record<string, unknown> = {}): void {
    const reason = declineReasonSchema.safeParse(decline_reason).data;
    const limit = declineLimitSchema.safeParse(decline_limit).data;
    const { payment_method: card, declined_cards = [] } = order;
    if (card === null || canRetry(reason, limit)) return;
    change({ declined_cards: [...declined_cards, { ...card, ...(reason && { decline_reason: reason }) }] });
  }

  function pay(key: string): Answer {
    if (!paidKeys.has(key)) charges += 1;
    paidKeys.add(key);
    const { status, paid_amount, pending_amount, captured_amount, plan, paid_at } = paidOrder();
    const paid = change({ status, paid_amount, pending_amount, captured_amount, plan, paid_at });
    return { status: 200, body: { order: paid, payment: { status: "succeeded" } } };
  }

  function registered(): Answer {
    session = { ...session, event_type: "SPOT_USER_SUBSCRIBED" };
    return {
      status: 201,
      body: {
        user_id: "7d3c2b1a-4f5e-4a6b-8c9d-0e1f2a3b4c51",
        beneficiary_id: "7d3c2b1a-4f5e-4a6b-8c9d-0e1f2a3b4c52",
        event_type: session.event_type,
        status: "unproven",
        proof_until: session.expires_at,
      },
    };
  }

  function answerOf(step: string, call: ReceivedCall): Answer {
    if (step === "recognitionVerify")
      answeredFor = calls.findLast((each) => stepOf(each) === "recognition")?.body.stored_card ?? SAVED[0].id;
    const prepared = answers.get(step)?.shift();
    if (prepared !== undefined) return { status: 200, body: prepared };
    switch (step) {
      case "session":
        return { status: 200, body: { ...session, order: session.order === null ? null : order } };
      case "shown": {
        const chosen = localeSchema.safeParse(call.body.locale).data;
        const { consents } = sessionWith({ locale: chosen });
        if (chosen !== undefined) session = { ...session, locale: chosen, locale_chosen: true, consents };
        return { status: 200, body: { shown_at: session.server_time } };
      }
      case "order":
        return { status: 200, body: order };
      case "user":
      case "verify":
        return registered();
      case "recovery":
        return {
          status: 202,
          body: {
            sent_to: "c•••@e•••.com",
            expires_at: "2026-11-21T15:31:00.000Z",
            resend_after: "2026-11-21T15:20:00.000Z",
          },
        };
      case "linkCode":
        return {
          status: 202,
          body: {
            sent_to: "c•••@e•••.com",
            expires_at: "2026-11-21T15:31:00.000Z",
            resend_after: "2026-11-21T15:20:00.000Z",
          },
        };
      case "linkVerify":
        return { status: 200, body: openedLink() };
      case "linkAccess":
        return { status: 200, body: { status: "given" } };
      case "linkCard":
        return { status: 200, body: { status: "changed", due: openedLink().due } };
      case "dataLink":
        return { status: 202, body: { status: "accepted" } };
      case "agreement":
        return { status: 200, body: agreementWith(session) };
      case "file":
        return { status: 200, body: AGREEMENT_FILE };
      case "data":
        return { status: 200, body: patientData() };
      case "paymentPage":
        return { status: 200, body: paymentPage() };
      case "linkPayment":
        return { status: 200, body: { status: "collected" } };
      case "objection":
        return { status: 200, body: { status: "undone" } };
      case "identity":
        return {
          status: 200,
          body: {
            status: "validated",
            order: change({ readiness: { ...order.readiness, identity_validated: true } }),
          },
        };
      case "card":
        typedCards += 1;
        if (call.body.stored_card !== undefined && call.body.stored_card !== answeredFor)
          return refusal("stored_card_code_required");
        return {
          status: 200,
          body: {
            status: "added",
            payment_method: VISA,
            order: change({
              readiness: { ...order.readiness, payment_method_added: true },
              payment_method: cardIn(call, typedCards),
            }),
          },
        };
      case "cardPage":
        return { status: 200, body: { status: "none", payment_method: null, order } };
      case "recognition":
        return {
          status: 202,
          body: { expires_at: "2026-11-21T15:30:00.000Z", resend_after: "2026-11-21T15:21:00.000Z" },
        };
      case "recognitionVerify":
        return {
          status: 200,
          body: {
            status: "recognised",
            stored_card: answeredFor,
            cards: [...SAVED],
            order: change({
              readiness: { identity_validated: true, payment_method_added: true },
              payment_method: { ...VISA, ...SAVED.find(({ id }) => id === answeredFor) },
            }),
          },
        };
      case "recognitionDisown": {
        const readiness = { identity_validated: false, payment_method_added: false };
        return { status: 200, body: { order: change({ readiness, payment_method: null }) } };
      }
      case "inquiry":
        return refusal("consents_missing");
      case "payment":
        return pay(call.headers.get("Idempotency-Key") ?? "");
      default:
        return refusal("not_found");
    }
  }

  async function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const url = new URL(String(input), "http://widget.example");
    const text = typeof init?.body === "string" ? init.body : "{}";
    const body: unknown = JSON.parse(text);
    const call: ReceivedCall = {
      method: init?.method ?? "GET",
      path: url.pathname,
      query: url.search,
      headers: new Headers(init?.headers),
      body: typeof body === "object" && body !== null ? { ...body } : {},
    };
    const step = stepOf(call);
    const fault = faults.get(step)?.shift();
    if (fault !== undefined && "lost" in fault && fault.lost === "call") throw new TypeError("Failed to fetch");
    calls.push(call);
    if (step === "payment" && fault !== undefined && "code" in fault && fault.code === "card_declined")
      decline(fault.additions);
    const answer = fault !== undefined && "code" in fault ? refusal(fault.code, fault.additions) : answerOf(step, call);
    if (fault !== undefined && "lost" in fault) throw new TypeError("Failed to fetch");
    return new Response(JSON.stringify(answer.body), {
      status: answer.status,
      headers: { "Content-Type": "application/json", "X-Request-Id": "req_1" },
    });
  }

  return {
    fetch,
    calls,
    session: () => session,
    order: () => order,
    /** How often the card was charged. */
    charges: () => charges,
    callsTo: (step: Step) => calls.filter((call) => stepOf(call) === step),
    /** Injects these faults into the next calls of this step, one each. */
    fail: (step: Step, ...next: readonly Fault[]) => void faults.set(step, [...next]),
    /** Returns these bodies to the next calls of this step, one each. */
    answer: (step: Step, ...bodies: readonly unknown[]) => void answers.set(step, [...bodies]),
    change,
    replaceSession: (changes: Parameters<typeof sessionWith>[0]) => {
      session = sessionWith({ ...session, ...changes });
    },
  };
}

export type FakeService = ReturnType<typeof createFakeService>;
/** `inquiry` is a payment without consents: it requests the state of an earlier one. */
export type Step =
  | "session"
  | "shown"
  | "order"
  | "user"
  | "recovery"
  | "verify"
  | "objection"
  | "linkCode"
  | "linkVerify"
  | "linkAccess"
  | "linkCard"
  | "linkPayment"
  | "paymentPage"
  | "dataLink"
  | "agreement"
  | "file"
  | "data"
  | "withdraw"
  | "removeCard"
  | "request"
  | "erasure"
  | "recognition"
  | "recognitionVerify"
  | "recognitionDisown"
  | "identity"
  | "card"
  | "cardPage"
  | "inquiry"
  | "payment";

function stepOf({ path, body }: ReceivedCall): Step | "unknown" {
  if (path === "/api/spot/widget/shown") return "shown";
  if (/^\/api\/spot\/widget\/[^/]+$/.test(path)) return "session";
  if (path === "/api/spot/user") return "user";
  if (path === "/api/spot/user/recovery") return "recovery";
  if (path === "/api/spot/user/recovery/verify") return "verify";
  if (path === "/api/spot/user/recovery/objection") return "objection";
  if (path === "/api/spot/patient/code") return "linkCode";
  if (path === "/api/spot/patient/code/verify") return "linkVerify";
  if (path === "/api/spot/patient/insurer_access") return "linkAccess";
  if (path === "/api/spot/patient/card") return "linkCard";
  if (path === "/api/spot/patient/early_payment") return "linkPayment";
  if (path === "/api/spot/patient/payment") return "paymentPage";
  if (path === "/api/spot/patient/data_link") return "dataLink";
  if (path === "/api/spot/patient/data") return "data";
  if (path === "/api/spot/patient/consents/withdraw") return "withdraw";
  if (path === "/api/spot/patient/saved_cards/remove") return "removeCard";
  if (path === "/api/spot/patient/requests") return "request";
  if (path === "/api/spot/patient/erasure") return "erasure";
  if (/^\/orders\/[^/]+$/.test(path)) return "order";
  if (/^\/orders\/[^/]+\/agreement$/.test(path)) return "agreement";
  if (/\/(agreement|file)$/.test(path)) return "file";
  if (path.endsWith("/recognition")) return "recognition";
  if (path.endsWith("/recognition/verify")) return "recognitionVerify";
  if (path.endsWith("/recognition/disown")) return "recognitionDisown";
  if (path.endsWith("/validate_customer_identity")) return "identity";
  if (path.endsWith("/add_payment_method")) return "card";
  if (path.endsWith("/card_page")) return "cardPage";
  if (!path.endsWith("/payment")) return "unknown";
  return Array.isArray(body.consents) && body.consents.length === 0 ? "inquiry" : "payment";
}
