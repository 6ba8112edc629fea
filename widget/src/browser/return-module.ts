import { browserTransport } from "../api/request.ts";
import { createReadReturn } from "../api/return-api.ts";
import type { Returning } from "../app.tsx";
import { ReturnPage } from "../return/return-page.tsx";
import { createReturnWindow } from "../return/return-window.ts";
import { checkoutModule } from "./checkout-module.ts";

/* The return page, for the browser. As with the self-service pages, shared code is a separate chunk. */
export function createReturning(): Returning {
  const read = createReadReturn({ ...browserTransport, reported: () => Promise.resolve() });
  return { Page: ReturnPage, parts: { wait: checkoutModule.wait, read, around: createReturnWindow(window) } };
}
