import type { RegisterPatientResponse, VerifyRecoveryRequest } from "bff/contract/onboarding";
import type { ConsentPurpose, DocumentType, GivenConsent, PatientOrder } from "bff/contract/orders";
import type { ConsentText, WidgetSession } from "bff/contract/widget-tokens";
import type { CheckoutApi, SessionCredentials } from "../api/checkout-api.ts";
import { type Answer, isDefinite, isRefusedAs, NOT_SEALED, type Problem, type Refusal } from "../api/problem.ts";
import { type Seal, sealedOrNull } from "../api/sealed-or-null.ts";
import type { TypedCard } from "../steps/card/card-step.tsx";
import type { PatientAnswers } from "../steps/patient/patient-values.ts";
import { createAttemptKey, createKeyOfBody } from "./attempt-key.ts";
import type { CheckoutEvent, Collision } from "./checkout-state.ts";
import {
  endOfAttempt,
  type PaymentOutcome,
  type PaymentRun,
  pauseAfter,
  QUESTIONS_UNTIL_STUCK,
  runPayment,
} from "./payment-run.ts";
import type { SessionClock } from "./session-clock.ts";

/** What the commands need; tests give their own. */
export interface CommandParts {
  readonly api: CheckoutApi;
  readonly clock: SessionClock;
  readonly wait: PaymentRun["wait"];
  readonly newKey: () => string;
  readonly seal: Seal;
}

/** Where the commands find what the server knows, and put what it answers. */
export interface VisitStore {
  readonly token: () => string;
  readonly session: () => WidgetSession;
  readonly keepSession: (session: WidgetSession) => void;
  readonly keepOrder: (order: PatientOrder) => void;
  readonly send: (event: CheckoutEvent) => void;
  /** Is a command of the patient under way? */
  readonly isBusy: () => boolean;
}

/** What a patient asks the service for. Each resolves when the screen has been told, or has the answer; none rejects. */
export interface CheckoutCommands {
  register(values: PatientAnswers, given: readonly ConsentPurpose[]): Promise<void>;
  startRecovery(collision: Collision, proof: { readonly serial: string; readonly email: string } | null): Promise<void>;
  verifyRecovery(collision: Collision, code: string): Promise<void>;
  validateIdentity(serial: string, type: DocumentType): Promise<void>;
  addCard(card: TypedCard): Promise<void>;
  pay(given: readonly ConsentPurpose[]): Promise<void>;
  /**
   * Asks how a payment stands that nobody here waits for, since the visit was `opened` or the bank's page was `left`: without
   * consents the service tells of one that is under way or ended for good, and can never begin one.
   */
  inquire(since: "opened" | "left"): Promise<void>;
  /** Has the link to their own data sent to whoever is registered under a RUT; resolves with what went wrong. */
  askForData(rut: string): Promise<Problem | null>;
}

/** The newest question about the payment: an older one has nothing to say any more. */
interface Question {
  /** Is it about an attempt that is there, whatever is answered next: the bank's page was the last answer? */
  readonly isUnderWay: boolean;
}

