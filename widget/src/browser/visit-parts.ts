import type { PageState } from "bff/contract/widget-page";
import { connectToApp } from "../../embed/app-side.ts";
import type { EarlyHello } from "../../embed/early-hello.ts";
import { connectToHost } from "../../embed/frame-side.ts";
import { type Answer, NOTHING_SENT } from "../api/problem.ts";
import type { VisitParts } from "../checkout/checkout-visit.tsx";
import { createSessionClock } from "../checkout/session-clock.ts";
import { createShownReports, type ShownReports } from "../checkout/shown-reports.ts";
import { consentFieldId } from "../form/consent-list.tsx";
import { createBrowserHistory } from "./browser-history.ts";
import type { Sight } from "./sight.ts";

type CheckoutModule = Awaited<ReturnType<typeof loadCheckoutModule>>;

/** Loads code that the first screen does not need. Rejects if it cannot be loaded. */
export async function loadCheckoutModule() {
  const module = await import("./checkout-module.ts");
  return module.checkoutModule;
}

/** Requests the state of a page that came without one (Vite's development server alone). */
export async function askForState(token: string): Promise<PageState> {
  const answer = await (await loadCheckoutModule()).readSession(token);
  const framed = window.parent !== window;
  if (answer.ok) return { session: answer.value, framed, unseen: false };
  const code = answer.problem.kind === "refused" ? answer.problem.code : "service_unavailable";
  return {
    problem: {
      code,
      locale: "es-CL",
      provider_name: null,
      support: null,
      parent_origins: [],
      return_url: null,
      native: false,
      purpose: null,
      order: null,
      client_id: null,
    },
    framed,
    unseen: false,
  };
}

/** Reports what this page shows. */
export function createBrowserReports(): ShownReports {
  return createShownReports({
    isOnScreen: (purpose) => document.getElementById(consentFieldId(purpose)) !== null,
    send: async (publicKey, body) => (await loaded(({ reportShown }) => reportShown(publicKey, body))).ok,
  });
}

/** The real parts of a visit in a browser. `serverTime` is the time that the server sent with the page. */
export function createBrowserParts(
  serverTime: string,
  { sight, shown, hello }: { readonly sight: Sight; readonly shown: ShownReports; readonly hello: EarlyHello },
): VisitParts {
  const clock = createSessionClock(serverTime);
  const steps = createBrowserHistory(window);
  return {
    clock,
    seen: sight.wasUnseen ? sight.seen : null,
    shown,
    connect: ({ native, ...options }) =>
      native
        ? connectToApp({ window, ...options, seen: sight.seen })
        : connectToHost({
            window,
            ...options,
            isUnseen: !sight.isSeen(),
            missed: hello.take(),
            onConnected: sight.shownByHost,
          }),
    readSession: (token) => loaded(({ readSession }) => readSession(token)),
    readOrder: (credentials, orderToken) => loaded(({ readOrder }) => readOrder(credentials, orderToken)),
    makeFile: (...file) => loaded(({ makeFile }) => makeFile(...file)),
    loadSteps: async (visit) => {
      const { createSteps, stepParts } = await loadCheckoutModule();
      return createSteps(stepParts(clock, shown), visit);
    },
    reopen,
    loadWarningMs: async () => {
      await sight.seen;
      return (await loadCheckoutModule()).expiryWarningMs;
    },
    history: steps,
    keepLocale: async (locale) => {
      const query = new URLSearchParams(location.search);
      const [token, key] = [query.get("widget_token"), query.get("public_key")];
      if (token && key) await loaded(({ reportShown }) => reportShown(key, { widget_token: token, locale }));
    },
    keepToken: (token) => steps.keepSearch(searchWith(token)),
  };
}

/**
 * Sends a request once its code is loaded. If the code cannot be loaded, nothing is sent and the patient sees a network
 * error.
 */
async function loaded<Value>(ask: (module: CheckoutModule) => Promise<Answer<Value>>): Promise<Answer<Value>> {
  let module: CheckoutModule;
  try {
    module = await loadCheckoutModule();
  } catch {
    return { ok: false, problem: NOTHING_SENT };
  }
  return ask(module);
}

const REOPEN_WITHIN_MS = 15_000;

/** Never replaces this page with a browser's error page: without a network or a working server, this page stays. */
async function reopen(): Promise<never> {
  const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(REOPEN_WITHIN_MS) });
  if (answer.status >= 500) throw new Error("page unavailable");
  location.reload();
  return new Promise(() => undefined);
}

/** The page's own query with another token. */
export function searchWith(token: string): string {
  const query = new URLSearchParams(location.search);
  query.set("widget_token", token);
  return `?${query}`;
}
