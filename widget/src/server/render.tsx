import { localeOf, type PageState } from "bff/contract/widget-page";
import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { isReadableAccent, liftAccent } from "../../embed/accent.ts";
import { createSelfServiceApi } from "../api/self-service-api.ts";
import { App } from "../app.tsx";
import type { VisitParts } from "../checkout/checkout-visit.tsx";
import { createSessionClock, type SessionClock } from "../checkout/session-clock.ts";
import type { StepHistory } from "../checkout/step-history.ts";
import { isVisit } from "../checkout/steps.ts";
import { FaultBoundary } from "../fault-boundary.tsx";
import { ProblemPage } from "../problem-page.tsx";
import { ReturnPage, type ReturnParts } from "../return/return-page.tsx";
import type { SelfServiceParts } from "../self-service/link-page.ts";
import { SelfServicePage } from "../self-service/self-service-page.tsx";
import { en } from "../words/en.ts";
import { esCl } from "../words/es-cl.ts";

/** Handlers never run on the server, because the markup is the first screen before any action. */
function neverOnTheServer(): never {
  throw new Error("the server renders the first screen and does nothing on it");
}

const HISTORY: StepHistory = {
  read: neverOnTheServer,
  entry: neverOnTheServer,
  replace: neverOnTheServer,
  push: neverOnTheServer,
  go: neverOnTheServer,
  onTraversal: neverOnTheServer,
  hasActed: neverOnTheServer,
  isOnTop: neverOnTheServer,
};

function partsFor(clock: SessionClock): VisitParts {
  return {
    clock,
    seen: null,
    shown: { begin: neverOnTheServer },
    connect: neverOnTheServer,
    readSession: neverOnTheServer,
    readOrder: neverOnTheServer,
    makeFile: neverOnTheServer,
    loadSteps: neverOnTheServer,
    reopen: neverOnTheServer,
    loadWarningMs: neverOnTheServer,
    history: HISTORY,
    keepLocale: neverOnTheServer,
    keepToken: neverOnTheServer,
  };
}

/** No page calls its parts during rendering. */
function selfServicePartsFor(clock: SessionClock): SelfServiceParts {
  const api = createSelfServiceApi({
    fetch: neverOnTheServer,
    isOnline: neverOnTheServer,
    reported: neverOnTheServer,
    timeoutMs: 1,
  });
  const shown = { begin: neverOnTheServer };
  return { api, clock, shown, wait: neverOnTheServer, newKey: neverOnTheServer, seal: neverOnTheServer };
}

const RETURN_PARTS: ReturnParts = {
  read: neverOnTheServer,
  wait: neverOnTheServer,
  around: {
    wayBack: neverOnTheServer,
    notifyCheckout: neverOnTheServer,
    close: neverOnTheServer,
    goTo: neverOnTheServer,
  },
};

/** The provider's colour for the first paint; empty without a readable one (contract, `widget-page`). */
export function renderStyle(state: PageState): string {
  const accent = providerOf(state)?.appearance.accent;
  if (!isReadableAccent(accent)) return "";
  return `.aapd-frame{--partner-accent:${accent};--partner-accent-dark:${liftAccent(accent)}}`;
}

function providerOf(state: PageState) {
  if ("session" in state) return state.session.provider;
  return "returned" in state ? state.returned.provider : null;
}

/** True for a new patient's visit, which opens with the summary or a placeholder. */
export function needsFirstStylesOnly(state: PageState): boolean {
  return "session" in state && isVisit(state.session.purpose) && state.session.event_type === "SPOT_USER_NEW";
}

/** The app's markup for a page state. The widget host writes it at its marker (contract, `widget-page`). */
export function renderApp(state: PageState): string {
  const words = localeOf(state) === "en" ? en : esCl;
  const serverTime = "session" in state ? state.session.server_time : new Date(0).toISOString();
  const clock = createSessionClock(serverTime);
  return renderToString(
    <StrictMode>
      <FaultBoundary state={state} words={words} onReload={neverOnTheServer}>
        <App
          state={state}
          token=""
          parts={partsFor(clock)}
          ProblemPage={ProblemPage}
          returning={{ Page: ReturnPage, parts: RETURN_PARTS }}
          selfService={{ Page: SelfServicePage, parts: selfServicePartsFor(clock) }}
          words={words}
          loadWords={neverOnTheServer}
          page={{ reload: neverOnTheServer, openToken: neverOnTheServer }}
        />
      </FaultBoundary>
    </StrictMode>,
  );
}
