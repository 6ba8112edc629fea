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
  /** Absent if the form is only the lower part of a screen. */
  readonly title?: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
  readonly action: string;
  readonly pending: boolean;
  /** Faults of the last attempt, in the order of the fields. */
  readonly faults: readonly FieldFaultLine[];
  /** Fields that the service refused, for the summary to lead to. */
  readonly refused?: readonly FieldFaultLine[];
  /** The service's refusal of the last attempt, and what to do next. */
  readonly problem: ProblemWords | null;
  /** Counts the attempts, so that each one that fails takes the focus to the summary. */
  readonly attempt: number;
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly onBack?: (() => void) | undefined;
  /** A true, reassuring sentence under the button. */
  readonly note?: string;
  /** Shown between the problems and the fields. */
  readonly banner?: ReactNode;
}

const NO_FAULTS: readonly FieldFaultLine[] = [];

/** The layout of every form: title, problems, fields, one primary action, the way back. */
export function FormShell(props: FormShellProps) {
  const words = useWords();
  const summary = useRef<HTMLDivElement>(null);
  const { attempt, pending } = props;
  const { problem, faults } = useSummary(props);
  const hasSummary = problem !== null || faults.length > 0;
  const announced = problem === null ? "" : `${problem.title} ${problem.text}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` and `announced` mark a new problem.
  useEffect(() => {
    if (hasSummary) summary.current?.focus();
  }, [attempt, announced, hasSummary]);

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!pending) props.onSubmit(event.currentTarget);
  }

  // Until the scripts have loaded, method="dialog" keeps a press of the button from leaving the page.
  return (
    <form className={styles.form} method="dialog" noValidate onSubmit={submit} aria-busy={pending}>
      {props.title === undefined ? null : <ScreenTitle title={props.title} intro={props.intro} />}
      {hasSummary ? <Summary ref={summary} problem={problem} faults={faults} /> : null}
      {props.banner}
      {props.children}
      <div className={styles.actions}>
        <Button kind="primary" type="submit" pending={pending}>
          {props.action}
        </Button>
        {props.note === undefined ? null : (
          <p className={styles.note}>
            <Icon name="shield" size={18} />
            {props.note}
          </p>
        )}
        {props.onBack === undefined ? null : (
          <Button kind="quiet" onPress={props.onBack} unavailable={pending}>
            {words.page.back}
          </Button>
        )}
      </div>
    </form>
  );
}

/**
 * The result of the last attempt: faults found here, or the service's refusal. It stays while the patient corrects the
 * fields, so that nothing moves under their finger.
 */
function useSummary(props: Pick<FormShellProps, "attempt" | "faults" | "problem" | "refused">) {
  const { attempt, faults, problem, refused = NO_FAULTS } = props;
  const [kept, setKept] = useState({ attempt, faults });
  const now = kept.attempt === attempt ? kept : { attempt, faults };
  if (now !== kept) setKept(now);
  return now.faults.length > 0
    ? { problem: null, faults: now.faults }
    : { problem, faults: problem === null ? NO_FAULTS : refused };
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
