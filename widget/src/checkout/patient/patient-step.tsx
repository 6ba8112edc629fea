import { INSURERS, type Insurer, type UNSUPPORTED_INSURERS } from "bff/contract/onboarding";
import type { ConsentPurpose } from "bff/contract/orders";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { useEffect, useState } from "react";
import { ConsentList, consentFaultLines, missingConsents, readConsents } from "../../form/consent-list.tsx";
import {
  EmailField,
  FieldPair,
  PasswordField,
  PhoneField,
  RutField,
  SelectField,
  tidyPhone,
  tidyRut,
} from "../../form/fields.tsx";
import type { FieldFaultLine } from "../../form/form-shell.tsx";
import { Fields, FormShell } from "../../form/form-shell.tsx";
import { fieldId, useStepForm } from "../../form/step-form.ts";
import { TextField } from "../../form/text-field.tsx";
import type { ProblemWords, Words } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./patient-step.module.css";
import {
  PATIENT_FIELDS,
  type PatientAnswers,
  type PatientValues,
  patientSchema,
  readPatientAnswers,
} from "./patient-values.ts";

export interface PatientStepProps {
  readonly providerName: string;
  /** What is known beforehand, or was typed before: shown, never trusted. */
  readonly draft: Partial<PatientValues>;
  /** The order names the patient, so that the RUT cannot be another. */
  readonly rutIsFixed: boolean;
  readonly consents: readonly ConsentText[];
  readonly consentLocale: Locale;
  readonly given: readonly ConsentPurpose[];
  /** False where the isapre's password could not be sealed: it is asked for later, by a link. */
  readonly canGiveAccess: boolean;
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** Fields that the service refused, by their names on the wire. */
  readonly refusedFields: readonly string[];
  readonly onConsent: (purpose: ConsentPurpose, given: boolean) => void;
  readonly onDraft: (draft: Partial<PatientValues>) => void;
  readonly onSubmit: (values: PatientAnswers, given: readonly ConsentPurpose[]) => void;
  readonly onBack?: (() => void) | undefined;
}

const CLOSED_INSURERS: readonly Insurer[] = ["cruz_del_norte", "isalud", "fundacion"];

/** The isapres to choose from, and what is none. */
export function insurerGroups(words: Words) {
  const all = Object.entries(INSURERS).map(([value, label]) => ({ value, label }));
  const isClosed = ({ value }: { readonly value: string }) => CLOSED_INSURERS.some((insurer) => insurer === value);
  return [
    { label: words.patient.insurerOpen, options: all.filter((option) => !isClosed(option)) },
    { label: words.patient.insurerClosed, options: all.filter(isClosed) },
    {
      label: words.patient.insurerOther,
      options: [
        { value: "fonasa" satisfies keyof typeof UNSUPPORTED_INSURERS, label: words.patient.insurerFonasa },
        { value: "none" satisfies keyof typeof UNSUPPORTED_INSURERS, label: words.patient.insurerNone },
      ],
    },
  ];
}

/** Consents that this form must ask for: access to the isapre is asked for only with its password. */
function consentsFor(consents: readonly ConsentText[], hasAccess: boolean): readonly ConsentText[] {
  return consents
    .filter((consent) => consent.purpose !== "insurer_access" || hasAccess)
    .map((consent) => (consent.purpose === "insurer_access" ? { ...consent, required: true } : consent));
}

