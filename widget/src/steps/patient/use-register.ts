import type { RegisterPatientRequest } from "bff/contract/onboarding";
import type { ConsentPurpose } from "bff/contract/orders";
import { isRefusedAs, NOT_SEALED, ProblemError, problemOf, valueOrThrow } from "../../api/problem.ts";
import { sealedOrNull } from "../../api/sealed-or-null.ts";
import { givenConsents } from "../../checkout/given-consents.ts";
import { credentialsOf } from "../../checkout/server-state.ts";
import type { StepContext } from "../../checkout/step-context.ts";
import { useStep } from "../../checkout/use-step.ts";
import type { PatientAnswers } from "./patient-values.ts";
import { takeRegistration, takeRegistrationProblem } from "./registration.ts";

type Person = Omit<RegisterPatientRequest, "widget_token" | "sealed_insurer_access" | "consents">;
type SealedAccess = Pick<RegisterPatientRequest, "sealed_insurer_access">;

interface Registration {
  readonly person: Person;
  readonly given: readonly ConsentPurpose[];
  /** The isapre's password, already on its way to be sealed: the mutation never has it. Null where it could not be sealed. */
  readonly access: Promise<SealedAccess | null>;
}

/** Registers the patient. */
export function useRegister(context: StepContext) {
  const { visit, api } = context;
  const start = useStep(visit, {
    mutationFn: async ({ person, given, access }: Registration) => {
      const sealed = await access;
      if (sealed === null) throw new ProblemError(NOT_SEALED);
      const session = visit.session();
      const consents = givenConsents(session.consents, "onboarding", given);
      context.signUp = { insurer: person.insurer, ...sealed, consents };
      const body = { widget_token: visit.token(), ...person, ...sealed, consents };
      return valueOrThrow(await api.registerPatient(credentialsOf(session), body));
    },
    // A lost answer may have registered the patient. Their next press finds that out; until then they are told.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (answer) => takeRegistration(context, answer),
    onError: async (failure, { person: { rut } }) => {
      const problem = problemOf(failure);
      if (isRefusedAs(problem, "RUT_OTHER_EMAIL")) visit.send({ type: "collided", rut, refusal: problem });
      else if (isRefusedAs(problem, "insurer_not_supported")) visit.send({ type: "insurer_unsupported" });
      else await takeRegistrationProblem(context, rut, problem);
    },
  });
  return (values: PatientAnswers, given: readonly ConsentPurpose[]): void => {
    const isSupported = values.insurer !== "fonasa" && values.insurer !== "none";
    if (isSupported) start(() => ({ person: personOf(values), given, access: sealedAccess(values, context) }));
    else if (!visit.isStepPending()) visit.send({ type: "insurer_unsupported" });
  };
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

/** Empty where no password was typed. */
async function sealedAccess(values: PatientAnswers, context: StepContext): Promise<SealedAccess | null> {
  const { insurer, rut, insurer_access: password } = values;
  if (password === "") return {};
  const iat = Math.floor(context.clock.now() / 1000);
  const key = context.visit.session().sealing_keys.insurer_access;
  const sealed = await sealedOrNull(context, { insurer, rut, password, iat }, key);
  return sealed === null ? null : { sealed_insurer_access: sealed };
}
