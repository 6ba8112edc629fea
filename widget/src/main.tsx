import { StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { createBrowserParts, searchWith } from "./browser-parts.ts";
import "./design/tokens.css";
import { FaultBoundary } from "./fault-boundary.tsx";
import { readPageState, tokenIn } from "./page-state.ts";
import { loadWords } from "./words/load-words.ts";

async function start(): Promise<void> {
  const element = document.getElementById("app");
  if (element === null) return;
  const state = readPageState(document);
  const locale = state === null ? "es-CL" : "session" in state ? state.session.locale : state.problem.locale;
  const words = await loadWords(locale);
  const serverTime = state !== null && "session" in state ? state.session.server_time : new Date().toISOString();
  const app = (
    <StrictMode>
      <FaultBoundary words={words.problems.internal_error} retry={words.page.retry}>
        <App
          state={state}
          token={tokenIn(location.search)}
          parts={createBrowserParts(serverTime)}
          words={words}
          loadWords={loadWords}
          page={{ reload: () => location.reload(), openToken: (token) => location.replace(searchWith(token)) }}
        />
      </FaultBoundary>
    </StrictMode>
  );
  if (element.firstElementChild === null) createRoot(element).render(app);
  else hydrateRoot(element, app);
}

void start();
