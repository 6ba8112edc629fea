/**
 * This folder holds the page to which patients come back from the pages of card issuers and of the card processor.
 */

import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { openReference } from "../../orders/redirects/redirect.ts";
import { NO_COLUMN } from "../../platform/database/read-column.ts";
import { defineRoute, loading, NOTHING_NAMED, type Route } from "../../platform/http/route.ts";
import type { OpenReturnDependencies } from "./open-return.ts";
import { type ReadReturnDependencies, readReturn } from "./read-return.ts";

/** An open page asks every three seconds for a minute, and then every fifteen. */
const READS = { name: "returns.read", requestsMax: 400, windowSeconds: 3_600 } as const;

/** The route by which the return page learns how things stand. */
export function redirectRoutes(dependencies: ReadReturnDependencies & OpenReturnDependencies): Route[] {
  const isOurs = (reference: string) => openReference(dependencies.keyring, reference) !== null;
  return [
    defineRoute(spotEndpoints.readReturn, {
      load: ({ params: { reference = "" } }) => (isOurs(reference) ? NOTHING_NAMED : loading(NO_COLUMN, "not_found")),
      limits: ({ params: { reference = "" } }) => [{ ...READS, key: reference }],
      async handle({ params: { reference = "" }, body }) {
        return { status: 200, body: await readReturn(dependencies, reference, body.widget_token) };
      },
    }),
  ];
}
