import { type ReactNode, useRef, useState } from "react";
import { Button } from "../design/button.tsx";
import { Notice } from "../design/notice.tsx";
import { useWords } from "../words/words-context.tsx";

/** The embedding page closes its dialog. If the patient has typed in a form, the checkout asks first. */
export function useLeaving(isForm: boolean, leave: () => void) {
  const { leaving } = useWords();
  const [isAsked, setAsked] = useState(false);
  const hasTyped = useRef(false);
  const question: ReactNode =
    isAsked && isForm ? (
      <Notice ref={focus} tone="warning" role="alert" title={leaving.title}>
        <Button onPress={() => setAsked(false)}>{leaving.stay}</Button>
        <Button kind="quiet" onPress={leave}>
          {leaving.leave}
        </Button>
      </Notice>
    ) : null;
  return {
    question,
    ask: () => (isForm && hasTyped.current ? setAsked(true) : leave()),
    noteTyping: () => {
      hasTyped.current = true;
    },
  };
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}
