import type { DocumentType } from "bff/contract/orders";
import { readDocumentSerial } from "bff/contract/vocabulary/document-serial";
import * as z from "zod/mini";
import { ChoiceField } from "../../form/fields.tsx";
import { Fields, FormShell } from "../../form/form-shell.tsx";
import { useRefusedField, useStepForm, validatedText } from "../../form/step-form.ts";
import { TextField } from "../../form/text-field.tsx";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { DocumentPictures } from "./document-picture.tsx";
import styles from "./identity-step.module.css";

export interface IdentityStepProps {
  /** As it is shown: `12.345.678-5`. */
  readonly rut: string;
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** The service refused what was typed in the field, rather than anything else. */
  readonly serialIsRefused: boolean;
  readonly onSubmit: (serial: string, type: DocumentType) => void;
  readonly onBack?: (() => void) | undefined;
}

const identitySchema = z.object({
  document_type: z.enum(["CEDULA", "CEDULA_EXT"]),
  document_serial: serialSchema(),
});

/** What any serial is. The format itself is a setting of the service, which says so where a number does not have it. */
const ANY_SERIAL = "^[A-Z\\d]{6,}$";

export function serialSchema() {
  return validatedText((text) => {
    if (text.trim() === "") return "serial_missing";
    return readDocumentSerial(text, ANY_SERIAL) === null ? "serial_malformed" : null;
  });
}

/** `123456789` → `123.456.789`, as it is printed; `A123456789` stays in one piece. */
export function tidySerial(text: string): string {
  const serial = readDocumentSerial(text);
  if (serial === null) return text;
  return /^\d+$/.test(serial) ? serial.replace(/\B(?=(\d{3})+$)/g, ".") : serial;
}

export function IdentityStep(props: IdentityStepProps) {
  const words = useAllWords();
  const { form, field, faults, attempt, sendIfValid } = useStepForm<z.infer<typeof identitySchema>>({
    schema: identitySchema,
    defaults: { document_type: "CEDULA", document_serial: "" },
    order: ["document_type", "document_serial"],
    words,
  });
  const refused = useRefusedField(form, words, {
    name: "document_serial",
    label: words.identity.serial,
    isRefused: props.serialIsRefused,
  });
  const submit = (typed: HTMLFormElement) =>
    sendIfValid(typed, (values) => props.onSubmit(values.document_serial, values.document_type));
  return (
    <FormShell
      title={words.identity.title}
      intro={words.identity.intro}
      action={words.identity.action}
      pending={props.pending}
      faults={faults}
      refused={refused}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onBack}
      note={words.identity.privacy}
    >
      <p className={styles.rut}>{words.identity.forRut(props.rut)}</p>
      <Fields>
        <ChoiceField
          field={field("document_type")}
          legend={words.identity.document}
          options={[
            { value: "CEDULA", label: words.identity.cedula },
            { value: "CEDULA_EXT", label: words.identity.cedulaForeign },
          ]}
        />
        <SerialField field={field("document_serial", tidySerial)} />
      </Fields>
      <section className={styles.where}>
        <h2 className={styles.heading}>{words.identity.whereTitle}</h2>
        <DocumentPictures />
      </section>
    </FormShell>
  );
}

/** Letters and digits: no numeric keyboard, since the number may start with a letter. */
export function SerialField({ field }: { readonly field: ReturnType<ReturnType<typeof useStepForm>["field"]> }) {
  const words = useAllWords();
  return (
    <TextField
      field={field}
      label={words.identity.serial}
      hint={words.identity.serialHint}
      inputMode="text"
      autoComplete="off"
      autoCapitalize="characters"
      maxLength={32}
    />
  );
}
