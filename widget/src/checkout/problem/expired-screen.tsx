import { Notice } from "../../design/notice.tsx";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import type { Renewal } from "../use-renewal.ts";
import { MessageScreen } from "./message-screen.tsx";

export interface ExpiredScreenProps {
  readonly words: ProblemWords;
  readonly providerName: string;
  /** Null if there is no embedding page to mint a fresh token. */
  readonly renewal: Renewal | null;
  /** Null if there is nowhere to return to. */
  readonly onClose: (() => void) | null;
}

/** An expired token: offers a fresh one if the embedding page can mint it, otherwise the way back. */
export function ExpiredScreen({ words, providerName, renewal, onClose }: ExpiredScreenProps) {
  const { expiry, done } = useAllWords();
  const back = onClose === null ? null : { label: done.return(providerName), onPress: onClose };
  const action =
    renewal === null ? back : { label: expiry.renew, onPress: renewal.ask, pending: renewal.state === "asking" };
  return (
    <MessageScreen words={words} icon="clock" action={action}>
      {renewal?.state === "failed" ? (
        <Notice tone="warning" role="alert">
          <p>
            {expiry.failed} {expiry.reopen}
          </p>
        </Notice>
      ) : null}
    </MessageScreen>
  );
}
