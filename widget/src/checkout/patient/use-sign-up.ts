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
   * The isapre's password, already on its way to be sealed: the mutation never has it. Null where it could not be
   * sealed.
   */
  readonly access: Promise<SealedAccess | null>;
}

interface SignUp {
  /** Null for a patient who is registered already. */
  readonly registration: Registration | null;
  /** Null where none is asked for. */
  readonly document: IdentityDocument | null;
}

/**
 * Registers the patient and has their identity validated, as one step. If only the second fails, the next press repeats
 * only that.
 */
export function useSignUp(context: StepContext) {
  const { visit } = context;
  const start = useStep(visit, {
    mutationFn: async ({ registration, document }: SignUp) => {
      const sent = registration === null ? null : await register(context, registration);
      if (document !== null) await validateIdentity(context, document);
      return sent;
    },
    // A lost answer may have registered the patient, which the next press finds out. The screen shows the failure.
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
 * Signs up. A visit without an order asks for no document, so a code to the mailbox proves who signed up: it is sent at
 * once. `answer` is null where an earlier try, whose answer was lost, has signed up.
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

/** Empty where no password was typed, or none could be: the form does not ask for it then. */
async function sealedAccess(values: PatientAnswers, context: StepContext): Promise<SealedAccess | null> {
  const { insurer, rut, insurer_access: password } = values;
  const key = context.visit.session().sealing_keys.insurer_access;
  if (password === "" || key === null) return {};
  const iat = Math.floor(context.clock.now() / 1000);
  const sealed = await sealedOrNull(context, { insurer, rut, password, iat }, key);
  return sealed === null ? null : { sealed_insurer_access: sealed };
}
