import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Place } from "./checkout-state.ts";
import { entryOf, type StepHistory, stepOfEntry } from "./step-history.ts";
import { isReachable, isStepName, stepInVisit } from "./steps.ts";
import type { Checkout } from "./use-checkout.ts";

/** The traversal to the first entry takes milliseconds. The embedding page does not wait for one that never ends. */
const UNWOUND_WITHIN_MS = 500;

/**
 * The name of the screen in the history; null if Back and Forward change nothing, because a payment is in progress or
 * has ended.
 */
function screenOf(place: Place): string | null {
  switch (place.at) {
    case "step":
      return place.step;
    case "card_code":
    case "recovery":
    case "recovery_code":
    case "unsupported_insurer":
      return place.at;
    default:
      return null;
  }
}

/**
 * Writes one entry per screen, so that Back is one step back, and a reload opens the same step. Once the outcome is
 * known it returns to the entry in which the page was opened, so that Back leaves the checkout and never reopens the
 * payment. Returns whether that has happened. Only then may the embedding page receive the outcome, because it may add
 * entries too.
 */
export function useStepHistory({ state, facts, actions }: Checkout, history: StepHistory): boolean {
  const screen = screenOf(state.place);
  const isOver = state.place.at === "done" || state.place.at === "credit_refused";
  const [isUnwound, setUnwound] = useState(false);
  const isOpened = useRef(false);
  const index = useRef(0);

  const show = useEffectEvent((shown: string) => {
    const read = history.read();
    const remembered = isStepName(read) ? stepInVisit(read, state.steps) : null;
    const isFirst = !isOpened.current;
    isOpened.current = true;
    if (isFirst && remembered !== null && remembered !== shown && isReachable(remembered, state.steps, facts))
      return actions.open(remembered);
    const { entry, isNew } = entryOf(shown, history.entry(), !isFirst && history.hasActed());
    index.current = entry.index;
    if (isNew) history.push(entry);
    else history.replace(entry);
  });
  useEffect(() => {
    if (screen !== null) show(screen);
  }, [screen]);

  const follow = useEffectEvent(() => {
    const entry = history.entry();
    if (entry === null) return;
    const isBack = entry.index < index.current;
    index.current = entry.index;
    if (screen === null) {
      if (isOver && entry.index > 0 && history.isOnTop()) history.go(-entry.index);
      return;
    }
    const step = stepOfEntry(entry, { isBack, screen, steps: state.steps, facts });
    if (step === null) history.go(isBack ? -1 : 1);
    else actions.open(step);
  });
  useEffect(() => history.onTraversal(follow), [history]);

  useEffect(() => {
    if (!isOver) return;
    const entry = history.entry();
    const end = () => setUnwound(true);
    if (entry === null || entry.index === 0 || !history.isOnTop()) return end();
    const timer = setTimeout(end, UNWOUND_WITHIN_MS);
    const forget = history.onTraversal(end);
    history.go(-entry.index);
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, [isOver, history]);
  return isUnwound;
}
