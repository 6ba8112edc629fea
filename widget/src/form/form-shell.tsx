import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { Notice } from "../design/notice.tsx";
import { ScreenTitle } from "../design/screen-title.tsx";
import type { ProblemWords } from "../words/words.ts";
import { useWords } from "../words/words-context.tsx";
import styles from "./form-shell.module.css";

/** A fault in one field, with the id of the control that it concerns. */
export interface FieldFaultLine {
  readonly fieldId: string;
  readonly text: string;
}

export interface FormShellProps {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
  readonly action: string;
  readonly pending: boolean;
  /** Faults of the last attempt, in the order of the fields. */
  readonly faults: readonly FieldFaultLine[];
  /** What the service said to the last attempt, and what to do next. */
  readonly problem: ProblemWords | null;
  /** Counts the attempts, so that each one that fails takes the focus to the summary. */
  readonly attempt: number;
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly onBack?: (() => void) | undefined;
  /** Something true that reassures, under the button. */
  readonly note?: string;
  /** Stands between what went wrong and the fields. */
  readonly banner?: ReactNode;
}

/** The one form of the checkout: title, what is amiss, fields, one primary action, the way back. */
export function FormShell(props: FormShellProps) {
  const words = useWords();
  const summary = useRef<HTMLDivElement>(null);
  const { attempt, problem, pending } = props;
  const faults = useFaultsOfAttempt(attempt, props.faults);
  const isAmiss = problem !== null || faults.length > 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` is what says that the same faults are new again.
  useEffect(() => {
    if (isAmiss) summary.current?.focus();
  }, [attempt, problem, isAmiss]);

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!pending) props.onSubmit(event.currentTarget);
  }

  // Before the scripts have come, method="dialog" keeps a press of the button from leaving the page.
  return (
    <form className={styles.form} method="dialog" noValidate onSubmit={submit} aria-busy={pending}>
      <ScreenTitle title={props.title} intro={props.intro} />
      {isAmiss ? <Summary ref={summary} problem={problem} faults={faults} /> : null}
      {props.banner}
      {props.children}
      <div className={styles.actions}>
        <Button kind="primary" type="submit" pending={pending}>
          {props.action}
        </Button>
        {props.onBack === undefined ? null : (
          <Button kind="quiet" onPress={props.onBack} unavailable={pending}>
            {words.page.back}
          </Button>
        )}
        {props.note === undefined ? null : (
          <p className={styles.note}>
            <Icon name="shield" size={18} />
            {props.note}
          </p>
        )}
      </div>
    </form>
  );
}

/**
 * The faults as they were when the form was sent: the summary stands still while they are mended one by one, so that
 * nothing moves under the patient's finger.
 */
function useFaultsOfAttempt(attempt: number, faults: readonly FieldFaultLine[]): readonly FieldFaultLine[] {
  const [kept, setKept] = useState({ attempt, faults });
  if (kept.attempt !== attempt) setKept({ attempt, faults });
  return kept.attempt === attempt ? kept.faults : faults;
}

interface SummaryProps extends Pick<FormShellProps, "problem" | "faults"> {
  readonly ref: React.Ref<HTMLDivElement>;
}

function Summary({ ref, problem, faults }: SummaryProps) {
  const words = useWords();
  const title = problem?.title ?? words.page.errorSummary(faults.length);
  return (
    <Notice ref={ref} tone="danger" role="alert" title={title}>
      {problem === null ? null : <p>{problem.text}</p>}
      {faults.length === 0 ? null : (
        <ul className={styles.faults}>
          {faults.map((fault) => (
            <li key={fault.fieldId}>
              <a
                href={`#${fault.fieldId}`}
                onClick={(event) => {
                  event.preventDefault();
                  document.getElementById(fault.fieldId)?.focus();
                }}
              >
                {fault.text}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

/** The block of fields inside a form. */
export function Fields({ children }: { readonly children: ReactNode }) {
  return <div className={styles.fields}>{children}</div>;
}
