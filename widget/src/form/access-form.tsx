import { type InsurerChoice, insurerChoiceSchema } from "bff/contract/onboarding";
import type { ConsentPurpose } from "bff/contract/orders";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { useState } from "react";
import * as z from "zod/mini";
import type { Problem } from "../api/problem.ts";
import { insurerGroups } from "../checkout/patient/patient-step.tsx";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { ConsentList, consentFaultLines, missingConsents, readConsents } from "./consent-list.tsx";
import { PasswordField, SelectField } from "./fields.tsx";
import { Fields, FormShell } from "./form-shell.tsx";
import { useStepForm, validatedText } from "./step-form.ts";

/** The patient's input. The password is sealed at once. */
export interface TypedAccess {
  readonly insurer: InsurerChoice;
  readonly password: string;
  readonly given: readonly ConsentPurpose[];
}

/** The consent that the password requires. */
export function accessConsents(consents: readonly ConsentText[]): readonly ConsentText[] {
  return consents
    .filter(({ purpose }) => purpose === "insurer_access")
    .map((consent) => ({ ...consent, required: true }));
}

const accessSchema = z.object({
  insurer: validatedText((text) => (insurerChoiceSchema.safeParse(text).success ? null : "insurer_missing")),
  password: validatedText((text) => (text === "" ? "insurer_access_missing" : null)),
});

interface AccessFormProps {
  /** The known insurer; empty if none is known. */
  readonly insurer: string;
  readonly consents: readonly ConsentText[];
  readonly locale: Locale;
  readonly problem: Problem | null;
  readonly pending: boolean;
  readonly onGive: (typed: TypedAccess) => void;
  readonly onBack?: (() => void) | undefined;
}

/** Requests only the isapre's password. */
export function AccessForm({ insurer, consents, locale, problem, pending, onGive, onBack }: AccessFormProps) {
  const words = useAllWords();
  const [missing, setMissing] = useState<readonly ConsentPurpose[]>([]);
  const { field, faults, attempt, sendIfValid } = useStepForm<z.infer<typeof accessSchema>>({
    schema: accessSchema,
    defaults: { insurer, password: "" },
    order: ["insurer", "password"],
    words,
  });

  function submit(element: HTMLFormElement): void {
    const given = readConsents(element, consents);
    const stillMissing = missingConsents(consents, given);
    setMissing(stillMissing);
    sendIfValid(element, (values) => {
      const chosen = insurerChoiceSchema.safeParse(values.insurer);
      if (chosen.success && stillMissing.length === 0)
        onGive({ insurer: chosen.data, password: values.password, given });
    });
  }

  return (
    <FormShell
      title={words.accessForm.title}
      intro={words.accessForm.intro}
      action={words.accessForm.action}
      pending={pending}
      faults={[...faults, ...consentFaultLines(missing, words)]}
      problem={problem === null ? null : problemWords(problem, words)}
      attempt={attempt}
      onSubmit={submit}
      onBack={onBack}
      note={words.accessForm.note}
    >
      <Fields>
        <SelectField
          field={field("insurer")}
          initial={insurer}
          label={words.patient.insurer}
          placeholder={words.patient.insurerChoose}
          groups={insurerGroups(words)}
        />
        <PasswordField
          field={field("password")}
          label={words.patient.access}
          hint={words.accessForm.passwordHint}
          required
        />
      </Fields>
      <ConsentList consents={consents} locale={locale} given={[]} missing={missing} onChange={() => undefined} />
    </FormShell>
  );
}
