import { createOwnLinkApi } from "./api/own-link-api.ts";
import { browserTransport } from "./api/request.ts";
import type { OwnLink } from "./app.tsx";
import { later } from "./browser-later.ts";
import type { SessionClock } from "./checkout/session-clock.ts";
import { OwnTokenPage } from "./own-token/own-token-page.tsx";

/*
 * The pages of the links that the service sends, for the browser. It imports what a visit loads later, as a whole: so the
 * two share that piece, and this one holds the pages alone.
 */
export function createOwnLink(clock: SessionClock): OwnLink {
  const api = createOwnLinkApi(browserTransport);
  return { Page: OwnTokenPage, parts: { ...later.commandParts(clock), api } };
}
