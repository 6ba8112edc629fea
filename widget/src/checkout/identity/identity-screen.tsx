import type { Problem } from "../../api/problem.ts";
import { problemWithAttempts } from "../../words/problem-words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { backOf, type StepProps, shownRut } from "../step-props.ts";
import { IdentityStep } from "./identity-step.tsx";
import { useValidateIdentity } from "./use-validate-identity.ts";

/** Refusals caused by the field's input, which are shown at the field too. */
const SERIAL_CODES: readonly string[] = [
  "document_serial_malformed",
  "identity_rejected",
  "identity_document_not_valid",
];

export function isSerialRefused(problem: Problem | null): boolean {
  return problem?.kind === "refused" && SERIAL_CODES.includes(problem.code);
}

export function IdentityScreen({ checkout, context, pending, problem }: StepProps) {
  const words = useAllWords();
  const validateIdentity = useValidateIdentity(context);
  return (
    <IdentityStep
      rut={shownRut(checkout)}
      pending={pending}
      problem={problemWithAttempts(problem, words)}
      serialIsRefused={isSerialRefused(problem)}
      onSubmit={validateIdentity}
      onBack={backOf(checkout)}
    />
  );
}
