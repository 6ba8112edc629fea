import { browserTransport } from "../api/request.ts";
import { createSelfServiceApi } from "../api/self-service-api.ts";
import type { SelfService } from "../app.tsx";
import type { SessionClock } from "../checkout/session-clock.ts";
import type { ShownReports } from "../checkout/shown-reports.ts";
import { SelfServicePage } from "../self-service/self-service-page.tsx";
import { checkoutModule } from "./checkout-module.ts";

/*
 * The self-service pages, for the browser. It imports the checkout's module as a whole: so the bundler makes that one a
 * piece of its own, which both share, and this piece holds the pages alone.
 */
export function createSelfService(clock: SessionClock, shown: ShownReports): SelfService {
  const api = createSelfServiceApi({ ...browserTransport, reported: shown.reported });
  return { Page: SelfServicePage, parts: { ...checkoutModule.stepParts(clock, shown), shown, api } };
}
