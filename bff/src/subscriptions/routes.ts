import { spotEndpoints } from "../contract/spot-endpoints.ts";
import { tenantOf } from "../people/tenant.ts";
import type { Database } from "../platform/database/transaction.ts";
import { defineRoute, type Route } from "../platform/http/route.ts";
import { lookUpSubscription } from "./look-up-subscription.ts";

export interface SubscriptionRoutesDependencies {
  readonly db: Database;
}

/** Who is subscribed, and who asks (interface, sections 2.4 and 4.2). */
export function subscriptionRoutes({ db }: SubscriptionRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.isUserSubscribed, {
      async handle({ principal: { provider }, query: { rut }, now }) {
        const { status } = await lookUpSubscription(db, { tenant: tenantOf(provider), rut }, now);
        return { status: 200, body: status };
      },
    }),
    defineRoute(spotEndpoints.profile, {
      async handle({ principal: { provider } }) {
        const { name, rut, environment, scopes } = provider;
        return { status: 200, body: { provider: { name, rut }, environment, scopes } };
      },
    }),
  ];
}
