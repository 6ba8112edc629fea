import type { ChallengeAction } from "bff/contract/orders";
import { useEffect, useRef } from "react";
import { type Answer, isDefinite, type Problem } from "../api/problem.ts";
import { pauseAfter } from "../checkout/payment-run.ts";
import type { SelfServiceParts } from "./link-page.ts";

/** The answer of a call by a link after which the card's issuer may ask the patient first. */
export interface MayAsk {
  readonly status: "requires_action" | "processing" | string;
  readonly action?: ChallengeAction | undefined;
}

export interface IssuerInquiry<Told extends MayAsk> {
  /** Asks what came of it, and never begins anything. */
  readonly inquire: () => Promise<Answer<Told>>;
  readonly onTold: (answer: Answer<Told>) => void;
  readonly wait: SelfServiceParts["wait"];
}

/**
 * Asks beside the patient's own steps how the issuer's challenge has ended, where no page tells it: it is in a tab, or was
 * left and may be confirmed in the bank's app. `stop` drops what is asked, once the patient does something themselves.
 */
export function useIssuerInquiry<Told extends MayAsk>({ inquire, onTold, wait }: IssuerInquiry<Told>) {
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
      if (isEnd(answer)) {
        running.current = null;
        onTold(answer);
        return;
      }
      await wait(pauseAfter(asked));
    }
  }
  return { start: () => void start(), stop };
}

function isEnd(answer: Answer<MayAsk>): boolean {
  if (!answer.ok) return isDefinite(answer.problem);
  return answer.value.status !== "requires_action" && answer.value.status !== "processing";
}

/** True for a card whose patient did not pass the issuer's challenge: nothing was charged, and no mail tells of it. */
export function isNotConfirmed(problem: Problem | null): boolean {
  const reason = problem?.kind === "refused" ? problem.additions.decline_reason : undefined;
  return reason === "authentication_failed" || reason === "authentication_abandoned";
}
