import { INSURERS, type Insurer, type UNSUPPORTED_INSURERS } from "bff/contract/onboarding";
import type { ConsentPurpose } from "bff/contract/orders";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { useEffect, useState } from "react";
import { Fold } from "../../design/fold.tsx";
import { Notice } from "../../design/notice.tsx";
import { ConsentList, consentFaultLines, missingConsents, readConsents } from "../../form/consent-list.tsx";
import { PasswordField, SelectField, tidyPhone, tidyRut } from "../../form/fields.tsx";
import type { FieldFaultLine } from "../../form/form-shell.tsx";
import { Fields, FormShell } from "../../form/form-shell.tsx";
import { fieldId, useStepForm } from "../../form/step-form.ts";
import type { ProblemWords, Words } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { DocumentFields } from "../identity/document-fields.tsx";
import { DocumentPictures } from "../identity/document-picture.tsx";
import { tidySerial } from "../identity/serial.ts";
import styles from "./patient-step.module.css";
import {
  type Asked,
  type IdentityDocument,
  isPersonKnown,
  isUnsupported,
  PATIENT_FIELDS,
  type PatientAnswers,
  type PatientValues,
  PERSON_FIELDS,
  patientSchema,
  readPatientAnswers,
} from "./patient-values.ts";
import { KnownPerson, PersonFields } from "./person-fields.tsx";

export interface PatientStepProps {
  readonly providerName: string;
  /** Known data or earlier input. It is displayed, but never trusted. */
  readonly draft: Partial<PatientValues>;
  /** The order names the patient, so the RUT cannot be changed. */
  readonly rutIsFixed: boolean;
  readonly asked: Asked;
  readonly consents: readonly ConsentText[];
  readonly consentLocale: Locale;
  /** A new number empties the boxes, and nothing else that was typed. */
  readonly consentRound: number;
  readonly given: readonly ConsentPurpose[];
  /** False if the isapre's password could not be sealed. It is then requested later, by a link. */
  readonly canGiveAccess: boolean;
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** Fields that the service refused, by their names on the wire. */
  readonly refusedFields: readonly string[];
  readonly onConsent: (purpose: ConsentPurpose, given: boolean) => void;
  readonly onDraft: (draft: Partial<PatientValues>) => void;
  /** The patient submitted an unsupported isapre. */
  readonly onUnsupported: () => void;
  /** `answers` is null once the patient is registered, `document` if none is required. */
  readonly onSubmit: (
    answers: PatientAnswers | null,
    document: IdentityDocument | null,
    given: readonly ConsentPurpose[],
  ) => void;
  readonly onBack?: (() => void) | undefined;
}

const CLOSED_INSURERS: readonly Insurer[] = ["cruz_del_norte", "isalud", "fundacion"];

/** The isapres to choose from, and the options for having none. */
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

/** The consents that this form requires. Access to the isapre is required only with its password. */
function consentsFor(consents: readonly ConsentText[], hasAccess: boolean): readonly ConsentText[] {
  return consents
    .filter((consent) => consent.purpose !== "insurer_access" || hasAccess)
    .map((consent) => (consent.purpose === "insurer_access" ? { ...consent, required: true } : consent));
}

function defaultsOf(draft: Partial<PatientValues>): PatientValues {
  return {
    rut: tidyRut(draft.rut ?? ""),
    first_name: draft.first_name ?? "",
    last_name: draft.last_name ?? "",
    email: draft.email ?? "",
    phone_number: tidyPhone(draft.phone_number ?? ""),
    insurer: draft.insurer ?? "",
    insurer_access: "",
    document_type: draft.document_type ?? "CEDULA",
    document_serial: "",
  };
}

