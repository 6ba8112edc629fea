import type { ShownPage } from "bff/contract/orders";
import { type MouseEvent, type SyntheticEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../design/button.tsx";
import { PAGE_ENDED } from "../../return/messages.ts";
import { openPage, pageTarget } from "../../return/open-page.ts";
import { forgetWayBack, rememberWayBack } from "../../return/way-back.ts";
import type { ChallengeWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import type { StepParts } from "../step-context.ts";
import styles from "./challenge-dialog.module.css";

export interface ChallengeDialogProps {
  /** `window`: the page cannot be framed, and the patient's press opens it. */
  readonly page: Pick<ShownPage, "url" | "display">;
  /** The press that asked for the page has opened it. */
  readonly isInTab?: boolean;
  /** The bank's page has ended; the outcome is requested from the service. */
  readonly onEnded: () => void;
  readonly onLeft: () => void;
  /** The patient has opened the bank's page in a tab, which reports no end. */
  readonly onOpenedInTab: () => void;
  readonly wait: StepParts["wait"];
  /** The texts around the page, if it is not the bank's. */
  readonly texts?: ChallengeWords;
}

/** The time after which a page that has not reported to be usable is late, or refuses to be framed. */
const SHOWN_WITHIN_MS = 10_000;

/**
 * The processor's page in a modal dialog: the authentication page, which contains the bank's page, or the page for
 * entering a card. The dialog is the browser's own, so that focus stays in it and comes back.
 */
export function ChallengeDialog({
  page: { url, display },
  isInTab,
  onEnded,
  onLeft,
  onOpenedInTab,
  wait,
  texts,
}: ChallengeDialogProps) {
  const { paying } = useAllWords();
  const words = texts ?? paying.challenge;
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [bank, setBank] = useState<"awaited" | "shown" | "unseen" | "in_tab">(
    isInTab ? "in_tab" : display ? "unseen" : "awaited",
  );
  const [target, setTarget] = useState(() => pageTarget(window));

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      forgetWayBack(window);
    };
  }, []);

  useEffect(() => {
    const origin = new URL(url, location.href).origin;
    function receive({ source, origin: from, data }: MessageEvent<unknown>): void {
      const isFromChallenge = from === origin && source !== null && source === frame.current?.contentWindow;
      // Our return page sends it too: from a tab, or from this frame at any depth.
      if (data === PAGE_ENDED && (isFromChallenge || from === location.origin)) onEnded();
      if (data === CHALLENGE_SHOWN_MESSAGE && isFromChallenge)
        setBank((before) => (before === "in_tab" ? before : "shown"));
    }
    window.addEventListener("message", receive);
    return () => window.removeEventListener("message", receive);
  }, [url, onEnded]);

  useEffect(() => {
    let isOver = false;
    void wait(SHOWN_WITHIN_MS).then(() => {
      if (!isOver) setBank((before) => (before === "awaited" ? "unseen" : before));
    });
    return () => {
      isOver = true;
    };
  }, [wait]);

  function openInTab(event: MouseEvent): void {
    setBank("in_tab");
    onOpenedInTab();
    if (target === "_top") {
      rememberWayBack(window, { isInPlace: true });
      return;
    }
    event.preventDefault();
    if (openPage(window, url)) return;
    // If no tab was opened, the next press navigates instead. A tab of another origin that was opened takes the focus.
    setTarget("_top");
    window.addEventListener("blur", () => setTarget("_blank"), { once: true });
  }

  function leave(event: SyntheticEvent) {
    event.preventDefault();
    onLeft();
  }

  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="challenge-title" onCancel={leave}>
      <div className={styles.inside}>
        <div className={styles.head}>
          <h2 id="challenge-title">{words.title}</h2>
          <p>{words.text}</p>
        </div>
        {display ? null : (
          <iframe
            ref={frame}
            className={styles.frame}
            src={url}
            title={words.title}
            sandbox="allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="no-referrer"
          />
        )}
        <div className={styles.foot}>
          <p role="status">{bank === "in_tab" ? words.inTab : null}</p>
          {bank === "awaited" || bank === "shown" ? null : (
            <p>
              {display ? null : `${words.unseen} `}
              <a href={url} target={target} rel="noopener noreferrer" onClick={openInTab}>
                {words.openTab}
              </a>
            </p>
          )}
          <Button kind="quiet" onPress={onLeft}>
            {words.leave}
          </Button>
        </div>
      </div>
    </dialog>
  );
}

/** Sent by the processor's page when the bank's page is usable. */
const CHALLENGE_SHOWN_MESSAGE = "aapd:challenge-shown";
