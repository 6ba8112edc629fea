import type { DocumentType } from "bff/contract/orders";
import * as z from "zod/mini";
import { Fields, FormShell } from "../../form/form-shell.tsx";
import { useRefusedField, useStepForm } from "../../form/step-form.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { DocumentFields } from "./document-fields.tsx";
import { DocumentPictures } from "./document-picture.tsx";
import styles from "./identity-step.module.css";
import { serialSchema, tidySerial } from "./serial.ts";

export interface IdentityStepProps {
  /** The formatted RUT: `12.345.678-5`. */
  readonly rut: string;
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** Whether the service refused the field's input, and not something else. */
  readonly serialIsRefused: boolean;
  readonly onSubmit: (serial: string, type: DocumentType) => void;
  readonly onBack?: (() => void) | undefined;
}

const identitySchema = z.object({
  document_type: z.enum(["CEDULA", "CEDULA_EXT"]),
  document_serial: serialSchema(),
});

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
        <DocumentFields type={field("document_type")} serial={field("document_serial", tidySerial)} />
      </Fields>
      <section className={styles.where}>
        <h2 className={styles.heading}>{words.identity.whereTitle}</h2>
        <DocumentPictures />
      </section>
    </FormShell>
  );
}
