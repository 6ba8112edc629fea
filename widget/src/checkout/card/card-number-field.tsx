import { type ChangeEvent, useState } from "react";
import type { BoundField } from "../../form/step-form.ts";
import { TextField } from "../../form/text-field.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import { CardBrandPlate } from "./card-brand.tsx";
import { brandOf, digitsOf, isDoubtful, regroup } from "./card-text.ts";

export interface CardNumberFieldProps {
  readonly field: BoundField;
  /** The current text of the field, which determines brand and doubt. */
  readonly text: string;
}

/** Groups the digits during typing and keeps the caret in place. */
export function CardNumberField({ field, text }: CardNumberFieldProps) {
  const words = useAllWords();
  // While it is typed, a number is doubtful at every length that a card may have.
  const [leftWith, setLeftWith] = useState("");

  async function leave(event: { readonly target: { readonly value: string } }) {
    const typed = event.target.value;
    await field.registration.onBlur(event);
    setLeftWith(typed);
  }

  function group(event: ChangeEvent<HTMLInputElement>) {
    const input = event.target;
    const grouped = regroup(input.value, input.selectionStart ?? input.value.length);
    if (grouped.text !== input.value) {
      input.value = grouped.text;
      input.setSelectionRange(grouped.caret, grouped.caret);
    }
    void field.registration.onChange(event);
  }

  return (
    <TextField
      field={{ ...field, registration: { ...field.registration, onBlur: (event) => void leave(event) } }}
      onChange={group}
      label={words.card.number}
      warning={text === leftWith && isDoubtful(text) ? words.card.numberDoubt : null}
      inputMode="numeric"
      autoComplete="cc-number"
      adornment={<CardBrandPlate brand={brandOf(digitsOf(text))} />}
    />
  );
}
