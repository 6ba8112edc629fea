import type { Renewal } from "../../checkout/use-renewal.ts";
import { Notice } from "../../design/notice.tsx";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { MessageScreen } from "./message-screen.tsx";

export interface ExpiredScreenProps {
  readonly words: ProblemWords;
  /** Null where there is no page around that could make a fresh token. */
  readonly renewal: Renewal | null;
}

/** A token whose time is over: the way on is a fresh one, where the page around can make it. */
export function ExpiredScreen({ words, renewal }: ExpiredScreenProps) {
  const { expiry } = useAllWords();
  const action =
    renewal === null ? null : { label: expiry.renew, onPress: renewal.ask, pending: renewal.state === "asking" };
  return (
    <MessageScreen words={words} icon="clock" action={action}>
      {renewal?.state === "failed" ? (
        <Notice tone="warning" role="alert">
          <p>{expiry.failed}</p>
        </Notice>
      ) : null}
    </MessageScreen>
  );
}
