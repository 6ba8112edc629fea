import { EXPIRY_WARNING_MS } from "../api/answers.ts";
import { createCheckoutApi } from "../api/checkout-api.ts";
import { browserTransport } from "../api/request.ts";
import { seal } from "../api/seal.ts";
import { randomKey } from "../checkout/attempt-key.ts";
import {
  type CheckoutCommands,
  type CommandParts,
  createCheckoutCommands,
  type VisitStore,
} from "../checkout/checkout-commands.ts";
import type { SessionClock } from "../checkout/session-clock.ts";
import { ProblemPage } from "../problem-page.tsx";
import { StepScreens } from "../steps/step-screens.tsx";

const api = createCheckoutApi(browserTransport);

/** Everything that the first screen can do without, in one piece that is loaded while the patient reads it. */
export const checkoutModule = {
  Steps: StepScreens,
  ProblemPage,
  expiryWarningMs: EXPIRY_WARNING_MS,
  readSession: api.readSession,
  commandParts,
  createCommands: (clock: SessionClock, store: VisitStore): CheckoutCommands =>
    createCheckoutCommands(commandParts(clock), store),
};

function commandParts(clock: SessionClock): CommandParts {
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
