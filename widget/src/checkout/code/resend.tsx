import { CODE_RESEND_PAUSE_SECONDS } from "bff/contract/terms";
import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "../../design/button.tsx";
import { useWords } from "../../words/words-context.tsx";

interface ResendProps {
  /** When another code can be requested, in server time; null for at once. */
  readonly at: number | null;
  readonly now: () => number;
  readonly idle: boolean;
  /** Null for no button. */
  readonly label: string | null;
  readonly onResend: () => void;
}

/** The seconds until another code can be requested, and then the button for it. */
export function Resend({ at, now, idle, label, onResend }: ResendProps) {
  const words = useWords();
  // This page's clock lags behind the server's by the duration of an answer, so the pause is also an upper limit.
  const left = () => (at === null ? 0 : Math.min(Math.ceil((at - now()) / 1_000), CODE_RESEND_PAUSE_SECONDS));
  const [seconds, setSeconds] = useState(left);
  const [countedFor, setCountedFor] = useState(at);
  if (countedFor !== at) {
    setCountedFor(at);
    setSeconds(left());
  }
  const isWaiting = seconds > 0;
  const count = useEffectEvent(() => setSeconds(left()));
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(count, 1_000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  if (isWaiting) return <span>{words.code.resendIn(seconds)}</span>;
  if (label === null) return null;
  return (
    <Button kind="quiet" onPress={onResend} unavailable={idle}>
      {label}
    </Button>
  );
}
