import { emailSchema } from "bff/contract/vocabulary/email";
import * as z from "zod/mini";
import { ScreenTitle } from "../../design/screen-title.tsx";
import { EmailField } from "../../form/fields.tsx";
import { Fields, FormShell } from "../../form/form-shell.tsx";
import { useRefusedField, useStepForm, validatedText } from "../../form/step-form.ts";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import type { Collision, SentCode } from "../checkout-state.ts";
import { CodeStep, type CodeStepProps } from "../code/code-step.tsx";
import { SerialField } from "../identity/document-fields.tsx";
import { serialSchema, tidySerial } from "../identity/serial.ts";
import { ArrivingNotice } from "../problem/arriving-notice.tsx";
import styles from "./recovery-steps.module.css";
import { RECOVERY_WORDS, type RecoveryWords } from "./recovery-words.ts";

function useRecoveryWords(): RecoveryWords {
  return RECOVERY_WORDS[useAllWords().locale];
}

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

/** The RUT is registered with another e-mail: the ways for its owner to continue. */
export function RecoveryWays(props: RecoveryWaysProps) {
  const recovery = useRecoveryWords();
  const { collision, pending } = props;
  return (
    <div className={styles.screen}>
      <ScreenTitle title={recovery.title} intro={recovery.intro(collision.emailHint)} />
      <ArrivingNotice words={props.problem} />
      <div className={styles.ways} aria-busy={pending}>
        {collision.ways.includes("email_code") ? (
          <Way
            title={recovery.byCode}
            text={recovery.byCodeText(collision.emailHint)}
            idle={pending}
            onPress={props.onEmailCode}
          />
        ) : null}
        {collision.ways.includes("identity") ? (
          <Way title={recovery.byIdentity} text={recovery.byIdentityText} idle={pending} onPress={props.onIdentity} />
        ) : null}
        <Way
          title={recovery.mistyped}
          text={props.rutIsFixed ? recovery.mistypedFixed(props.providerName) : recovery.mistypedText}
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
  /** Whether the service refused the serial itself. */
  readonly serialIsRefused: boolean;
  readonly email: string;
  readonly onSubmit: (serial: string, email: string) => void;
  readonly onBack: () => void;
}

export function RecoveryIdentity(props: RecoveryIdentityProps) {
  const words = useAllWords();
  const recovery = useRecoveryWords();
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
  const submit = (typed: HTMLFormElement) =>
    sendIfValid(typed, (values) => props.onSubmit(values.document_serial, values.email));
  return (
    <FormShell
      title={recovery.identityTitle}
      intro={recovery.identityIntro}
      action={recovery.identityAction}
      pending={props.pending}
      faults={faults}
      refused={refused}
      problem={props.problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={props.onBack}
      note={recovery.notice}
    >
      <Fields>
        <SerialField field={field("document_serial", tidySerial)} />
        <EmailField field={field("email")} label={recovery.newEmail} hint={recovery.newEmailHint} />
      </Fields>
    </FormShell>
  );
}

export interface RecoveryCodeProps extends Omit<CodeStepProps, "texts" | "resendAt" | "onBack"> {
  readonly sent: SentCode;
  /** Undefined if the code is the only way. */
  readonly onOtherWay: (() => void) | undefined;
}

export function RecoveryCode({ sent, onOtherWay, ...code }: RecoveryCodeProps) {
  const words = useRecoveryWords();
  return (
    <CodeStep
      {...code}
      texts={{
        title: words.codeTitle,
        intro: words.codeIntro(sent.sentTo),
        hint: words.codeHint,
        resent: words.resent,
      }}
      resendAt={sent.resendAt}
      onBack={onOtherWay}
    />
  );
}
