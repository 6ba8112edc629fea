import { type ComponentType, useCallback, useEffect, useState } from "react";
import type { Problem } from "../api/problem.ts";
import type { FirstWords } from "../words/words.ts";
import type { CodeCallsProps } from "./recognition/code-calls.tsx";
import type { StepContext } from "./step-context.ts";
import type { Checkout } from "./use-checkout.ts";
import type { Renewal } from "./use-renewal.ts";
import type { Visit } from "./visit.ts";

export interface StepScreensProps {
  readonly checkout: Checkout;
  readonly context: StepContext;
  /** Null if there is no embedding page to mint a fresh token. */
  readonly renewal: Renewal | null;
  /** Null if there is nowhere to return to. */
  readonly onClose: (() => void) | null;
}

/** The screens after the first, their shared context, and the inquiry about an earlier visit's payment. */
export interface LoadedSteps {
  readonly Screens: ComponentType<StepScreensProps>;
  readonly CodeCalls: ComponentType<CodeCallsProps>;
  /** Whether a step of the patient is running. */
  readonly pending: { readonly subscribe: (listener: () => void) => () => void; readonly read: () => boolean };
  readonly codeProblem: (problem: Problem, words: FirstWords) => string;
  readonly context: StepContext;
  readonly inquire: (context: StepContext, since: "opened") => Promise<void>;
}

export type StepScreensLoading =
  | { readonly is: "loading" }
  | { readonly is: "ready"; readonly steps: LoadedSteps }
  | { readonly is: "failed"; readonly retry: () => void };

export type LoadSteps = (visit: Visit) => Promise<LoadedSteps>;

/**
 * Loads the later screens while the patient reads the first, and again on demand after a failure.
 *
 * Some browsers (Firefox, older Chrome) cache a failed module until the page is closed. `reopen` then reloads the page,
 * or rejects. Another address for the module does not help: the import map has only this one's hash.
 */
export function useStepScreens(load: LoadSteps, visit: Visit, reopen: () => Promise<never>): StepScreensLoading {
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<LoadedSteps | "failed" | null>(null);
  const retry = useCallback(() => {
    setLoaded(null);
    setAttempt((count) => count + 1);
  }, []);

  useEffect(() => {
    let isOver = false;
    const loading = attempt === 0 ? load(visit) : load(visit).catch(reopen);
    loading.then(
      (steps) => {
        if (!isOver) setLoaded(steps);
      },
      () => {
        if (!isOver) setLoaded("failed");
      },
    );
    return () => {
      isOver = true;
    };
  }, [load, visit, reopen, attempt]);

  if (loaded === null) return { is: "loading" };
  return loaded === "failed" ? { is: "failed", retry } : { is: "ready", steps: loaded };
}
