import { useEffect, useRef } from "react";
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type PathValue,
  type ResolverResult,
  type UseFormRegisterReturn,
  type UseFormReturn,
  useForm,
} from "react-hook-form";
import * as z from "zod/mini";
import type { Words } from "../words/words.ts";
import type { FieldFault } from "./field-fault.ts";
import type { FieldFaultLine } from "./form-shell.tsx";
import { followPointer, pointerReleased } from "./pointer-release.ts";

/** The part of a form that a field wrapper needs. */
export interface BoundField {
  readonly id: string;
  readonly registration: UseFormRegisterReturn;
  readonly fault: string | null;
}

/** A text field's schema. Its message is the name of the fault, which has a text in every language. */
export function validatedText(validate: (text: string) => FieldFault | null) {
  return z.string().check((context) => {
    const fault = validate(context.value);
    // The other fields are validated too, including those that are validated together.
    if (fault !== null) context.issues.push({ code: "custom", input: "", message: fault, continue: true });
  });
}

export function fieldId(name: string): string {
  return `field-${name}`;
}

export interface StepFormOptions<Values extends FieldValues> {
  readonly schema: z.ZodMiniType<Values, Values>;
  readonly defaults: DefaultValues<Values>;
  /** The fields in their order on the screen. */
  readonly order: readonly Path<Values>[];
  readonly words: Words;
}

/**
 * A form of one step. Submitting validates it, and leaving a non-empty field validates that field, but typing never
 * does. The fields are the browser's own inputs, which hold the values.
 */
export function useStepForm<Values extends FieldValues>({ schema, defaults, order, words }: StepFormOptions<Values>) {
  const form = useForm<Values>({
    resolver: (values) => validate(schema, values),
    defaultValues: defaults,
    mode: "onSubmit",
    reValidateMode: "onSubmit",
    shouldFocusError: false,
  });
  const { errors, submitCount } = form.formState;
  useEffect(followPointer, []);
  const timesSent = useRef(0);

  /** Submits the form: calls `onValid` with its values if they have no faults. */
  function sendIfValid(typed: HTMLFormElement, onValid: (values: Values) => void): void {
    timesSent.current += 1;
    takeValues(typed, form);
    void form.handleSubmit(onValid)();
  }

  function faultOf(name: Path<Values>): string | null {
    const message = form.getFieldState(name, form.formState).error?.message;
    return message === undefined
      ? null
      : isFieldFault(message, words)
        ? words.faults[message]
        : words.faults.refused_by_server;
  }

  function field(name: Path<Values>, tidy?: (text: string) => string): BoundField {
    const registration = form.register(name);
    return {
      id: fieldId(name),
      fault: faultOf(name),
      registration: {
        ...registration,
        onBlur: async (event: { readonly target: { value: string } }) => {
          const typed = event.target.value;
          const tidied = tidy?.(typed) ?? typed;
          if (tidied !== typed) form.setValue(name, pathValue<Values>(tidied));
          const sentBefore = timesSent.current;
          await registration.onBlur(event);
          await pointerReleased();
          // Submitting validates every field. The service may have refused this one since, and that fault stays.
          if (typed.trim() !== "" && timesSent.current === sentBefore) await form.trigger(name);
        },
      },
    };
  }

  const faults: readonly FieldFaultLine[] =
    Object.keys(errors).length === 0
      ? []
      : order.flatMap((name) => {
          const text = faultOf(name);
          return text === null ? [] : [{ fieldId: fieldId(name), text }];
        });

  return { form, field, faults, attempt: submitCount, sendIfValid };
}

/** The first fault of each field. Forms have one level, and a field shows one message. */
function validate<Values extends FieldValues>(
  schema: StepFormOptions<Values>["schema"],
  values: Values,
): ResolverResult<Values> {
  const parsed = schema.safeParse(values);
  if (parsed.success) return { values: parsed.data, errors: {} };
  const faults = parsed.error.issues.map(({ path, message }) => [path[0], { type: "custom", message }] as const);
  return { values: {}, errors: Object.fromEntries(faults.toReversed()) as FieldErrors<Values> };
}

/**
 * Reads the values from the fields themselves, because a password manager or a script may set them without firing the
 * events that the form library listens to.
 */
function takeValues<Values extends FieldValues>(typed: HTMLFormElement, form: UseFormReturn<Values>): void {
  const data = new FormData(typed);
  for (const [name, kept] of Object.entries(form.getValues())) {
    const value = data.get(name);
    if (typeof value === "string" && value !== kept) form.setValue(name as Path<Values>, pathValue<Values>(value));
  }
}

const NO_LINES: readonly FieldFaultLine[] = [];

/** Marks a field whose text the service refused, and adds a line to the summary that leads to it. */
export function useRefusedField<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, "setError">,
  words: Words,
  { name, label, isRefused }: { readonly name: Path<Values>; readonly label: string; readonly isRefused: boolean },
): readonly FieldFaultLine[] {
  const { setError } = form;
  useEffect(() => {
    if (isRefused) setError(name, { type: "server", message: "refused_by_server" });
  }, [setError, name, isRefused]);
  return isRefused ? [{ fieldId: fieldId(name), text: `${label}: ${words.faults.refused_by_server}` }] : NO_LINES;
}

/** All fields of these forms are texts. */
function pathValue<Values extends FieldValues>(text: string): PathValue<Values, Path<Values>> {
  return text as PathValue<Values, Path<Values>>;
}

function isFieldFault(message: string, words: Words): message is FieldFault {
  return Object.hasOwn(words.faults, message);
}