export function createCheckoutCommands(parts: CommandParts, store: VisitStore): CheckoutCommands {
  const { api } = parts;
  const { send } = store;
  const paymentKey = createAttemptKey(parts.newKey);
  const identityKey = createKeyOfBody(parts.newKey);
  let question: Question = { isUnderWay: false };
  /** What the last sign-up gave, the password sealed: it holds with the code of a recovery. */
  let signUp: Pick<VerifyRecoveryRequest, "insurer" | "sealed_insurer_access" | "consents"> = {};
  /** The RUT of a sign-up whose answer did not come: it may have been done. */
  let unanswered: string | null = null;

  const credentials = (): SessionCredentials => ({
    clientId: store.session().client_id,
    publicKey: store.session().public_key,
  });
  const fail = (problem: Problem): void => send({ type: "failed", problem });

  /** The order as an answer shows it, and on to the next step; or what went wrong. */
  function takeOrder(answer: Answer<PatientOrder>) {
    if (!answer.ok) return fail(answer.problem);
    store.keepOrder(answer.value);
    send({ type: "continued" });
  }

  async function takeRegistration(rut: string, answer: Answer<RegisterPatientResponse>): Promise<void> {
    const isWhole = store.session().order_token === null;
    if (answer.ok) store.keepSession({ ...store.session(), event_type: answer.value.event_type });
    else {
      const { problem } = answer;
      // Only a sign-up uses such a token up: it was the one whose answer was lost.
      const isDone = isWhole && unanswered === rut && isRefusedAs(problem, "widget_token_used");
      if (problem.kind === "no_answer" || problem.status >= 500) unanswered = rut;
      // The patient reads the new texts and decides anew.
      if (isRefusedAs(problem, "consents_missing")) await refreshSession();
      if (!isDone) return fail(problem);
    }
    const linked = signUp.sealed_insurer_access !== undefined;
    send(isWhole ? { type: "finished", kind: "onboarding", linked } : { type: "continued" });
  }

  const readOrder = (hash: string) => () => api.readOrder(credentials(), hash);
  const runParts = {
    onProgress: (doing: "checking" | "processing" | "stuck") => send({ type: "payment_progressed", doing }),
    wait: parts.wait,
  };

  function takeResult(result: PaymentOutcome) {
    question = { isUnderWay: result.outcome === "challenge" };
    switch (result.outcome) {
      case "challenge":
        return send({ type: "challenge_asked", challenge: { url: result.url } });
      case "paid":
        store.keepOrder(result.order);
        return send({ type: "finished", kind: "payment" });
      case "refused":
        return fail(result.problem);
    }
  }

  /** Nothing under way is the usual answer; what has ended is told with its reasons. */
  function takeInquiry(problem: Refusal): void {
    const { code } = problem;
    const isOffered = store.session().quote !== null;
    if (code === "credit_declined" || code === "order_not_payable") fail(problem);
    // An order that is neither payable nor paid, and of which nothing more is told.
    else if (!isOffered) fail({ ...problem, code: "order_not_payable" });
    else if (code === "card_declined") {
      // What the key stood for has ended: under it the next card would only be told so.
      paymentKey.renew();
      question = { isUnderWay: false };
      fail(problem);
    }
  }

  /** Nothing else is on the screen, and the patient should not sit before it for long. */
  function tellStuck(): void {
    send({ type: "payment_started" });
    runParts.onProgress("stuck");
  }

  /** Texts, sealing keys and the server's time, as they are now: what was made of the old ones is refused. */
  async function refreshSession(): Promise<void> {
    const answer = await api.readSession(store.token());
    if (!answer.ok) return;
    parts.clock.set(answer.value.server_time);
    store.keepSession(answer.value);
  }

  return {
    register: async (values, given) => {
      send({ type: "submitted" });
      if (values.insurer === "fonasa" || values.insurer === "none") return send({ type: "insurer_unsupported" });
      const access = await sealedAccess(values, store.session(), parts);
      if (access === null) return fail(NOT_SEALED);
      const consents = [...givenConsents(store.session().consents, "onboarding", given)];
      signUp = { insurer: values.insurer, ...access, consents };
      const answer = await api.registerPatient(credentials(), {
        widget_token: store.token(),
        ...personOf(values),
        ...access,
        consents,
      });
      const refusal = !answer.ok && answer.problem.kind === "refused" ? answer.problem : null;
      if (refusal?.code === "RUT_OTHER_EMAIL") return send({ type: "collided", rut: values.rut, refusal });
      if (refusal?.code === "insurer_not_supported") return send({ type: "insurer_unsupported" });
      await takeRegistration(values.rut, answer);
    },

    startRecovery: async (collision, proof) => {
      send({ type: "submitted" });
      const way = proof === null ? "email_code" : "identity";
      const answer = await api.startRecovery(credentials(), {
        widget_token: store.token(),
        rut: collision.rut,
        way,
        ...(proof !== null && { document_serial: proof.serial, email: proof.email.trim() }),
      });
      if (!answer.ok) return fail(answer.problem);
      const { sent_to: sentTo, resend_after } = answer.value;
      send({ type: "code_sent", sent: { way, sentTo, resendAt: Date.parse(resend_after) } });
    },

    verifyRecovery: async ({ rut }, code) => {
      send({ type: "submitted" });
      const body = { widget_token: store.token(), rut, code, ...signUp };
      await takeRegistration(rut, await api.verifyRecovery(credentials(), body));
    },

    validateIdentity: async (serial, type) => {
      const hash = store.session().order_token;
      if (hash === null) return;
      send({ type: "submitted" });
      const body = { document_serial: serial, document_type: type };
      const answer = await api.validateIdentity(credentials(), hash, body, identityKey.of(`${type} ${serial}`));
      if (answer.ok || isDefinite(answer.problem)) identityKey.renew();
      takeOrder(answer);
    },

    addCard: async (card) => {
      const { order_token, sealing_keys } = store.session();
      if (order_token === null) return;
      send({ type: "submitted" });
      const iat = Math.floor(parts.clock.now() / 1000);
      const sealedCard = await sealedOrNull(parts, { ...card, order_token, iat }, sealing_keys.card);
      if (sealedCard === null) return fail(NOT_SEALED);
      const answer = await api.addCard(credentials(), order_token, { sealed_card: sealedCard });
      // The service takes another card only once no attempt is under way: nothing is left to ask about.
      if (answer.ok) question = { isUnderWay: false };
      // Too old for its processor, or under a key that it no longer uses: the next one must not be so too.
      else if (isRefusedAs(answer.problem, "sealed_card_refused")) await refreshSession();
      takeOrder(answer);
    },

    pay: async (given) => {
      const hash = store.session().order_token;
      if (hash === null) return;
      send({ type: "payment_started" });
      const consents = [...givenConsents(store.session().consents, "payment", given)];
      question = { isUnderWay: question.isUnderWay && consents.length === 0 };
      const pay = (key: string) => api.pay(credentials(), hash, { consents }, key);
      const result = await runPayment({ ...runParts, ...question, key: paymentKey, pay, readOrder: readOrder(hash) });
      if (result.outcome === "refused" && result.problem.code === "consents_missing") await refreshSession();
      takeResult(result);
    },

    inquire: async (since) => {
      const { order_token: hash, quote } = store.session();
      if (hash === null) return;
      const own: Question = { isUnderWay: since === "left" };
      question = own;
      const key = createAttemptKey(parts.newKey);
      const ask = (current: string) => api.pay(credentials(), hash, { consents: [] }, current);
      for (let asked = 0; ; asked += 1) {
        const answer = await ask(key.current());
        if (store.isBusy() || own !== question) return;
        if (answer.ok && (since === "opened" || answer.value.payment.action === undefined)) break;
        if (!answer.ok && isDefinite(answer.problem)) {
          // At the bank's page an attempt was under way.
          return takeInquiry(own.isUnderWay ? endOfAttempt(answer.problem) : answer.problem);
        }
        // Without an offer nothing else is on the screen; at a bank's page that was left the payment may still go through.
        if (since === "opened" && quote !== null) return;
        if (quote === null && asked === QUESTIONS_UNTIL_STUCK) tellStuck();
        await parts.wait(pauseAfter(asked));
      }
      send({ type: "payment_started" });
      takeResult(await runPayment({ ...runParts, isUnderWay: true, key, pay: ask, readOrder: readOrder(hash) }));
    },

    askForData: async (rut) => {
      const answer = await api.sendDataLink(credentials(), { rut });
      return answer.ok ? null : answer.problem;
    },
  };
}

function personOf(values: PatientAnswers) {
  return {
    rut: values.rut,
    first_name: values.first_name.trim(),
    last_name: values.last_name.trim(),
    email: values.email.trim(),
    phone_number: values.phone_number,
    insurer: values.insurer,
  };
}

/** The isapre's password, sealed; nothing where none was typed, and null where it could not be sealed. */
async function sealedAccess(
  values: PatientAnswers,
  session: WidgetSession,
  parts: Pick<CommandParts, "clock" | "seal">,
): Promise<{ readonly sealed_insurer_access?: string } | null> {
  if (values.insurer_access === "") return {};
  const iat = Math.floor(parts.clock.now() / 1000);
  const access = { insurer: values.insurer, rut: values.rut, password: values.insurer_access, iat };
  const text = await sealedOrNull(parts, access, session.sealing_keys.insurer_access);
  return text === null ? null : { sealed_insurer_access: text };
}

/** What was ticked, with the version and hash of exactly the text that was shown. */
export function givenConsents(
  consents: readonly ConsentText[],
  step: ConsentText["step"],
  given: readonly ConsentPurpose[],
): readonly GivenConsent[] {
  return consents
    .filter((consent) => consent.step === step && given.includes(consent.purpose))
    .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
}