export function PatientStep(props: PatientStepProps) {
  const words = useAllWords();
  const [missing, setMissing] = useState<readonly ConsentPurpose[]>([]);
  const { form, field, faults, attempt, sendIfValid } = useStepForm<PatientValues>({
    schema: patientSchema,
    defaults: {
      rut: tidyRut(props.draft.rut ?? ""),
      first_name: props.draft.first_name ?? "",
      last_name: props.draft.last_name ?? "",
      email: props.draft.email ?? "",
      phone_number: tidyPhone(props.draft.phone_number ?? ""),
      insurer: props.draft.insurer ?? "",
      insurer_access: "",
    },
    order: PATIENT_FIELDS,
    words,
  });
  const hasAccess = form.watch("insurer_access") !== "";
  const consents = consentsFor(props.consents, hasAccess);
  useKeptDraft(form, props.onDraft);
  useRefusedFields(form, props.refusedFields);

  function submit(element: HTMLFormElement) {
    // The password may have come without the events that `hasAccess` follows.
    const asked = consentsFor(props.consents, Boolean(new FormData(element).get("insurer_access")));
    const given = readConsents(element, asked);
    const stillMissing = missingConsents(asked, given);
    setMissing(stillMissing);
    sendIfValid(element, (values) => {
      const answers = readPatientAnswers(values);
      if (answers !== null && stillMissing.length === 0) props.onSubmit(answers, given);
    });
  }

  const lines: readonly FieldFaultLine[] = [
    ...faults,
    ...consentFaultLines(missing, words.consents.purposes, words.consentMissing),
  ];
  return (
    <FormShell
      title={words.patient.title}
      intro={words.patient.intro}
      action={words.patient.action}
      pending={props.pending}
      faults={lines}
      refused={refusedLines(props.refusedFields, words)}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onBack}
    >
      <Fields>
        <RutField
          field={field("rut", tidyRut)}
          fixedNote={props.rutIsFixed ? words.patient.rutFixed(props.providerName) : undefined}
        />
        <FieldPair>
          <TextField
            field={field("first_name")}
            label={words.patient.firstName}
            autoComplete="given-name"
            autoCapitalize="words"
          />
          <TextField
            field={field("last_name")}
            label={words.patient.lastName}
            hint={words.patient.lastNameHint}
            autoComplete="family-name"
            autoCapitalize="words"
          />
        </FieldPair>
        <EmailField field={field("email")} label={words.patient.email} hint={words.patient.emailHint} />
        <PhoneField
          field={field("phone_number", tidyPhone)}
          label={words.patient.phone}
          hint={words.patient.phoneHint}
        />
        <SelectField
          field={field("insurer")}
          initial={props.draft.insurer ?? ""}
          label={words.patient.insurer}
          placeholder={words.patient.insurerChoose}
          groups={insurerGroups(words)}
        />
      </Fields>
      <section className={styles.access}>
        <h2 className={styles.heading}>{words.patient.accessTitle}</h2>
        <p className={styles.text}>{props.canGiveAccess ? words.patient.accessText : words.patient.accessLater}</p>
        {props.canGiveAccess ? (
          <PasswordField field={field("insurer_access")} label={words.patient.access} hint={words.patient.accessHint} />
        ) : null}
      </section>
      <ConsentList
        consents={consents}
        locale={props.consentLocale}
        given={props.given}
        missing={missing}
        onChange={props.onConsent}
      />
    </FormShell>
  );
}

/** Where the service's refusal leads to: each field by its label. */
function refusedLines(refusedFields: readonly string[], words: Words): readonly FieldFaultLine[] {
  const labels: Readonly<Record<(typeof PATIENT_FIELDS)[number], string>> = {
    rut: words.patient.rut,
    first_name: words.patient.firstName,
    last_name: words.patient.lastName,
    email: words.patient.email,
    phone_number: words.patient.phone,
    insurer: words.patient.insurer,
    insurer_access: words.patient.access,
  };
  return PATIENT_FIELDS.filter((name) => refusedFields.includes(name)).map((name) => ({
    fieldId: fieldId(name),
    text: `${labels[name]}: ${words.faults.refused_by_server}`,
  }));
}

type PatientForm = ReturnType<typeof useStepForm<PatientValues>>["form"];

/** What is typed outlives the screen (the way back, a swapped token), the isapre's password excepted. */
function useKeptDraft(form: PatientForm, onDraft: PatientStepProps["onDraft"]) {
  useEffect(() => {
    return form.subscribe({
      formState: { values: true },
      callback: ({ values: { insurer_access: _password, ...kept } }) => onDraft(kept),
    });
  }, [form, onDraft]);
}

/** Marks the fields that the service refused, so that the summary leads to them. */
function useRefusedFields(form: PatientForm, refusedFields: readonly string[]) {
  useEffect(() => {
    for (const name of PATIENT_FIELDS) {
      if (refusedFields.includes(name)) form.setError(name, { type: "server", message: "refused_by_server" });
    }
  }, [form, refusedFields]);
}
