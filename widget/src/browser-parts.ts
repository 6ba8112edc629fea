import { createCheckoutApi } from "./api/checkout-api.ts";
import { browserTransport } from "./api/request.ts";
import { randomKey } from "./checkout/attempt-key.ts";
import type { VisitParts } from "./checkout/checkout-visit.tsx";
import { createSessionClock } from "./checkout/session-clock.ts";

/** Resolves after that long, or as soon as the network is back. */
function waitOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      resolve();
    }
    window.addEventListener("online", end);
  });
}

/** The real parts of a visit, in a browser. `serverTime` is the server's, as it came with the page. */
export function createBrowserParts(serverTime: string): VisitParts {
  return {
    api: createCheckoutApi(browserTransport),
    clock: createSessionClock(serverTime),
    wait: waitOrOnline,
    newKey: randomKey,
    loadSeal: async () => (await import("./api/seal.ts")).seal,
    loadLater: async () => (await import("./steps/later-steps.tsx")).LaterSteps,
    loadWarningMs: async () => (await import("./api/answers.ts")).EXPIRY_WARNING_MS,
    place: {
      read: () => location.hash.slice(1),
      write: (step) => history.replaceState(history.state, "", `${location.search}#${step}`),
    },
    keepToken: (token) => history.replaceState(history.state, "", `${searchWith(token)}${location.hash}`),
  };
}

/** The page's own query with another token. */
export function searchWith(token: string): string {
  const query = new URLSearchParams(location.search);
  query.set("widget_token", token);
  return `?${query}`;
}
