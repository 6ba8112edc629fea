import { useEffect, useState } from "react";
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

/** Asks the page around for a fresh token, and says how that goes. `takeToken`: false for one that does not serve. */
export function useRenewal(say: Host["say"], takeToken: (token: string) => Promise<boolean>): Renewal {
  const [state, setState] = useState<Renewal["state"]>("idle");
  useEffect(() => {
    if (state !== "asking") return;
    const timer = setTimeout(() => setState("failed"), RENEWAL_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return {
    state,
    ask: () => {
      setState("asking");
      say({ type: "request_token", payload: {} });
    },
    take: async ({ payload: { widget_token: token } }) => {
      const isTaken = token !== null && (await takeToken(token));
      setState(isTaken ? "idle" : "failed");
    },
  };
}
