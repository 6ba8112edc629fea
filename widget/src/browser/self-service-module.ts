import { browserTransport } from "../api/request.ts";
import { createSelfServiceApi } from "../api/self-service-api.ts";
import type { SelfService } from "../app.tsx";
import type { SessionClock } from "../checkout/session-clock.ts";
import type { ShownReports } from "../checkout/shown-reports.ts";
import { SelfServicePage } from "../self-service/self-service-page.tsx";
import { checkoutModule } from "./checkout-module.ts";

/*
 * The self-service pages, for the browser. Importing the checkout's module as a whole makes it a separate, shared
 * chunk, so that this chunk contains only the pages.
 */
export function createSelfService(clock: SessionClock, shown: ShownReports): SelfService {
  const api = createSelfServiceApi({ ...browserTransport, reported: shown.reported });
  return { Page: SelfServicePage, parts: { ...checkoutModule.stepParts(clock, shown), shown, api } };
}
