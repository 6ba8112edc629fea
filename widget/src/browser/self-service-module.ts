import { browserTransport } from "../api/request.ts";
import { createSelfServiceApi } from "../api/self-service-api.ts";
import type { SelfService } from "../app.tsx";
import type { SessionClock } from "../checkout/session-clock.ts";
import { SelfServicePage } from "../self-service/self-service-page.tsx";
import { checkoutModule } from "./checkout-module.ts";

/*
 * The pages of the links that the service sends, for the browser. It imports what a visit loads later, as a whole: so the
 * two share that piece, and this one holds the pages alone.
 */
export function createSelfService(clock: SessionClock): SelfService {
  const api = createSelfServiceApi(browserTransport);
  return { Page: SelfServicePage, parts: { ...checkoutModule.stepParts(clock), api } };
}
