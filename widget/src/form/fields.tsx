import { readPhone } from "bff/contract/vocabulary/phone";
import { formatRut, readTypedRut } from "bff/contract/vocabulary/rut";
import { type ReactNode, useState } from "react";
import { useAllWords } from "../words/words-context.tsx";
import styles from "./field.module.css";
import type { BoundField } from "./step-form.ts";
import { describedBy, EMPTY, FieldFrame, TextField } from "./text-field.tsx";

/** `123456785` → `12.345.678-5` if it is a RUT. Anything else stays as typed. */
export function tidyRut(text: string): string {
  const rut = readTypedRut(text);
  return rut === null ? text : formatRut(rut);
}

/** `+56912345678` → `+56 9 1234 5678`, as written in Chile. Other numbers stay as typed. */
export function tidyPhone(text: string): string {
  return (readPhone(text) ?? text).replace(/^\+56(\d)(\d{4})(\d{4})$/, "+56 $1 $2 $3");
}

/** Never a numeric keyboard, because a check digit may be K. */
export function RutField(props: { readonly field: BoundField; readonly fixedNote?: string | undefined }) {
  const words = useAllWords();
  return (
    <TextField
      field={props.field}
      label={words.patient.rut}
      hint={props.fixedNote ?? words.patient.rutHint}
      inputMode="text"
      autoComplete="off"
      autoCapitalize="characters"
      readOnly={props.fixedNote !== undefined}
    />
  );
}

export function EmailField(props: { readonly field: BoundField; readonly label: string; readonly hint: string }) {
  return <TextField {...props} type="email" inputMode="email" autoComplete="email" autoCapitalize="none" />;
}

export function PhoneField(props: { readonly field: BoundField; readonly label: string; readonly hint: string }) {
  return <TextField {...props} type="tel" inputMode="tel" autoComplete="tel-national" />;
}

export interface SelectFieldProps {
  readonly field: BoundField;
  /** The initial choice. The form library treats any other as made before it loaded. */
  readonly initial: string;
  readonly label: string;
  readonly placeholder: string;
  readonly groups: readonly {
    readonly label: string;
    readonly options: readonly { readonly value: string; readonly label: string }[];
  }[];
}

export function SelectField({ field, initial, label, placeholder, groups }: SelectFieldProps) {
  return (
    <FieldFrame id={field.id} label={label} fault={field.fault}>
      <select
        {...describedBy(field.id, field.fault)}
        className={`${styles.input} ${styles.select}`}
        defaultValue={initial}
        {...field.registration}
      >
        <option value="">{placeholder}</option>
        {groups.map((group) => (
          <optgroup key={group.label} label={group.label}>
            {group.options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <span className={styles.chevron} aria-hidden="true" />
    </FieldFrame>
  );
}

export interface PasswordFieldProps {
  readonly field: BoundField;
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
}

export function PasswordField(props: PasswordFieldProps) {
  const words = useAllWords();
  const [shown, setShown] = useState(false);
  const { field, required = false } = props;
  return (
    <FieldFrame id={field.id} label={props.label} hint={props.hint} fault={field.fault} optional={!required}>
      <input
        {...describedBy(field.id, field.fault, required)}
        className={`${styles.input} ${styles.withAdornment}`}
        placeholder={EMPTY}
        type={shown ? "text" : "password"}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        {...field.registration}
      />
      <span className={styles.adornment}>
        <button
          type="button"
          className={styles.reveal}
          aria-pressed={shown}
          aria-controls={field.id}
          onClick={() => setShown(!shown)}
        >
          {shown ? words.patient.hide : words.patient.show}
          <span className="aapd-unseen"> {props.label}</span>
        </button>
      </span>
    </FieldFrame>
  );
}

export interface ChoiceFieldProps {
  readonly field: BoundField;
  readonly legend: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function ChoiceField({ field, legend, options }: ChoiceFieldProps) {
  return (
    <fieldset>
      <legend className={styles.legend}>{legend}</legend>
      <div className={styles.choices}>
        {options.map((option, index) => (
          <label key={option.value} className={styles.choice}>
            <input type="radio" value={option.value} id={index === 0 ? field.id : undefined} {...field.registration} />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Two short fields in a row, or stacked where they do not fit. */
export function FieldPair({ children }: { readonly children: ReactNode }) {
  return <div className={styles.pair}>{children}</div>;
}
