import { localeOf, type PageState } from "bff/contract/widget-page";
import { type ReactNode, StrictMode, useEffect } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { App, type AppProps, type Returning, type SelfService } from "./app.tsx";
import { askForState, createBrowserParts, createBrowserReports, searchWith } from "./browser/visit-parts.ts";
import "./design/base.css";
import { type EarlyHello, keepEarlyHello } from "../embed/early-hello.ts";
import { readPageState, tokenIn } from "./browser/page-state.ts";
import { takePressesBeforeScripts } from "./browser/press-before-scripts.ts";
import { createSight } from "./browser/sight.ts";
import type { SessionClock } from "./checkout/session-clock.ts";
import type { ShownReports } from "./checkout/shown-reports.ts";
import { isVisit } from "./checkout/steps.ts";
import { RENEWED } from "./checkout/use-renewal.ts";
import { FaultBoundary } from "./fault-boundary.tsx";
import { loadWords } from "./words/load-words.ts";

function isOwnPage(state: PageState): boolean {
  return "session" in state && !isVisit(state.session.purpose);
}

/** Loads the code of the self-service pages, if the token is for one of them. */
async function loadSelfService(
  state: PageState,
  clock: SessionClock,
  shown: ShownReports,
): Promise<SelfService | null> {
  if (!isOwnPage(state)) return null;
  const { createSelfService } = await import("./browser/self-service-module.ts");
  return createSelfService(clock, shown);
}

/** Loads the code of the page without a session, if this is that page. */
async function loadProblemPage(state: PageState): Promise<AppProps["ProblemPage"]> {
  if (!("problem" in state)) return null;
  const { problemModule } = await import("./browser/problem-module.ts");
  return problemModule.ProblemPage;
}

/** Loads the code of the return page, if this is that page. */
async function loadReturning(state: PageState): Promise<Returning | null> {
  if (!("returned" in state)) return null;
  const { createReturning } = await import("./browser/return-module.ts");
  return createReturning();
}

async function start(element: HTMLElement, hello: EarlyHello): Promise<void> {
  const token = tokenIn(location.search);
  const state = readPageState(document) ?? (import.meta.env.DEV ? await askForState(token) : null);
  if (state === null) throw new Error("no page state");
  const words = await loadWords(localeOf(state));
  const serverTime = "session" in state ? state.session.server_time : new Date().toISOString();
  const sight = createSight({ window, document, unseen: state.unseen });
  const shown = createBrowserReports();
  sight.onAct(shown.act);
  const parts = createBrowserParts(serverTime, { sight, shown, hello });
  const app = (
    <StrictMode>
      <FaultBoundary state={state} words={words} onReload={() => location.reload()}>
        <App
          state={state}
          token={token}
          parts={parts}
          ProblemPage={await loadProblemPage(state)}
          selfService={await loadSelfService(state, parts.clock, shown)}
          returning={await loadReturning(state)}
          words={words}
          loadWords={loadWords}
          page={{
            reload: () => location.reload(),
            openToken: (token) => location.replace(searchWith(token) + RENEWED),
          }}
        />
      </FaultBoundary>
    </StrictMode>
  );
  if (element.firstElementChild === null) createRoot(element).render(app);
  else {
    const presses = takePressesBeforeScripts(window);
    if (presses.length > 0 && sight.isSeen()) shown.act();
    hydrateRoot(element, <PressedBefore presses={presses}>{app}</PressedBefore>);
  }
}

interface PressedBeforeProps {
  readonly presses: readonly HTMLElement[];
  readonly children: ReactNode;
}

/**
 * Repeats what the patient pressed before the scripts loaded, so that they need not press twice. It does so after the
 * hydration and not within it, so that neither waits for the other on a slow phone.
 */
function PressedBefore({ presses, children }: PressedBeforeProps) {
  useEffect(() => {
    for (const button of presses) if (button.isConnected) button.click();
  }, [presses]);
  return children;
}

const element = document.getElementById("app");
// If a module cannot be loaded, the server's markup stays, with the clinic's contact. index.html then shows that the
// page does not work, as it does when this script fails to load.
if (element !== null) {
  start(element, keepEarlyHello(window)).catch(() =>
    document.getElementById("aapd-unopened")?.removeAttribute("hidden"),
  );
}
