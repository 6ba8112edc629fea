import type { ChangeEvent, ComponentProps, HTMLAttributes, ReactNode } from "react";
import { useWords } from "../words/words-context.tsx";
import styles from "./field.module.css";
import type { BoundField } from "./step-form.ts";

export interface FieldFrameProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault: string | null;
  /** A doubt about the input, which does not stop the patient. */
  readonly warning?: string | null | undefined;
  readonly optional?: boolean;
  /** Whether the fault is announced here, because no summary reads it out. */
  readonly announced?: boolean | undefined;
  readonly children: ReactNode;
}

/** The layout of every field: label above or inside, control, and one message below: hint, warning or fault. */
export function FieldFrame(props: FieldFrameProps) {
  const words = useWords();
  const isAlert = props.announced === true && props.fault !== null;
  const message = props.fault ?? props.warning ?? props.hint;
  const tone = props.fault !== null ? "fault" : props.warning ? "warning" : "hint";
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={props.id}>
        {props.label}
        {props.optional === true ? <span className={styles.optional}> · {words.page.optional}</span> : null}
      </label>
      <div className={styles.control}>{props.children}</div>
      <span
        // Some screen readers announce a new alert, but not an element that becomes one.
        key={isAlert ? message : "message"}
        className={styles.message}
        id={`${props.id}-message`}
        data-tone={tone}
        // A warning does not stop the form, so no summary reads it out.
        role={isAlert ? "alert" : props.warning === undefined ? undefined : "status"}
      >
        {message}
      </span>
    </div>
  );
}

/** Placeholder of empty fields. The style sheet detects them by it, and centres an inside label in the field. */
export const EMPTY = " ";

/** Attributes that connect a control to the message below it. */
export function describedBy(id: string, fault: string | null, required = true) {
  return {
    id,
    "aria-describedby": `${id}-message`,
    "aria-invalid": fault === null ? undefined : true,
    "aria-required": required,
  } as const;
}

export interface TextFieldProps {
  /** A field of the form library, or one that the form reads itself. */
  readonly field: Omit<BoundField, "registration"> & { readonly registration: ComponentProps<"input"> };
  readonly label: string;
  readonly hint?: string;
  readonly warning?: string | null;
  readonly inputMode?: HTMLAttributes<HTMLInputElement>["inputMode"];
  readonly autoComplete: string;
  readonly type?: "text" | "email" | "tel";
  readonly readOnly?: boolean;
  readonly autoCapitalize?: "none" | "words" | "characters";
  readonly spellCheck?: boolean;
  readonly maxLength?: number;
  readonly adornment?: ReactNode;
  /** For a few digits that are compared one by one. */
  readonly look?: "code";
  /** Whether the fault is announced here, because no summary reads it out. */
  readonly announced?: boolean;
  /** Replaces the registration's own handler, which it must call. */
  readonly onChange?: (event: ChangeEvent<HTMLInputElement>) => void;
}

/** One line of text. The wrappers below set the kind. */
export function TextField({
  field,
  label,
  hint,
  warning,
  adornment,
  look,
  announced,
  onChange,
  ...input
}: TextFieldProps) {
  return (
    <FieldFrame id={field.id} label={label} hint={hint} warning={warning} fault={field.fault} announced={announced}>
      <input
        {...describedBy(field.id, field.fault)}
        className={adornment === undefined ? styles.input : `${styles.input} ${styles.withAdornment}`}
        data-look={look}
        placeholder={EMPTY}
        type={input.type ?? "text"}
        inputMode={input.inputMode}
        autoComplete={input.autoComplete}
        autoCapitalize={input.autoCapitalize}
        autoCorrect="off"
        spellCheck={input.spellCheck ?? false}
        readOnly={input.readOnly}
        maxLength={input.maxLength}
        {...field.registration}
        onChange={onChange ?? field.registration.onChange}
      />
      {adornment === undefined ? null : <span className={styles.adornment}>{adornment}</span>}
    </FieldFrame>
  );
}
