import { EXPIRY_WARNING_MS } from "../api/answers.ts";
import { createSelfServiceApi } from "../api/self-service-api.ts";
import type { SelfService } from "../app.tsx";
import type { CheckoutCommands } from "../checkout/checkout-commands.ts";
import type { VisitParts } from "../checkout/checkout-visit.tsx";
import { createSessionClock } from "../checkout/session-clock.ts";
import type { LoadStepScreens } from "../checkout/use-step-screens.ts";
import { SelfServicePage } from "../self-service/self-service-page.tsx";
import { StepScreens } from "../steps/step-screens.tsx";
import type { GalleryState } from "./gallery-state.ts";
import { SERVER_TIME } from "./recorded-answers.ts";

/** Nothing is asked of anybody in the gallery: what a press would start never comes to an end. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Of the service's own links the gallery shows what follows an answer too: those of the state, and no other ever comes. */
export function createGallerySelfService({ answers }: Pick<GalleryState, "answers">): SelfService {
  const api = createSelfServiceApi({ fetch: never, isOnline: () => true, timeoutMs: 60_000 });
  return {
    Page: SelfServicePage,
    parts: {
      api: { ...api, ...answers },
      clock: createSessionClock(SERVER_TIME, [() => 0]),
      wait: never,
      newKey: () => "gallery",
      // Nothing leaves the page, so that nothing has to be sealed.
      seal: async () => "sealed",
    },
  };
}

function Faulty(): never {
  throw new Error("a fault, so that the gallery can show what then stands there");
}

const SCREENS: Readonly<Record<NonNullable<GalleryState["screens"]>, LoadStepScreens>> = {
  there: async () => StepScreens,
  lost: () => Promise.reject(new TypeError("lost, so that the gallery can show what then stands there")),
  faulty: async () => Faulty,
};

const STANDING_STILL: CheckoutCommands = {
  register: never,
  startRecovery: never,
  verifyRecovery: never,
  validateIdentity: never,
  addCard: never,
  pay: never,
  inquire: never,
  askForData: never,
};

/** The parts of a visit that stands still, at the moment at which its answers were recorded. */
export function createGalleryParts({ commands, screens = "there" }: Partial<GalleryState> = {}): VisitParts {
  return {
    clock: createSessionClock(SERVER_TIME, [() => 0]),
    connect: () => ({ framed: false, send: () => undefined, close: () => undefined }),
    readSession: never,
    loadCommands: async () => ({ ...STANDING_STILL, ...commands }),
    loadStepScreens: SCREENS[screens],
    reopen: never,
    loadWarningMs: async () => EXPIRY_WARNING_MS,
    place: { read: () => "", write: () => undefined },
    keepToken: () => undefined,
  };
}
