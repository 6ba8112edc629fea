import { EXPIRY_WARNING_MS } from "../api/answers.ts";
import { createCheckoutApi } from "../api/checkout-api.ts";
import type { Transport } from "../api/request.ts";
import { createSelfServiceApi } from "../api/self-service-api.ts";
import type { Returning, SelfService } from "../app.tsx";
import type { VisitParts } from "../checkout/checkout-visit.tsx";
import { createSessionClock } from "../checkout/session-clock.ts";
import type { StepParts } from "../checkout/step-context.ts";
import type { StepHistory } from "../checkout/step-history.ts";
import { createSteps } from "../checkout/step-screens.tsx";
import type { ConnectHost } from "../checkout/use-host.ts";
import { ReturnPage } from "../return/return-page.tsx";
import { SelfServicePage } from "../self-service/self-service-page.tsx";
import type { GalleryState } from "./gallery-state.ts";
import { SERVER_TIME } from "./recorded-answers.ts";

/** The gallery sends no requests: an action never completes. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

const NEVER_ANSWERED: Transport = { fetch: never, isOnline: () => true, reported: never, timeoutMs: 60_000 };
const NOTHING_REPORTED = { begin: () => undefined };

const STATIC_PARTS: Omit<StepParts, "api"> = {
  clock: createSessionClock(SERVER_TIME, [() => 0]),
  wait: never,
  newKey: () => "gallery",
  // Nothing leaves the page, so nothing needs to be sealed.
  seal: async () => "sealed",
};

/** The self-service pages, also after an answer. Only the state's own answers arrive. */
export function createGallerySelfService({ answers }: Pick<GalleryState, "answers">): SelfService {
  const api = createSelfServiceApi(NEVER_ANSWERED);
  return { Page: SelfServicePage, parts: { ...STATIC_PARTS, shown: NOTHING_REPORTED, api: { ...api, ...answers } } };
}

/** The return page in one fixed state. It reads once, and an open checkout answers at once. */
export function createGalleryReturning({ returning }: Pick<GalleryState, "returning">): Returning {
  const { answer = null, continues = false, hasLeftPage = false } = returning ?? {};
  return {
    Page: ReturnPage,
    parts: {
      read: answer === null ? never : async () => answer,
      // Only the pause between two reads is longer.
      wait: (ms) => (ms < 2_000 ? Promise.resolve() : never()),
      around: {
        wayBack: () => (hasLeftPage ? { address: "/", widgetToken: "gallery", isInPlace: true } : null),
        notifyCheckout: (onNotified) => {
          if (continues) onNotified();
          return () => undefined;
        },
        close: () => undefined,
        goTo: () => undefined,
      },
    },
  };
}

function Faulty(): never {
  throw new Error("a fault on purpose, so that the gallery can show the fault screen");
}

const disconnected: ConnectHost = () => ({
  framed: false,
  isHeard: false,
  send: () => undefined,
  close: () => undefined,
});

/** A history that records nothing. */
export const NO_HISTORY: StepHistory = {
  read: () => "",
  entry: () => null,
  replace: () => undefined,
  push: () => undefined,
  go: () => undefined,
  onTraversal: () => () => undefined,
  hasActed: () => false,
  isOnTop: () => false,
};

/** The parts of a visit that is frozen at the time at which its answers were recorded. */
export function createGalleryParts(
  { visitAnswers, screens = "there" }: Partial<GalleryState> = {},
  connect: ConnectHost = disconnected,
): VisitParts {
  const api = createCheckoutApi(NEVER_ANSWERED);
  const stepParts = { ...STATIC_PARTS, api: { ...api, ...visitAnswers } };
  return {
    clock: STATIC_PARTS.clock,
    seen: null,
    shown: NOTHING_REPORTED,
    connect,
    readSession: never,
    readOrder: never,
    makeFile: never,
    keepLocale: never,
    loadSteps: async (visit) => {
      if (screens === "lost") throw new TypeError("lost, so that the gallery can show what then stands there");
      const steps = createSteps(stepParts, visit);
      return screens === "faulty" ? { ...steps, Screens: Faulty } : steps;
    },
    reopen: never,
    loadWarningMs: async () => EXPIRY_WARNING_MS,
    history: NO_HISTORY,
    keepToken: () => undefined,
  };
}
