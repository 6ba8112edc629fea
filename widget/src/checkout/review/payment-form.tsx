import type { ConsentPurpose } from "bff/contract/orders";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import { type ReactNode, useState } from "react";
import { Notice } from "../../design/notice.tsx";
import { ConsentList, consentFaultLines, missingConsents, readConsents } from "../../form/consent-list.tsx";
import { FormShell } from "../../form/form-shell.tsx";
import { formatPesos } from "../../words/format.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";

/** The input of a form that pays, whatever is above its consents. */
export interface PaymentConsents {
  readonly consents: readonly ConsentText[];
  readonly consentLocale: Locale;
  readonly given: readonly ConsentPurpose[];
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  readonly notice: ProblemWords | null;
  readonly onConsent: (purpose: ConsentPurpose, given: boolean) => void;
  readonly onPay: (given: readonly ConsentPurpose[]) => void;
  readonly onBack?: (() => void) | undefined;
}

export interface PaymentFormProps extends PaymentConsents {
  /** Absent if the form is only the lower part of a screen. */
  readonly title?: string;
  /** The amount that the button charges, in pesos. */
  readonly amount: number;
  readonly children: ReactNode;
}

/** The consents of the payment, and one button that names the amount. */
export function PaymentForm(props: PaymentFormProps) {
  const words = useAllWords();
  const { consents } = props;
  const [missing, setMissing] = useState<readonly ConsentPurpose[]>([]);
  const [attempt, setAttempt] = useState(0);

  function submit(form: HTMLFormElement) {
    const given = readConsents(form, consents);
    const stillMissing = missingConsents(consents, given);
    setMissing(stillMissing);
    setAttempt((count) => count + 1);
    if (stillMissing.length === 0) props.onPay(given);
  }

  return (
    <FormShell
      {...(props.title !== undefined && { title: props.title })}
      action={words.review.pay(formatPesos(props.amount))}
      pending={props.pending}
      faults={consentFaultLines(missing, words)}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onBack}
      banner={
        props.notice === null ? null : (
          <Notice tone="warning" role="status" title={props.notice.title}>
            <p>{props.notice.text}</p>
          </Notice>
        )
      }
    >
      {props.children}
      <ConsentList
        consents={consents}
        locale={props.consentLocale}
        given={props.given}
        missing={missing}
        onChange={props.onConsent}
      />
    </FormShell>
  );
}
