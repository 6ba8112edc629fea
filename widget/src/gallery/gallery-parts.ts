import { EXPIRY_WARNING_MS } from "../api/answers.ts";
import { createOwnLinkApi } from "../api/own-link-api.ts";
import type { OwnLink } from "../app.tsx";
import type { CheckoutCommands } from "../checkout/checkout-commands.ts";
import type { VisitParts } from "../checkout/checkout-visit.tsx";
import { createSessionClock } from "../checkout/session-clock.ts";
import type { LoadLater } from "../checkout/use-later.ts";
import { OwnTokenPage } from "../own-token/own-token-page.tsx";
import { LaterSteps } from "../steps/later-steps.tsx";
import { SERVER_TIME } from "./recorded-answers.ts";
import type { GalleryState } from "./states.ts";

/** Nothing is asked of anybody in the gallery: what a press would start never comes to an end. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Of the service's own links the gallery shows what follows an answer too: those of the state, and no other ever comes. */
export function createGalleryOwnLink({ answers }: Pick<GalleryState, "answers">): OwnLink {
  const api = createOwnLinkApi({ fetch: never, isOnline: () => true, timeoutMs: 60_000 });
  return {
    Page: OwnTokenPage,
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

const LATER: Readonly<Record<NonNullable<GalleryState["later"]>, LoadLater>> = {
  there: async () => LaterSteps,
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
export function createGalleryParts({ commands, later = "there" }: Partial<GalleryState> = {}): VisitParts {
  return {
    clock: createSessionClock(SERVER_TIME, [() => 0]),
    connect: () => ({ framed: false, send: () => undefined, close: () => undefined }),
    readSession: never,
    loadCommands: async () => ({ ...STANDING_STILL, ...commands }),
    loadLater: LATER[later],
    reopen: never,
    loadWarningMs: async () => EXPIRY_WARNING_MS,
    place: { read: () => "", write: () => undefined },
    keepToken: () => undefined,
  };
}
