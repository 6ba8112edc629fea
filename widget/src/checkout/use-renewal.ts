import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { HostMessage } from "../../embed/protocol.ts";
import type { Host } from "./use-host.ts";

/** How a fresh token is had from the page around. */
export interface Renewal {
  readonly state: "idle" | "asking" | "failed";
  readonly ask: () => void;
  readonly take: (message: Extract<HostMessage, { type: "token" }>) => Promise<void>;
}

/** How long the page around may take to make a fresh token. */
const RENEWAL_TIMEOUT_MS = 15_000;

/** In the address of a page that was opened with a fresh token, so that one that has ended too is not renewed again. */
export const RENEWED = "#renewed";

export interface RenewalOptions {
  /** Requests a fresh token without a press, once. If none comes, the screen stays the same. */
  readonly isExpired: boolean;
  /** False for a token that does not serve. */
  readonly takeToken: (token: string) => Promise<boolean>;
}

/** Requests a fresh token from the page around, and reports how that goes. */
export function useRenewal({ isHeard, say }: Host, { isExpired, takeToken }: RenewalOptions): Renewal {
  const [state, setState] = useState<Renewal["state"]>("idle");
  /** No press has asked, so that a failure is nothing to report. */
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
