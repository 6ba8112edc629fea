import { useEffect, useRef } from "react";
import { type Answer, isDefinite } from "../../api/problem.ts";
import { pauseAfter } from "../payment-run.ts";
import type { StepParts } from "../step-context.ts";

export interface PageInquiry<Outcome> {
  /** Requests the outcome. Has no side effects. */
  readonly inquire: () => Promise<Answer<Outcome>>;
  /** Whether the outcome is final. */
  readonly isEnd: (outcome: Outcome) => boolean;
  readonly onOutcome: (answer: Answer<Outcome>) => void;
  readonly wait: StepParts["wait"];
}

/**
 * Polls for the outcome of an external page (issuer or card processor) that cannot report its end. The page is in a
 * tab, or the patient left it and may finish elsewhere. Call `stop` when the patient takes another action.
 */
export function usePageInquiry<Outcome>({ inquire, isEnd, onOutcome, wait }: PageInquiry<Outcome>) {
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
        onOutcome(answer);
        return;
      }
      await wait(pauseAfter(asked));
    }
  }
  return { start: () => void start(), stop };
}
