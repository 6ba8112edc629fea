import { Amounts } from "../../design/amounts.tsx";
import { Button } from "../../design/button.tsx";
import { EmailField, FieldPair, PhoneField, RutField, tidyPhone, tidyRut } from "../../form/fields.tsx";
import { Fields } from "../../form/form-shell.tsx";
import type { BoundField } from "../../form/step-form.ts";
import { TextField } from "../../form/text-field.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./patient-step.module.css";
import type { PatientValues, PERSON_FIELDS } from "./patient-values.ts";

export interface PersonFieldsProps {
  readonly field: (name: (typeof PERSON_FIELDS)[number], tidy?: (text: string) => string) => BoundField;
  /** Null if the RUT may differ from the known one. */
  readonly rutNote: string | null;
}

/** Fields for the patient's name, RUT and contact. */
export function PersonFields({ field, rutNote }: PersonFieldsProps) {
  const { patient } = useAllWords();
  return (
    <Fields>
      <RutField field={field("rut", tidyRut)} fixedNote={rutNote ?? undefined} />
      <FieldPair>
        <TextField
          field={field("first_name")}
          label={patient.firstName}
          autoComplete="given-name"
          autoCapitalize="words"
        />
        <TextField
          field={field("last_name")}
          label={patient.lastName}
          hint={patient.lastNameHint}
          autoComplete="family-name"
          autoCapitalize="words"
        />
      </FieldPair>
      <EmailField field={field("email")} label={patient.email} hint={patient.emailHint} />
      <PhoneField field={field("phone_number", tidyPhone)} label={patient.phone} hint={patient.phoneHint} />
    </Fields>
  );
}

export interface KnownPersonProps {
  readonly person: Pick<PatientValues, (typeof PERSON_FIELDS)[number]>;
  /** Null once the patient is registered. */
  readonly onEdit: (() => void) | null;
}

/** The patient's data as provided by the clinic. */
export function KnownPerson({ person, onEdit }: KnownPersonProps) {
  const { patient, help } = useAllWords();
  return (
    <section className={styles.known}>
      <Amounts
        rows={[
          { label: patient.rut, rut: tidyRut(person.rut) },
          { label: patient.name, text: `${person.first_name} ${person.last_name}` },
          { label: help.email, text: person.email },
          { label: patient.phone, text: tidyPhone(person.phone_number).replaceAll(" ", "\u00a0") },
        ].filter((row) => row.rut !== "" && row.text?.trim() !== "")}
      />
      {onEdit === null ? null : (
        <Button kind="quiet" onPress={onEdit}>
          {patient.edit}
        </Button>
      )}
    </section>
  );
}
