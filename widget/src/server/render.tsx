import type { PageState } from "bff/contract/widget-page";
import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { App } from "../app.tsx";
import type { VisitParts } from "../checkout/checkout-visit.tsx";
import { createSessionClock } from "../checkout/session-clock.ts";
import { FaultBoundary } from "../fault-boundary.tsx";
import { ProblemPage } from "../problem-page.tsx";
import { en } from "../words/en.ts";
import { esCl } from "../words/es-cl.ts";

/** Nothing that a patient does happens on the server: the markup is the first screen as it stands. */
function neverOnTheServer(): never {
  throw new Error("the server renders the first screen and does nothing on it");
}

function partsFor(serverTime: string): VisitParts {
  return {
    clock: createSessionClock(serverTime),
    connect: neverOnTheServer,
    readSession: neverOnTheServer,
    loadCommands: neverOnTheServer,
    loadLater: neverOnTheServer,
    loadWarningMs: neverOnTheServer,
    place: { read: neverOnTheServer, write: neverOnTheServer },
    keepToken: neverOnTheServer,
  };
}

/** The app's markup for a page state, for the widget host to write at its marker (contract, `widget-page`). */
export function renderApp(state: PageState): string {
  const locale = "session" in state ? state.session.locale : state.problem.locale;
  const words = locale === "en" ? en : esCl;
  const serverTime = "session" in state ? state.session.server_time : new Date(0).toISOString();
  return renderToString(
    <StrictMode>
      <FaultBoundary words={words.unloaded} retry={words.page.retry}>
        <App
          state={state}
          token=""
          parts={partsFor(serverTime)}
          ProblemPage={ProblemPage}
          words={words}
          loadWords={neverOnTheServer}
          page={{ reload: neverOnTheServer, openToken: neverOnTheServer }}
        />
      </FaultBoundary>
    </StrictMode>,
  );
}
