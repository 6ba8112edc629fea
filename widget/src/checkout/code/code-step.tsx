import { CODE_DIGITS } from "bff/contract/terms";
import { type ChangeEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import * as z from "zod/mini";
import { Button } from "../../design/button.tsx";
import { TextField } from "../../form/fields.tsx";
import { Fields, FormShell } from "../../form/form-shell.tsx";
import { useRefusedField, useStepForm, validatedText } from "../../form/step-form.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./code-step.module.css";

function readCode(text: string): string {
  return text.normalize("NFKC").replace(/[\s-]/g, "");
}

function isWhole(code: string): boolean {
  return /^\d+$/.test(code) && code.length === CODE_DIGITS;
}

const codeSchema = z.object({
  code: validatedText((text) => {
    const code = readCode(text);
    if (code === "") return "code_missing";
    return isWhole(code) ? null : "code_malformed";
  }),
});

export interface CodeStepProps {
  readonly texts: {
    readonly title: string;
    readonly intro: ReactNode;
    readonly action: string;
    readonly hint: string;
    /** In its place, once a code goes no more by itself. */
    readonly pressedHint?: string;
    /** On the button that has another one sent. */
    readonly resend: string;
    /** After it was pressed. */
    readonly resent: string;
    readonly note?: string;
  };
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** The service refused the code, rather than anything else. */
  readonly codeIsRefused: boolean;
  /** When another code may be asked for; null where none was asked for yet. */
  readonly resendAt: number | null;
  /** Milliseconds until then, when the last one was asked for. */
  readonly resendAfterMs: number;
  /** A whole code goes by itself, once for each code that was sent: the tries are few, and another one is pressed. */
  readonly goesByItself?: boolean;
  readonly onSubmit: (code: string) => void;
  readonly onResend: () => void;
  readonly onBack: (() => void) | undefined;
}

/** A one-time code is typed, pasted, or filled in by the browser. */
export function CodeStep(props: CodeStepProps) {
  const words = useAllWords();
  const { form, field, faults, attempt, sendIfValid } = useStepForm<z.infer<typeof codeSchema>>({
    schema: codeSchema,
    defaults: { code: "" },
    order: ["code"],
    words,
  });
  const refused = useRefusedField(form, words, {
    name: "code",
    label: words.recovery.code,
    isRefused: props.codeIsRefused,
  });
  const { texts, resendAt } = props;
  const sent = useRef("");
  // The code of a request that was not answered counts too: it may have been sent.
  const [wentFor, setWentFor] = useState<number | null>();
  const goes = props.goesByItself === true && wentFor !== resendAt;
  const submit = (typed: HTMLFormElement) =>
    sendIfValid(typed, (values) => {
      sent.current = readCode(values.code);
      props.onSubmit(sent.current);
    });
  const [firstResendAt, setFirstResendAt] = useState(resendAt);
  if (firstResendAt === null && resendAt !== null) setFirstResendAt(resendAt);
  const isAnother = firstResendAt !== null && resendAt !== firstResendAt;
  useEffect(() => {
    // What was typed was the code before.
    if (isAnother && resendAt !== null) form.reset();
  }, [form, isAnother, resendAt]);
  const code = field("code");

  function goByItself({ value, form: typed }: Pick<HTMLInputElement, "value" | "form">): void {
    const text = readCode(value);
    if (!goes || props.pending || !isWhole(text) || text === sent.current || typed === null) return;
    setWentFor(resendAt);
    submit(typed);
  }
  const goAsTyped = useEffectEvent(() => {
    const input = document.getElementById(code.id);
    if (input instanceof HTMLInputElement) goByItself(input);
  });
  useEffect(() => {
    // A code can be there before the answer to the request for it.
    if (!props.pending) goAsTyped();
  }, [props.pending]);

  function change(event: ChangeEvent<HTMLInputElement>): void {
    void code.registration.onChange(event);
    goByItself(event.target);
  }

  return (
    <FormShell
      title={texts.title}
      intro={texts.intro}
      action={texts.action}
      pending={props.pending}
      faults={faults}
      refused={refused}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onBack}
      {...(texts.note !== undefined && { note: texts.note })}
    >
      <Fields>
        <TextField
          field={code}
          onChange={change}
          label={words.recovery.code}
          hint={goes ? texts.hint : (texts.pressedHint ?? texts.hint)}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          look="code"
        />
      </Fields>
      <div className={styles.resend}>
        <span role="status">{isAnother ? <span key={resendAt}>{texts.resent}</span> : null}</span>
        <Resend
          at={resendAt}
          afterMs={props.resendAfterMs}
          idle={props.pending}
          label={texts.resend}
          onResend={props.onResend}
        />
      </div>
    </FormShell>
  );
}

interface ResendProps {
  /** Another one is another code, and the wait begins anew. */
  readonly at: number | null;
  readonly afterMs: number;
  readonly idle: boolean;
  readonly label: string;
  readonly onResend: () => void;
}

/** One button for as long as the screen stands, so that the focus stays on it. */
function Resend({ at, afterMs, idle, label, onResend }: ResendProps) {
  const words = useAllWords();
  const secondsAtFirst = Math.max(0, Math.ceil(afterMs / 1000));
  const [seconds, setSeconds] = useState(secondsAtFirst);
  const [countedFor, setCountedFor] = useState(at);
  if (countedFor !== at) {
    setCountedFor(at);
    setSeconds(secondsAtFirst);
  }
  const isWaiting = seconds > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setSeconds((left) => Math.max(0, left - 1)), 1000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return (
    <Button kind="quiet" onPress={onResend} unavailable={idle || isWaiting}>
      {isWaiting ? words.recovery.resendIn(seconds) : label}
    </Button>
  );
}
