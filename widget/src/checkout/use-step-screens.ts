import { type ComponentType, useCallback, useEffect, useState } from "react";
import type { StepScreensProps } from "../steps/step-screens.tsx";

export type Later =
  | { readonly is: "loading" }
  | { readonly is: "ready"; readonly Steps: ComponentType<StepScreensProps> }
  | { readonly is: "failed"; readonly retry: () => void };

export type LoadStepScreens = () => Promise<ComponentType<StepScreensProps>>;

/**
 * The screens after the first: they come while the patient reads, and again when that failed and they are needed. Some
 * browsers (Firefox, older Chrome) take a module that was lost for lost as long as the page is open, and ask for it no more:
 * then `reopen` opens the page anew, and rejects where that cannot be done. A changed address would be asked for, but the
 * page's import map holds no hash of it.
 */
export function useStepScreens(load: LoadStepScreens, reopen: () => Promise<never>): Later {
  const [attempt, setAttempt] = useState(0);
  const [later, setLater] = useState<ComponentType<StepScreensProps> | "failed" | null>(null);
  const retry = useCallback(() => {
    setLater(null);
    setAttempt((count) => count + 1);
  }, []);

  useEffect(() => {
    let isOver = false;
    const loaded = attempt === 0 ? load() : load().catch(reopen);
    loaded.then(
      (Steps) => {
        if (!isOver) setLater(() => Steps);
      },
      () => {
        if (!isOver) setLater("failed");
      },
    );
    return () => {
      isOver = true;
    };
  }, [load, reopen, attempt]);

  if (later === null) return { is: "loading" };
  return later === "failed" ? { is: "failed", retry } : { is: "ready", Steps: later };
}
