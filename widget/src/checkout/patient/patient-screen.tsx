import type { Problem } from "../../api/problem.ts";
import { problemWords } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { backOf, type StepProps } from "../step-props.ts";
import { PatientStep } from "./patient-step.tsx";
import { useRegister } from "./use-register.ts";

const NO_FIELDS: readonly string[] = [];

function refusedFieldsOf(problem: Problem | null): readonly string[] {
  if (problem?.kind !== "refused" || problem.code !== "validation_error") return NO_FIELDS;
  return problem.additions.errors?.map((issue) => issue.path) ?? NO_FIELDS;
}

export function PatientScreen({ checkout, context, pending, problem }: StepProps) {
  const words = useAllWords();
  const register = useRegister(context);
  const { session, state, actions } = checkout;
  return (
    <PatientStep
      key={state.consentRound}
      providerName={session.provider.name}
      draft={checkout.draft()}
      rutIsFixed={session.order !== null}
      consents={session.consents.filter((consent) => consent.step === "onboarding")}
      consentLocale={session.locale}
      given={state.given}
      canGiveAccess={session.sealing_keys.insurer_access !== null}
      pending={pending}
      problem={problem === null ? null : problemWords(problem, words)}
      refusedFields={refusedFieldsOf(problem)}
      onConsent={actions.changeConsent}
      onDraft={actions.keepDraft}
      onSubmit={register}
      onBack={backOf(checkout)}
    />
  );
}
