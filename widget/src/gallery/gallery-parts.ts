import { EXPIRY_WARNING_MS } from "../api/answers.ts";
import type { VisitParts } from "../checkout/checkout-visit.tsx";
import { createSessionClock } from "../checkout/session-clock.ts";
import { LaterSteps } from "../steps/later-steps.tsx";
import { SERVER_TIME } from "./recorded-answers.ts";

/** Nothing is asked of anybody in the gallery: what a press would start never comes to an end. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** The parts of a visit that stands still, at the moment at which its answers were recorded. */
export function createGalleryParts(): VisitParts {
  return {
    clock: createSessionClock(SERVER_TIME, () => 0),
    connect: () => ({ framed: false, send: () => undefined, close: () => undefined }),
    readSession: never,
    loadCommands: never,
    loadLater: async () => LaterSteps,
    loadWarningMs: async () => EXPIRY_WARNING_MS,
    place: { read: () => "", write: () => undefined },
    keepToken: () => undefined,
  };
}
