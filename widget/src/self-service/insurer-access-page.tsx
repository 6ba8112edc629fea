import { useMutation } from "@tanstack/react-query";
import { type InsurerChoice, insurerChoiceSchema } from "bff/contract/onboarding";
import type { ConsentPurpose } from "bff/contract/orders";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { useState } from "react";
import * as z from "zod/mini";
import { NOTHING_SENT, type Problem, ProblemError, problemOf, valueOrThrow } from "../api/problem.ts";
import { sealedOrNull } from "../api/sealed-or-null.ts";
import { givenConsents } from "../checkout/given-consents.ts";
import { ConsentList, consentFaultLines, missingConsents, readConsents } from "../form/consent-list.tsx";
import { PasswordField, SelectField } from "../form/fields.tsx";
import { Fields, FormShell } from "../form/form-shell.tsx";
import { useStepForm, validatedText } from "../form/step-form.ts";
import { insurerGroups } from "../steps/patient/patient-step.tsx";
import { MessageScreen } from "../steps/problem/message-screen.tsx";
import { problemWords } from "../words/problem-words.ts";
import { useAllWords } from "../words/words-context.tsx";
import { INSURER_ACCESS_WORDS } from "./insurer-access-words.ts";
import { usePageWords } from "./link-page.ts";
import { asksForCode, behindCode, type OpenedPageProps, wasUsed } from "./opened-link.tsx";

/** Gives access to the insurer again, in place of the access that was blocked. */
export const InsurerAccessPage = behindCode(INSURER_ACCESS_WORDS, GiveAccess);

interface TypedAccess {
  readonly insurer: InsurerChoice;
  readonly password: string;
  readonly given: readonly ConsentPurpose[];
}

interface SealedAccess extends Omit<TypedAccess, "password"> {
  readonly sealed: Promise<string | null>;
}

function GiveAccess({ session, token, parts, opened, close }: OpenedPageProps) {
  const own = usePageWords(INSURER_ACCESS_WORDS);
  const [stage, setStage] = useState<"form" | "done" | "given">("form");
  const [problem, setProblem] = useState<Problem | null>(null);
  const giving = useMutation({
    // The password is on its way to be sealed: the mutation never has it.
    mutationFn: async ({ insurer, sealed, given }: SealedAccess) => {
      const sealed_insurer_access = await sealed;
      if (sealed_insurer_access === null) throw new ProblemError(NOTHING_SENT);
      const consents = givenConsents(session.consents, "onboarding", given);
      const body = { widget_token: token, access: opened.access, insurer, sealed_insurer_access, consents };
      return valueOrThrow(await parts.api.giveInsurerAccess(session.public_key, body));
    },
    // A lost answer may have given the access. The patient's next press finds that out: the link is then used.
    retry: false,
    onSuccess: () => setStage("done"),
    onError: (failure) => refuse(problemOf(failure)),
  });

  function give({ insurer, password, given }: TypedAccess): void {
    const iat = Math.floor(parts.clock.now() / 1000);
    const access = { insurer, rut: opened.patient.rut, password, iat };
    const sealed = sealedOrNull(parts, access, session.sealing_keys.insurer_access);
    giving.mutate({ insurer, sealed, given });
  }

  function refuse(refused: Problem): void {
    if (asksForCode(refused)) close(refused);
    else if (wasUsed(refused)) setStage("given");
    else setProblem(refused);
  }

  if (stage === "done") return <MessageScreen key="done" icon="check" words={own.done} />;
  if (stage === "given") return <MessageScreen key="given" icon="check" words={own.given} />;
  const consents = session.consents
    .filter(({ purpose }) => purpose === "insurer_access")
    .map((consent) => ({ ...consent, required: true }));
  return (
    <AccessForm
      insurer={opened.patient.insurer}
      consents={consents}
      locale={session.locale}
      problem={problem}
      pending={giving.isPending}
      onGive={give}
    />
  );
}

const accessSchema = z.object({
  insurer: validatedText((text) => (insurerChoiceSchema.safeParse(text).success ? null : "insurer_missing")),
  password: validatedText((text) => (text === "" ? "insurer_access_missing" : null)),
});

interface AccessFormProps {
  readonly insurer: InsurerChoice | null;
  readonly consents: readonly ConsentText[];
  readonly locale: Locale;
  readonly problem: Problem | null;
  readonly pending: boolean;
  readonly onGive: (typed: TypedAccess) => void;
}

function AccessForm({ insurer, consents, locale, problem, pending, onGive }: AccessFormProps) {
  const words = useAllWords();
  const own = usePageWords(INSURER_ACCESS_WORDS).form;
  const [missing, setMissing] = useState<readonly ConsentPurpose[]>([]);
  const { field, faults, attempt, sendIfValid } = useStepForm<z.infer<typeof accessSchema>>({
    schema: accessSchema,
    defaults: { insurer: insurer ?? "", password: "" },
    order: ["insurer", "password"],
    words,
  });

  function submit(element: HTMLFormElement): void {
    const given = readConsents(element, consents);
    const stillMissing = missingConsents(consents, given);
    setMissing(stillMissing);
    sendIfValid((values) => {
      const chosen = insurerChoiceSchema.safeParse(values.insurer);
      if (chosen.success && stillMissing.length === 0)
        onGive({ insurer: chosen.data, password: values.password, given });
    });
  }

  return (
    <FormShell
      title={own.title}
      intro={own.intro}
      action={own.action}
      pending={pending}
      faults={[...faults, ...consentFaultLines(missing, words.consents.purposes, words.consentMissing)]}
      problem={problem === null ? null : problemWords(problem, words)}
      attempt={attempt}
      onSubmit={submit}
      note={own.note}
    >
      <Fields>
        <SelectField
          field={field("insurer")}
          initial={insurer ?? ""}
          label={words.patient.insurer}
          placeholder={words.patient.insurerChoose}
          groups={insurerGroups(words)}
        />
        <PasswordField field={field("password")} label={words.patient.access} hint={own.passwordHint} required />
      </Fields>
      <ConsentList consents={consents} locale={locale} given={[]} missing={missing} onChange={() => undefined} />
    </FormShell>
  );
}
