import type { Problem } from "../../api/problem.ts";
import { problemWithAttempts } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { isSerialRefused } from "../identity/identity-screen.tsx";
import { backOf, type StepProps } from "../step-props.ts";
import { PatientStep } from "./patient-step.tsx";
import { useSignUp } from "./use-sign-up.ts";

const NO_FIELDS: readonly string[] = [];
const SERIAL: readonly string[] = ["document_serial"];

function refusedFieldsOf(problem: Problem | null): readonly string[] {
  if (isSerialRefused(problem)) return SERIAL;
  if (problem?.kind !== "refused" || problem.code !== "validation_error") return NO_FIELDS;
  return problem.additions.errors?.map((issue) => issue.path) ?? NO_FIELDS;
}

export function PatientScreen({ checkout, context, pending, problem }: StepProps) {
  const words = useAllWords();
  const signUp = useSignUp(context);
  const { session, state, facts, actions, visit } = checkout;
  return (
    <PatientStep
      providerName={session.provider.name}
      draft={checkout.draft()}
      rutIsFixed={facts.hasOrder}
      asked={{ isRegistered: !facts.isNewPatient, hasDocument: facts.hasOrder && !facts.identityValidated }}
      consents={session.consents.filter(
        ({ step, purpose }) => step === "onboarding" && (purpose !== "marketing" || !facts.hasOrder),
      )}
      consentLocale={session.locale}
      given={state.given}
      consentRound={state.consentRound}
      canGiveAccess={session.sealing_keys.insurer_access !== null}
      pending={pending}
      problem={problemWithAttempts(problem, words)}
      refusedFields={refusedFieldsOf(problem)}
      onConsent={actions.changeConsent}
      onDraft={actions.keepDraft}
      onUnsupported={() => visit.send({ type: "insurer_unsupported" })}
      onSubmit={signUp}
      onBack={backOf(checkout)}
    />
  );
}
