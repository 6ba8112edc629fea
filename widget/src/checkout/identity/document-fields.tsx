import { ChoiceField } from "../../form/fields.tsx";
import type { BoundField } from "../../form/step-form.ts";
import { TextField } from "../../form/text-field.tsx";
import { useAllWords } from "../../words/words-context.tsx";

interface DocumentFieldsProps {
  readonly type: BoundField;
  readonly serial: BoundField;
}

/** Which identity card, and its number. */
export function DocumentFields({ type, serial }: DocumentFieldsProps) {
  const { identity } = useAllWords();
  return (
    <>
      <ChoiceField
        field={type}
        legend={identity.document}
        options={[
          { value: "CEDULA", label: identity.cedula },
          { value: "CEDULA_EXT", label: identity.cedulaForeign },
        ]}
      />
      <SerialField field={serial} />
    </>
  );
}

/** Letters and digits. No numeric keyboard, because the number may start with a letter. */
export function SerialField({ field }: { readonly field: BoundField }) {
  const { identity } = useAllWords();
  return (
    <TextField
      field={field}
      label={identity.serial}
      hint={identity.serialHint}
      inputMode="text"
      autoComplete="off"
      autoCapitalize="characters"
      maxLength={32}
    />
  );
}
