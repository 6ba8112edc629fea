import { CODE_DIGITS } from "bff/contract/terms";
import { type ReactNode, type SubmitEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { Button } from "../../design/button.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useWords } from "../../words/words-context.tsx";
import styles from "./code-form.module.css";
import { Resend } from "./resend.tsx";

function readCode(text: string): string {
  return text.normalize("NFKC").replace(/[\s-]/g, "");
}

function isWhole(code: string): boolean {
  return /^\d+$/.test(code) && code.length === CODE_DIGITS;
}

const FIELD_ID = "field-code";

export interface CodeFormProps {
  readonly hint: string;
  /** Shown while a complete code is submitted automatically; absent if it never is. */
  readonly autoHint?: string;
  /** Announced: that a code was requested, and its destination. */
  readonly status: string | null;
  /** Announced in place of `status` after another code was requested. */
  readonly resent: string;
  readonly note?: string;
  /** On the button that requests a code; null where the field requests it. */
  readonly resend: string | null;
  readonly pending: boolean;
  /** A code can be sent to the service. */
  readonly ready: boolean;
  /** The service's answer to the last attempt, and what to do next. */
  readonly problem: string | null;
  /** The service refused the code itself. */
  readonly codeIsRefused: boolean;
  /** When another code can be requested, in server time; null if none was requested yet. */
  readonly resendAt: number | null;
  readonly now: () => number;
  /** Called when the field has the focus, possibly since before the scripts loaded. */
  readonly onReach?: () => void;
  readonly onSubmit: (code: string) => void;
  readonly onResend: () => void;
  /** The way back or forward, below the button. */
  readonly children?: ReactNode;
}

/**
 * A form for a one-time code, which is typed, pasted, or filled in by the browser. An error appears once, at the only
 * field.
 */
export function CodeForm(props: CodeFormProps) {
  const words = useWords();
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<"missing" | "malformed" | null>(null);
  const { pending, codeIsRefused, resendAt } = props;
  const isAnother = useAnother(resendAt, input);
  const auto = useAutoSubmit(props, input);

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (pending) return;
    const code = readCode(input.current?.value ?? "");
    setFault(code === "" ? "missing" : isWhole(code) ? null : "malformed");
    if (isWhole(code)) auto.send(code);
    else input.current?.focus();
  }
  function change(): void {
    setFault(null);
    auto.sendIfWhole();
  }
  const reach = useEffectEvent(() => props.onReach?.());
  useEffect(() => {
    if (document.activeElement === input.current) reach();
  }, []);
  useEffect(() => {
    if (!codeIsRefused || pending) return;
    // Selected, so that the next input replaces the refused code.
    input.current?.focus();
    input.current?.select();
  }, [codeIsRefused, pending]);

  return (
    <form className={styles.form} method="dialog" noValidate onSubmit={submit} aria-busy={pending}>
      <div>
        <TextField
          field={{
            id: FIELD_ID,
            fault: fault === null ? props.problem : words.code[fault],
            registration: { name: "code", ref: input, onChange: change, onFocus: () => props.onReach?.() },
          }}
          label={words.code.label}
          hint={auto.isOn && props.autoHint !== undefined ? props.autoHint : props.hint}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          look="code"
          announced
        />
        <div className={styles.resend}>
          <span role="status">
            {props.problem !== null ? null : isAnother ? <span key={resendAt}>{props.resent}</span> : props.status}
          </span>
          <Resend
            at={resendAt}
            now={props.now}
            idle={pending}
            label={props.resend}
            onResend={() => {
              // The countdown replaces the button, and the patient types the code next.
              input.current?.focus();
              props.onResend();
            }}
          />
        </div>
      </div>
      {props.note === undefined ? null : <p className={styles.note}>{props.note}</p>}
      <div className={styles.actions}>
        <Button kind="primary" type="submit" pending={pending}>
          {words.code.action}
        </Button>
        {props.children}
      </div>
    </form>
  );
}

type InputRef = React.RefObject<HTMLInputElement | null>;

/** Whether another code was requested after the first; that clears the input, which was for the earlier code. */
function useAnother(resendAt: number | null, input: InputRef): boolean {
  const [first, setFirst] = useState(resendAt);
  if (first === null && resendAt !== null) setFirst(resendAt);
  const isAnother = first !== null && resendAt !== first;
  useEffect(() => {
    if (isAnother && resendAt !== null && input.current !== null) input.current.value = "";
  }, [isAnother, resendAt, input]);
  return isAnother;
}

/** Submits a complete code automatically, once per requested code. Attempts are few, so further ones need a press. */
function useAutoSubmit(props: CodeFormProps, input: InputRef) {
  const { ready, pending, resendAt } = props;
  const sent = useRef("");
  // Counts codes whose request got no answer too, because they may have been sent.
  const [wentFor, setWentFor] = useState<number | null>();
  const isOn = props.autoHint !== undefined && wentFor !== resendAt;

  function send(code: string): void {
    sent.current = code;
    props.onSubmit(code);
  }
  function sendIfWhole(): void {
    const code = readCode(input.current?.value ?? "");
    if (!isOn || !ready || pending || !isWhole(code) || code === sent.current) return;
    setWentFor(resendAt);
    send(code);
  }
  const sendTyped = useEffectEvent(sendIfWhole);
  useEffect(() => {
    // A code may arrive before the answer to its request.
    if (ready && !pending) sendTyped();
  }, [ready, pending]);
  return { isOn, send, sendIfWhole };
}
