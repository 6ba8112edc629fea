import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from "react";
import { isCodeRefused, type Problem } from "../../api/problem.ts";
import { Button } from "../../design/button.tsx";
import { useWords } from "../../words/words-context.tsx";
import { CodeForm } from "../code/code-form.tsx";
import { UnloadedNotice } from "../problem/unloaded-notice.tsx";
import type { Checkout } from "../use-checkout.ts";
import type { StepScreensLoading } from "../use-step-screens.ts";
import type { CodeCalls } from "./code-calls.tsx";
import styles from "./known-code.module.css";

export interface KnownCodeProps {
  readonly checkout: Checkout;
  readonly loading: StepScreensLoading;
  readonly problem: Problem | null;
}

/**
 * The code of a patient who may be known. It looks the same for everyone. Touching the field requests a code. So a page
 * that is only opened or read sends no message, and patients need no extra button.
 */
export function KnownCode({ checkout, loading, problem }: KnownCodeProps) {
  const words = useWords();
  const { state, actions, isSeen } = checkout;
  const steps = loading.is === "ready" ? loading.steps : null;
  const calls = useRef<CodeCalls>(null);
  const pending = useSyncExternalStore(
    steps?.pending.subscribe ?? NOTHING_CHANGES,
    () => steps?.pending.read() ?? false,
    () => false,
  );
  const { asked } = state.recognition;
  const context = steps?.context ?? null;
  const [isReached, setReached] = useState(false);
  const [hasRequested, setRequested] = useState(asked !== null);
  const isStarting = isReached && isSeen && context !== null;
  const request = useEffectEvent(() => {
    if (hasRequested) return;
    setRequested(true);
    calls.current?.ask();
  });
  useEffect(() => {
    if (isStarting) request();
  }, [isStarting]);

  const { recognition } = words;
  const failed = asked === null && problem !== null;
  return (
    <section className={styles.code} aria-labelledby="known-code">
      <div>
        <h2 className={styles.heading} id="known-code">
          {recognition.title}
        </h2>
        <p className={styles.soft}>{recognition.text}</p>
      </div>
      {isReached && loading.is === "failed" ? <UnloadedNotice onRetry={loading.retry} /> : null}
      <CodeForm
        hint={hasRequested ? recognition.hint : recognition.request}
        {...(hasRequested && { autoHint: recognition.autoHint })}
        status={asked === null ? null : asked.isEarlier ? recognition.earlier : recognition.requested}
        resent={recognition.requestedAgain}
        note={recognition.note}
        resend={failed ? recognition.send : asked === null ? null : words.code.resend}
        pending={pending || (isReached && !hasRequested && loading.is === "loading")}
        ready={hasRequested && context !== null}
        problem={problem === null || steps === null ? null : steps.codeProblem(problem, words)}
        codeIsRefused={isCodeRefused(problem)}
        resendAt={asked?.resendAt ?? null}
        now={context?.clock.now ?? NEVER}
        onReach={() => setReached(true)}
        onSubmit={(code) => calls.current?.answer(code)}
        onResend={() => calls.current?.ask()}
      />
      {steps === null ? null : <steps.CodeCalls ref={calls} checkout={checkout} context={steps.context} />}
      <div className={styles.skip}>
        <p className={styles.soft}>{recognition.skipQuestion}</p>
        <Button onPress={actions.continue} unavailable={pending}>
          {recognition.skip}
        </Button>
      </div>
    </section>
  );
}

const NOTHING_CHANGES = () => () => undefined;

/** Nothing was requested before the clock existed. */
const NEVER = () => 0;
