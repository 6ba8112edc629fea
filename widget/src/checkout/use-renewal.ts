import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { HostMessage } from "../../embed/protocol.ts";
import type { Host } from "./use-host.ts";

/** How to get a fresh token from the embedding page. */
export interface Renewal {
  readonly state: "idle" | "asking" | "failed";
  readonly ask: () => void;
  readonly take: (message: Extract<HostMessage, { type: "token" }>) => Promise<void>;
}

/** How long the embedding page may take to provide a fresh token. */
const RENEWAL_TIMEOUT_MS = 15_000;

/**
 * In the URL of a page that was opened with a fresh token, so that it is not renewed again if that token has expired
 * too.
 */
export const RENEWED = "#renewed";

export interface RenewalOptions {
  /** Requests a fresh token without a press, once. If none comes, the screen stays the same. */
  readonly isExpired: boolean;
  /** Returns false for an unusable token. */
  readonly takeToken: (token: string) => Promise<boolean>;
}

/** Requests a fresh token from the embedding page, and reports the progress. */
export function useRenewal({ isHeard, say }: Host, { isExpired, takeToken }: RenewalOptions): Renewal {
  const [state, setState] = useState<Renewal["state"]>("idle");
  /** The patient did not request it, so a failure is not reported. */
  const isUnprompted = useRef(false);
  useEffect(() => {
    if (state !== "asking") return;
    const timer = setTimeout(() => setState(isUnprompted.current ? "idle" : "failed"), RENEWAL_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [state]);
  function request(unprompted: boolean): void {
    isUnprompted.current = unprompted;
    setState("asking");
    say({ type: "request_token", payload: {} });
  }
  const requestUnprompted = useEffectEvent(() => request(true));
  useEffect(() => {
    if (isExpired && isHeard && location.hash !== RENEWED) requestUnprompted();
  }, [isExpired, isHeard]);
  return {
    state,
    ask: () => request(false),
    take: async ({ payload: { widget_token: token } }) => {
      const isTaken = token !== null && (await takeToken(token));
      setState(isTaken || isUnprompted.current ? "idle" : "failed");
    },
  };
}