/** Asks for the isapre first, so that a patient whose isapre is not supported learns that before typing anything. */
export function PatientStep(props: PatientStepProps) {
  const words = useAllWords();
  const { asked } = props;
  const { isRegistered, hasDocument } = asked;
  const [missing, setMissing] = useState<readonly ConsentPurpose[]>([]);
  const defaults = defaultsOf(props.draft);
  const { form, field, faults, attempt, sendIfValid } = useStepForm<PatientValues>({
    schema: patientSchema(asked),
    defaults,
    order: PATIENT_FIELDS,
    words,
  });
  const [isEdited, setEdited] = useState(() => !isPersonKnown(defaults));
  const isOpen = !isRegistered && (isEdited || PERSON_FIELDS.some((name) => props.refusedFields.includes(name)));
  const isRefused = isUnsupported(form.watch("insurer"));
  const consents = isRegistered ? [] : consentsFor(props.consents, form.watch("insurer_access") !== "");
  useKeptDraft(form, props.onDraft);
  useRefusedFields(form, props.refusedFields);

  function submit(element: HTMLFormElement) {
    const typed = new FormData(element);
    if (isUnsupported(String(typed.get("insurer")))) return props.onUnsupported();
    // The password may have been filled in without the events that the form listens to.
    const texts = isRegistered ? [] : consentsFor(props.consents, Boolean(typed.get("insurer_access")));
    const given = readConsents(element, texts);
    const stillMissing = missingConsents(texts, given);
    setMissing(stillMissing);
    sendIfValid(element, (values) => {
      if (stillMissing.length > 0) return;
      const document = hasDocument ? { serial: values.document_serial, type: values.document_type } : null;
      props.onSubmit(isRegistered ? null : readPatientAnswers(values), document, given);
    });
  }

  return (
    <FormShell
      title={words.patient.title}
      action={words.patient.action}
      pending={props.pending}
      faults={[...faults, ...consentFaultLines(missing, words)]}
      refused={refusedLines(props.refusedFields, words)}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onBack}
    >
      {isRegistered ? null : (
        <SelectField
          field={field("insurer")}
          initial={props.draft.insurer ?? ""}
          label={words.patient.insurer}
          placeholder={words.patient.insurerChoose}
          groups={insurerGroups(words)}
        />
      )}
      {isRefused ? (
        <Notice tone="warning" role="status" title={words.patient.unsupportedTitle}>
          <p>{words.patient.unsupportedText(props.providerName)}</p>
        </Notice>
      ) : null}
      <div className={styles.rest} hidden={isRefused}>
        {isOpen ? (
          <PersonFields field={field} rutNote={props.rutIsFixed ? words.patient.rutFixed(props.providerName) : null} />
        ) : (
          <KnownPerson person={form.getValues()} onEdit={isRegistered ? null : () => setEdited(true)} />
        )}
        {hasDocument ? (
          <Fields>
            <DocumentFields type={field("document_type")} serial={field("document_serial", tidySerial)} />
            <Fold title={words.identity.whereTitle}>
              <DocumentPictures />
            </Fold>
          </Fields>
        ) : null}
        {isRegistered ? null : <Access field={field("insurer_access")} canGive={props.canGiveAccess} />}
        <ConsentList
          key={props.consentRound}
          consents={consents}
          locale={props.consentLocale}
          given={props.given}
          missing={missing}
          onChange={props.onConsent}
        />
      </div>
    </FormShell>
  );
}

type PatientForm = ReturnType<typeof useStepForm<PatientValues>>["form"];

interface AccessProps {
  readonly field: ReturnType<ReturnType<typeof useStepForm<PatientValues>>["field"]>;
  readonly canGive: boolean;
}

/** The isapre's password, which may be given now or later. */
function Access({ field, canGive }: AccessProps) {
  const { patient } = useAllWords();
  if (!canGive) return <p className={styles.text}>{patient.accessLater}</p>;
  return (
    <Fold title={patient.accessFold}>
      <PasswordField field={field} label={patient.access} hint={patient.accessText} />
    </Fold>
  );
}

/** The lines of the summary for a refusal, each with the field's label. */
function refusedLines(refusedFields: readonly string[], words: Words): readonly FieldFaultLine[] {
  const labels: Readonly<Record<(typeof PATIENT_FIELDS)[number], string>> = {
    rut: words.patient.rut,
    first_name: words.patient.firstName,
    last_name: words.patient.lastName,
    email: words.patient.email,
    phone_number: words.patient.phone,
    insurer: words.patient.insurer,
    insurer_access: words.patient.access,
    document_type: words.identity.document,
    document_serial: words.identity.serial,
  };
  return PATIENT_FIELDS.filter((name) => refusedFields.includes(name)).map((name) => ({
    fieldId: fieldId(name),
    text: `${labels[name]}: ${words.faults.refused_by_server}`,
  }));
}

/**
 * Keeps the input when the screen changes (going back, a fresh token), except the isapre's password and the document
 * number.
 */
function useKeptDraft(form: PatientForm, onDraft: PatientStepProps["onDraft"]) {
  useEffect(() => {
    return form.subscribe({
      formState: { values: true },
      callback: ({ values: { insurer_access: _password, document_serial: _serial, ...kept } }) => onDraft(kept),
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
