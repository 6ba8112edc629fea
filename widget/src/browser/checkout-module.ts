import { EXPIRY_WARNING_MS } from "../api/answers.ts";
import { createCheckoutApi } from "../api/checkout-api.ts";
import { browserTransport } from "../api/request.ts";
import { seal } from "../api/seal.ts";
import { randomKey } from "../checkout/attempt-key.ts";
import type { SessionClock } from "../checkout/session-clock.ts";
import type { StepParts } from "../checkout/step-context.ts";
import { ProblemPage } from "../problem-page.tsx";
import { createSteps } from "../steps/step-screens.tsx";

const api = createCheckoutApi(browserTransport);

/** What the first screen does without: forms, calls and the screens of the steps, loaded as one piece while it is read. */
export const checkoutModule = {
  createSteps,
  ProblemPage,
  expiryWarningMs: EXPIRY_WARNING_MS,
  readSession: api.readSession,
  readOrder: api.readOrder,
  stepParts,
};

function stepParts(clock: SessionClock): StepParts {
  return { api, clock, wait: waitOrOnline, newKey: randomKey, seal };
}

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
