import { CODE_DIGITS } from "bff/contract/terms";
import { emailSchema } from "bff/contract/vocabulary/email";
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import type { Collision, SentCode } from "../../checkout/checkout-state.ts";
import { Button } from "../../design/button.tsx";
import { ScreenTitle } from "../../design/screen-title.tsx";
import { EmailField, TextField } from "../../form/fields.tsx";
import { Fields, FormShell } from "../../form/form-shell.tsx";
import { useRefusedField, useStepForm, validatedText } from "../../form/step-form.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { SerialField, serialSchema, tidySerial } from "../identity/identity-step.tsx";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
import styles from "./recovery-steps.module.css";

export interface RecoveryWaysProps {
  readonly collision: Collision;
  readonly providerName: string;
  readonly rutIsFixed: boolean;
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  readonly onEmailCode: () => void;
  readonly onIdentity: () => void;
  readonly onMistyped: () => void;
}

/** The RUT is known under another e-mail: the ways in which its owner can go on. */
export function RecoveryWays(props: RecoveryWaysProps) {
  const words = useAllWords();
  const { collision, pending } = props;
  return (
    <div className={styles.screen}>
      <ScreenTitle title={words.recovery.title} intro={words.recovery.intro(collision.emailHint)} />
      <ArrivingNotice words={props.problem} />
      <div className={styles.ways} aria-busy={pending}>
        {collision.ways.includes("email_code") ? (
          <Way
            title={words.recovery.byCode}
            text={words.recovery.byCodeText(collision.emailHint)}
            idle={pending}
            onPress={props.onEmailCode}
          />
        ) : null}
        {collision.ways.includes("identity") ? (
          <Way
            title={words.recovery.byIdentity}
            text={words.recovery.byIdentityText}
            idle={pending}
            onPress={props.onIdentity}
          />
        ) : null}
        <Way
          title={words.recovery.mistyped}
          text={props.rutIsFixed ? words.recovery.mistypedFixed(props.providerName) : words.recovery.mistypedText}
          idle={pending}
          onPress={props.onMistyped}
        />
      </div>
    </div>
  );
}

interface WayProps {
  readonly title: string;
  readonly text: string;
  readonly idle: boolean;
  readonly onPress: () => void;
}

function Way({ title, text, idle, onPress }: WayProps) {
  return (
    <button
      type="button"
      className={styles.way}
      aria-disabled={idle || undefined}
      onClick={() => (idle ? undefined : onPress())}
    >
      <strong>{title}</strong>
      <span>{text}</span>
    </button>
  );
}

const identitySchema = z.object({
  document_serial: serialSchema(),
  email: validatedText((text) => {
    if (text.trim() === "") return "email_missing";
    return emailSchema.safeParse(text).success ? null : "email_malformed";
  }),
});

export interface RecoveryIdentityProps {
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** The service refused the serial, rather than anything else. */
  readonly serialIsRefused: boolean;
  readonly email: string;
  readonly onSubmit: (serial: string, email: string) => void;
  readonly onBack: () => void;
}

export function RecoveryIdentity(props: RecoveryIdentityProps) {
  const words = useAllWords();
  const { form, field, faults, attempt, sendIfValid } = useStepForm<z.infer<typeof identitySchema>>({
    schema: identitySchema,
    defaults: { document_serial: "", email: props.email },
    order: ["document_serial", "email"],
    words,
  });
  const refused = useRefusedField(form, words, {
    name: "document_serial",
    label: words.identity.serial,
    isRefused: props.serialIsRefused,
  });
  const submit = () => sendIfValid((values) => props.onSubmit(values.document_serial, values.email));
  return (
    <FormShell
      title={words.recovery.identityTitle}
      intro={words.recovery.identityIntro}
      action={words.recovery.identityAction}
      pending={props.pending}
      faults={faults}
      refused={refused}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onBack}
      note={words.recovery.notice}
    >
      <Fields>
        <SerialField field={field("document_serial", tidySerial)} />
        <EmailField field={field("email")} label={words.recovery.newEmail} hint={words.recovery.newEmailHint} />
      </Fields>
    </FormShell>
  );
}

function readCode(text: string): string {
  return text.normalize("NFKC").replace(/[\s-]/g, "");
}

const codeSchema = z.object({
  code: validatedText((text) => {
    const code = readCode(text);
    if (code === "") return "code_missing";
    return /^\d+$/.test(code) && code.length === CODE_DIGITS ? null : "code_malformed";
  }),
});

export interface RecoveryCodeProps {
  readonly sent: SentCode;
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** The service refused the code, rather than anything else. */
  readonly codeIsRefused: boolean;
  /** Milliseconds until another code may be asked for, when the last one was sent. */
  readonly resendAfterMs: number;
  readonly onSubmit: (code: string) => void;
  readonly onResend: () => void;
  /** Undefined where the code is the only way. */
  readonly onOtherWay: (() => void) | undefined;
}

export function RecoveryCode(props: RecoveryCodeProps) {
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
  const submit = () => sendIfValid((values) => props.onSubmit(readCode(values.code)));
  const { resendAt } = props.sent;
  const [firstResendAt] = useState(resendAt);
  const isAnother = resendAt !== firstResendAt;
  useEffect(() => {
    // What was typed was the code before.
    if (resendAt !== firstResendAt) form.reset();
  }, [form, resendAt, firstResendAt]);
  return (
    <FormShell
      title={words.recovery.codeTitle}
      intro={words.recovery.codeIntro(props.sent.sentTo)}
      action={words.recovery.codeAction}
      pending={props.pending}
      faults={faults}
      refused={refused}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onOtherWay}
    >
      <Fields>
        <TextField
          field={field("code")}
          label={words.recovery.code}
          hint={words.recovery.codeHint}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
        />
      </Fields>
      <div className={styles.resend}>
        <span role="status">{isAnother ? <span key={resendAt}>{words.recovery.resent}</span> : null}</span>
        <Resend at={resendAt} afterMs={props.resendAfterMs} idle={props.pending} onResend={props.onResend} />
      </div>
    </FormShell>
  );
}

interface ResendProps {
  /** Another one is another code, and the wait begins anew. */
  readonly at: number;
  readonly afterMs: number;
  readonly idle: boolean;
  readonly onResend: () => void;
}

/** One button for as long as the screen stands, so that the focus stays on it. */
function Resend({ at, afterMs, idle, onResend }: ResendProps) {
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
      {isWaiting ? words.recovery.resendIn(seconds) : words.recovery.resend}
    </Button>
  );
}
