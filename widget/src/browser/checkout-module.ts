import { EXPIRY_WARNING_MS } from "../api/answers.ts";
import { createCheckoutApi } from "../api/checkout-api.ts";
import { browserTransport } from "../api/request.ts";
import { seal } from "../api/seal.ts";
import { randomKey } from "../checkout/attempt-key.ts";
import type { SessionClock } from "../checkout/session-clock.ts";
import type { ShownReports } from "../checkout/shown-reports.ts";
import type { StepParts } from "../checkout/step-context.ts";
import { createSteps } from "../checkout/step-screens.tsx";

/** For calls that send no consent. */
const reads = createCheckoutApi({ ...browserTransport, reported: () => Promise.resolve() });

/**
 * Code that the first screen does not need: forms, calls and the screens of the steps. Loaded as one chunk while the
 * patient reads.
 */
export const checkoutModule = {
  createSteps,
  expiryWarningMs: EXPIRY_WARNING_MS,
  readSession: reads.readSession,
  readOrder: reads.readOrder,
  makeFile: reads.makeFile,
  reportShown: reads.reportShown,
  stepParts,
  wait: waitOrOnline,
};

function stepParts(clock: SessionClock, { reported }: Pick<ShownReports, "reported">): StepParts {
  return {
    api: createCheckoutApi({ ...browserTransport, reported }),
    clock,
    wait: waitOrOnline,
    newKey: randomKey,
    seal,
  };
}

/** The network is back, or the patient is back from another tab. */
const BACK_EVENTS = ["online", "visibilitychange"];

/** Resolves after this time, or as soon as the network or the patient is back. */
function waitOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const event of BACK_EVENTS) window.removeEventListener(event, look);
      resolve();
    };
    const look = (): void => {
      if (!document.hidden) end();
    };
    const timer = setTimeout(end, ms);
    for (const event of BACK_EVENTS) window.addEventListener(event, look);
  });
}
