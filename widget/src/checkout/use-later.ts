import { type ComponentType, useCallback, useEffect, useState } from "react";
import type { LaterStepsProps } from "../steps/later-steps.tsx";

export type Later =
  | { readonly is: "loading" }
  | { readonly is: "ready"; readonly Steps: ComponentType<LaterStepsProps> }
  | { readonly is: "failed"; readonly retry: () => void };

export type LoadLater = () => Promise<ComponentType<LaterStepsProps>>;

/** The screens after the first: they come while the patient reads, and again when that failed and they are needed. */
export function useLater(load: LoadLater): Later {
  const [attempt, setAttempt] = useState(0);
  const [later, setLater] = useState<ComponentType<LaterStepsProps> | "failed" | null>(null);
  const retry = useCallback(() => {
    setLater(null);
    setAttempt((count) => count + 1);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` is what starts the loading again.
  useEffect(() => {
    let isOver = false;
    load().then(
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
  }, [load, attempt]);

  if (later === null) return { is: "loading" };
  return later === "failed" ? { is: "failed", retry } : { is: "ready", Steps: later };
}
