import type { RegisterPatientRequest } from "bff/contract/onboarding";
import type { ConsentPurpose } from "bff/contract/orders";
import { isRefusedAs, NOT_SEALED, ProblemError, problemOf, valueOrThrow } from "../../api/problem.ts";
import { sealedOrNull } from "../../api/sealed-or-null.ts";
import type { SentCode } from "../checkout-state.ts";
import { givenConsents } from "../given-consents.ts";
import { validateIdentity } from "../identity/validate-identity.ts";
import { sendCode } from "../recovery/send-code.ts";
import { credentialsOf } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";
import { useStep } from "../use-step.ts";
import type { IdentityDocument, PatientAnswers } from "./patient-values.ts";
import { goOn, takeRegistrationProblem } from "./registration.ts";

type Person = Omit<RegisterPatientRequest, "widget_token" | "sealed_insurer_access" | "consents">;
type SealedAccess = Pick<RegisterPatientRequest, "sealed_insurer_access">;

interface Registration {
  readonly person: Person;
  readonly given: readonly ConsentPurpose[];
  /**
   * The isapre's password, already being sealed, so that the mutation never contains it. Null if it could not be
   * sealed.
   */
  readonly access: Promise<SealedAccess | null>;
}

interface SignUp {
  /** Null for a patient who is already registered. */
  readonly registration: Registration | null;
  /** Null if none is required. */
  readonly document: IdentityDocument | null;
}

/**
 * Registers the patient and has their identity validated, as one step. If only the second fails, the next press repeats
 * only that.
 */
export function useSignUp(context: StepContext) {
  const { visit } = context;
  const start = useStep({
    mutationFn: async ({ registration, document }: SignUp) => {
      const sent = registration === null ? null : await register(context, registration);
      if (document !== null) await validateIdentity(context, document);
      return sent;
    },
    // After a lost answer the patient may be registered, which the next press reveals. The screen shows the failure.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (sent, { registration }) => {
      if (sent !== null) visit.send({ type: "proof_asked", rut: registration?.person.rut ?? "", sent });
      else goOn(context);
    },
    onError: async (failure, { registration }) => {
      const problem = problemOf(failure);
      const rut = registration?.person.rut ?? "";
      if (isRefusedAs(problem, "RUT_OTHER_EMAIL")) visit.send({ type: "collided", rut, refusal: problem });
      else if (isRefusedAs(problem, "insurer_not_supported")) visit.send({ type: "insurer_unsupported" });
      else await takeRegistrationProblem(context, rut, problem);
    },
  });
  return (answers: PatientAnswers | null, document: IdentityDocument | null, given: readonly ConsentPurpose[]): void =>
    start(() => ({
      registration:
        answers === null ? null : { person: personOf(answers), given, access: sealedAccess(answers, context) },
      document,
    }));
}

/** Returns the code that was sent to prove the sign-up; null where a document proves it. */
async function register(context: StepContext, { person, given, access }: Registration): Promise<SentCode | null> {
  const { visit } = context;
  const sealed = await access;
  if (sealed === null) throw new ProblemError(NOT_SEALED);
  const consents = givenConsents(visit.session().consents, "onboarding", given);
  context.signUp = { insurer: person.insurer, ...sealed, consents };
  const { answer, sent } = await signUp(context, { widget_token: visit.token(), ...person, ...sealed, consents });
  if (sent === null && answer !== null) visit.updateSession({ event_type: answer.event_type });
  return sent;
}

/**
 * Signs up. A visit without an order requires no document. A code to the mailbox, sent at once, proves the sign-up
 * instead. `answer` is null if an earlier attempt, whose answer was lost, has signed up.
 */
async function signUp(context: StepContext, body: RegisterPatientRequest) {
  const { visit, api } = context;
  const session = visit.session();
  const credentials = credentialsOf(session);
  const isLate = context.unansweredRut === body.rut;
  const registered = await api.registerPatient(credentials, body);
  if (session.order_token !== null) return { answer: valueOrThrow(registered), sent: null };
  const isDone = isLate && !registered.ok && isRefusedAs(registered.problem, "widget_token_used");
  const answer = isDone ? null : valueOrThrow(registered);
  context.unansweredRut = body.rut;
  return { answer, sent: await sendCode(context, { rut: body.rut, proof: null }) };
}

function personOf(values: PatientAnswers): Person {
  return {
    rut: values.rut,
    first_name: values.first_name.trim(),
    last_name: values.last_name.trim(),
    email: values.email.trim(),
    phone_number: values.phone_number,
    insurer: values.insurer,
  };
}

/** Empty if no password was typed, or the form could not accept one. */
async function sealedAccess(values: PatientAnswers, context: StepContext): Promise<SealedAccess | null> {
  const { insurer, rut, insurer_access: password } = values;
  const key = context.visit.session().sealing_keys.insurer_access;
  if (password === "" || key === null) return {};
  const iat = Math.floor(context.clock.now() / 1000);
  const sealed = await sealedOrNull(context, { insurer, rut, password, iat }, key);
  return sealed === null ? null : { sealed_insurer_access: sealed };
}
