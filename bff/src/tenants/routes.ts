import { spotEndpoints } from "../contract/spot-endpoints.ts";
import { listLimit } from "../platform/http/list-page.ts";
import { defineRoute, type Route } from "../platform/http/route.ts";
import { listCenters, type UpsertCentersDependencies, upsertCenters } from "./centers.ts";

/** Sub-clinics of meta-providers. */
export function centerRoutes(dependencies: UpsertCentersDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.upsertCenters, {
      async handle({ principal, body, now }) {
        return { status: 200, body: await upsertCenters(dependencies, principal, body.centers, now) };
      },
    }),
    defineRoute(spotEndpoints.listCenters, {
      limits: () => [listLimit("centers.list")],
      async handle({ principal: { provider }, query }) {
        return { status: 200, body: await listCenters(dependencies.db, provider.id, query) };
      },
    }),
  ];
}
