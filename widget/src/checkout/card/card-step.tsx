import type { ConsentPurpose } from "bff/contract/orders";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { type ReactNode, useLayoutEffect } from "react";
import * as z from "zod/mini";
import { ConsentList, readConsents } from "../../form/consent-list.tsx";
import { FieldPair } from "../../form/fields.tsx";
import { Fields, FormShell } from "../../form/form-shell.tsx";
import { type BoundField, useStepForm, validatedText } from "../../form/step-form.ts";
import { TextField } from "../../form/text-field.tsx";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { AcceptedCards, CvcPicture } from "./card-brand.tsx";
import { CardNumberField } from "./card-number-field.tsx";
import {
  brandOf,
  cvcLengthOf,
  digitsOf,
  readExpiry,
  tidyExpiry,
  validateCardNumber,
  validateCvc,
  validateExpiry,
  validateHolder,
} from "./card-text.ts";
import { type KnownCards, useKnownChoice } from "./known-cards.tsx";

/** A card as typed, about to be sealed. It exists for one call and is never stored. */
export interface TypedCard {
  readonly number: string;
  readonly exp_month: number;
  readonly exp_year: number;
  readonly cvc: string;
  readonly holder_name: string;
}

export interface CardStepProps {
  /** Cards to choose instead of entering one. */
  readonly known?: KnownCards | undefined;
  readonly today: { readonly year: number; readonly month: number };
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** This card was refused, so the fields are cleared for another one. After a lost call they keep their input. */
  readonly isRefused: boolean;
  /** The screen's texts outside of the checkout. */
  readonly texts?: { readonly title: string; readonly intro: string; readonly action: string };
  /** The consents offered with this card, and their language; none if the clinic saves no cards. */
  readonly consents: readonly ConsentText[];
  readonly consentLocale: Locale;
  /** Shown above the fields. */
  readonly banner?: ReactNode;
  readonly onSubmit: (card: TypedCard, given: readonly ConsentPurpose[]) => void;
  readonly onBack?: (() => void) | undefined;
}

function cardSchema(today: CardStepProps["today"]) {
  return z
    .object({
      number: validatedText(validateCardNumber),
      expiry: validatedText((text) => validateExpiry(text, today)),
      cvc: z.string(),
      holder_name: validatedText(validateHolder),
    })
    .check((context) => {
      const fault = validateCvc(context.value.cvc, context.value.number);
      if (fault !== null) context.issues.push({ code: "custom", input: "", path: ["cvc"], message: fault });
    });
}
type CardValues = z.infer<ReturnType<typeof cardSchema>>;

function cardOf(values: CardValues): TypedCard | null {
  const expiry = readExpiry(values.expiry);
  if (expiry === null) return null;
  return {
    number: digitsOf(values.number),
    exp_month: expiry.month,
    exp_year: expiry.year,
    cvc: digitsOf(values.cvc),
    holder_name: values.holder_name.trim(),
  };
}

const NOTHING_GIVEN: readonly ConsentPurpose[] = [];

export function CardStep(props: CardStepProps) {
  const words = useAllWords();
  const { form, field, faults, attempt, sendIfValid } = useStepForm<CardValues>({
    schema: cardSchema(props.today),
    defaults: { number: "", expiry: "", cvc: "", holder_name: "" },
    order: ["number", "expiry", "cvc", "holder_name"],
    words,
  });
  const { isRefused, known } = props;
  const { chosen, field: knownField } = useKnownChoice(known, props.problem !== null);
  // Before painting, so that the refusal never appears next to the refused card's input.
  useLayoutEffect(() => {
    if (isRefused) form.reset();
  }, [form, isRefused]);

  const number = form.watch("number");
  const submit = (typed: HTMLFormElement) => {
    if (chosen !== null) return known?.onChoose(chosen);
    sendIfValid(typed, (values) => {
      const card = cardOf(values);
      if (card !== null) props.onSubmit(card, readConsents(typed, props.consents));
    });
  };
  const { title, intro, action } = props.texts ?? words.card;
  return (
    <FormShell
      title={title}
      intro={intro}
      action={chosen === null ? action : words.card.action}
      pending={props.pending}
      faults={chosen === null ? faults : []}
      problem={props.problem}
      attempt={chosen === null ? attempt : 0}
      onSubmit={submit}
      onBack={props.onBack}
      note={words.card.sealed}
      banner={props.banner}
    >
      {knownField}
      {chosen === null ? (
        <NewCard field={field} number={number} consents={props.consents} consentLocale={props.consentLocale} />
      ) : null}
    </FormShell>
  );
}

interface NewCardProps extends Pick<CardStepProps, "consents" | "consentLocale"> {
  readonly field: (name: keyof CardValues, tidy?: (text: string) => string) => BoundField;
  readonly number: string;
}

function NewCard({ field, number, consents, consentLocale }: NewCardProps) {
  const { card: words } = useAllWords();
  const brand = brandOf(digitsOf(number));
  return (
    <>
      <Fields>
        <AcceptedCards />
        <CardNumberField field={field("number")} text={number} />
        <FieldPair>
          <TextField
            field={field("expiry", tidyExpiry)}
            label={words.expiry}
            hint={words.expiryHint}
            inputMode="numeric"
            autoComplete="cc-exp"
            maxLength={9}
          />
          <TextField
            field={field("cvc")}
            label={words.cvc}
            hint={words.cvcHint(cvcLengthOf(brand))}
            inputMode="numeric"
            autoComplete="cc-csc"
            maxLength={4}
            adornment={<CvcPicture brand={brand} />}
          />
        </FieldPair>
        <TextField field={field("holder_name")} label={words.holder} autoComplete="cc-name" autoCapitalize="words" />
      </Fields>
      {/* Requested again with each card: no tick carries over to the next. */}
      <ConsentList consents={consents} locale={consentLocale} given={NOTHING_GIVEN} missing={NOTHING_GIVEN} />
    </>
  );
}
