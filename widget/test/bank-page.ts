import { act } from "@testing-library/react";

/** The bank's page of a challenge, which tests never load. */
export const URL_OF_BANK = "https://bank.example/challenge/1";

/** The action in the service's answer. */
export const CHALLENGE_ACTION = {
  type: "challenge",
  url: URL_OF_BANK,
  expires_at: "2026-11-21T15:30:00.000Z",
} as const;

/** Stands for the page's window. */
const bank = new MessageChannel().port1;

/** Sends a message from that page, or another one, to the window around it. */
export function sayFromBank(data: unknown, origin = "https://bank.example", source?: Window): void {
  const frame = document.querySelector("iframe");
  if (frame !== null) Object.defineProperty(frame, "contentWindow", { value: bank, configurable: true });
  const from = source === undefined ? bank : source;
  act(() => {
    window.dispatchEvent(new MessageEvent("message", { data, origin, source: from }));
  });
}

/** A tab that shows the bank's page. No other page can read its address. */
export function tabOfBank(): Window {
  const tab = { opener: window, closed: true, postMessage: () => undefined };
  Object.defineProperty(tab, "location", {
    configurable: true,
    get: () => {
      throw new DOMException("blocked", "SecurityError");
    },
  });
  return tab as unknown as Window;
}
