import { useEffect, useRef } from "react";
import { type Answer, isDefinite } from "../../api/problem.ts";
import { pauseAfter } from "../payment-run.ts";
import type { StepParts } from "../step-context.ts";

export interface PageInquiry<Told> {
  /** Asks what came of it, and never begins anything. */
  readonly inquire: () => Promise<Answer<Told>>;
  /** Whether nothing more is to be waited for. */
  readonly isEnd: (told: Told) => boolean;
  readonly onTold: (answer: Answer<Told>) => void;
  readonly wait: StepParts["wait"];
}

/**
 * Asks beside the patient's own steps how the page of another has ended, where no page tells it: it is in a tab, or was
 * left and may be gone on with elsewhere. `stop` drops what is asked, once the patient does something themselves.
 */
export function usePageInquiry<Told>({ inquire, isEnd, onTold, wait }: PageInquiry<Told>) {
  const running = useRef<object | null>(null);
  useEffect(
    () => () => {
      running.current = null;
    },
    [],
  );
  const stop = (): void => {
    running.current = null;
  };
  async function start(): Promise<void> {
    const own = {};
    running.current = own;
    for (let asked = 0; running.current === own; asked += 1) {
      const answer = await inquire();
      if (running.current !== own) return;
      if (answer.ok ? isEnd(answer.value) : isDefinite(answer.problem)) {
        running.current = null;
        onTold(answer);
        return;
      }
      await wait(pauseAfter(asked));
    }
  }
  return { start: () => void start(), stop };
}
