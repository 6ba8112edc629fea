import { type SyntheticEvent, useEffect, useRef } from "react";
import { Button } from "../../design/button.tsx";
import { useAllWords } from "../../words/words-context.tsx";
import styles from "./challenge-dialog.module.css";

export interface ChallengeDialogProps {
  readonly url: string;
  /** The bank's page has come to its end; what it decided is asked of the service. */
  readonly onEnded: () => void;
  readonly onLeft: () => void;
}

/**
 * Strong authentication: the processor's page in a modal dialog, the bank's page inside of that. The dialog is the
 * browser's own, so that focus stays in it and comes back.
 */
export function ChallengeDialog({ url, onEnded, onLeft }: ChallengeDialogProps) {
  const words = useAllWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  useEffect(() => {
    const origin = new URL(url, location.href).origin;
    function receive(event: MessageEvent<unknown>) {
      const isFromChallenge = event.source !== null && event.source === frame.current?.contentWindow;
      if (isFromChallenge && event.origin === origin && event.data === CHALLENGE_ENDED_MESSAGE) onEnded();
    }
    window.addEventListener("message", receive);
    return () => window.removeEventListener("message", receive);
  }, [url, onEnded]);

  function leave(event: SyntheticEvent) {
    event.preventDefault();
    onLeft();
  }

  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="challenge-title" onCancel={leave}>
      <div className={styles.inside}>
        <div className={styles.head}>
          <h2 id="challenge-title">{words.paying.challengeTitle}</h2>
          <p>{words.paying.challengeText}</p>
        </div>
        <iframe
          ref={frame}
          className={styles.frame}
          src={url}
          title={words.paying.challengeTitle}
          sandbox="allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox"
          referrerPolicy="no-referrer"
        />
        <div className={styles.foot}>
          <Button kind="quiet" onPress={onLeft}>
            {words.paying.challengeLeave}
          </Button>
        </div>
      </div>
    </dialog>
  );
}

/** What the processor's page says when the bank's has ended. It carries no outcome, since any page could say it. */
const CHALLENGE_ENDED_MESSAGE = "aapd:challenge-ended";
