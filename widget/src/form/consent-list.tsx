import type { ConsentPurpose } from "bff/contract/orders";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { keepDates } from "../words/format.ts";
import type { Words } from "../words/words.ts";
import { useAllWords } from "../words/words-context.tsx";
import styles from "./consent-list.module.css";
import type { FieldFaultLine } from "./form-shell.tsx";

export interface ConsentListProps {
  readonly consents: readonly ConsentText[];
  /** The language of the texts, in which they are read aloud. The surrounding text may be in another language. */
  readonly locale: Locale;
  readonly given: readonly ConsentPurpose[];
  /** The consents whose box was left empty at the last attempt. */
  readonly missing: readonly ConsentPurpose[];
  /** Absent if only the form holds the ticks. */
  readonly onChange?: (purpose: ConsentPurpose, given: boolean) => void;
}

/**
 * Each consent with its own box, never ticked beforehand, and the whole text that its hash covers. The short title
 * names the box, and the text describes it. A box that is ticked before the scripts load counts (see `readConsents`).
 */
export function ConsentList({ consents, locale, given, missing, onChange }: ConsentListProps) {
  const words = useAllWords();
  if (consents.length === 0) return null;
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.consents.title}</legend>
      {consents.map((consent) => {
        const id = consentFieldId(consent.purpose);
        const isMissing = missing.includes(consent.purpose);
        return (
          <div key={consent.purpose}>
            <div className={styles.consent} data-missing={isMissing}>
              <input
                id={id}
                type="checkbox"
                name="consent"
                value={consent.purpose}
                defaultChecked={given.includes(consent.purpose)}
                aria-required={consent.required}
                aria-invalid={isMissing || undefined}
                aria-describedby={`${id}-fault ${id}-text`}
                onChange={(event) => onChange?.(consent.purpose, event.target.checked)}
              />
              <label className={styles.purpose} htmlFor={id}>
                {words.consents.purposes[consent.purpose]}
                {consent.required ? null : <span className={styles.optional}> · {words.consents.optional}</span>}
              </label>
              <span className={styles.text} id={`${id}-text`} lang={locale}>
                {keepDates(consent.text)}
              </span>
            </div>
            <span className={styles.fault} id={`${id}-fault`}>
              {isMissing ? words.consents.missing : null}
            </span>
          </div>
        );
      })}
    </fieldset>
  );
}

export function consentFieldId(purpose: ConsentPurpose): string {
  return `consent-${purpose}`;
}

/** The consents that are currently ticked in the form. */
export function readConsents(form: HTMLFormElement, consents: readonly ConsentText[]): readonly ConsentPurpose[] {
  const ticked = new Set(new FormData(form).getAll("consent"));
  return consents.map((consent) => consent.purpose).filter((purpose) => ticked.has(purpose));
}

/** The required ones among these consents that are not given. */
export function missingConsents(
  consents: readonly ConsentText[],
  given: readonly ConsentPurpose[],
): readonly ConsentPurpose[] {
  return consents.filter((each) => each.required && !given.includes(each.purpose)).map((each) => each.purpose);
}

/** One summary line per missing consent, distinguished by the purpose's name. */
export function consentFaultLines(missing: readonly ConsentPurpose[], { consents }: Words): readonly FieldFaultLine[] {
  return missing.map((purpose) => ({
    fieldId: consentFieldId(purpose),
    text: `${consents.purposes[purpose]}: ${consents.missing}`,
  }));
}
