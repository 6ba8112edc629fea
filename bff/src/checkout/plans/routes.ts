import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { readRut } from "../../contract/vocabulary/rut.ts";
import { callersPatient } from "../../patients/patients.ts";
import { defineRoute, loading, type Route } from "../../platform/http/route.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Environment } from "../../platform/provider.ts";
import { type LookUpPlanDependencies, lookUpPlan } from "./look-up-plan.ts";
import { setSubscription } from "./set-plan.ts";

export interface PlanRoutesDependencies extends LookUpPlanDependencies {
  readonly ids: Ids;
  readonly environment: Environment;
}

/** The routes for reading and setting a patient's plan, and for the caller's own profile. */
export function planRoutes(dependencies: PlanRoutesDependencies): Route[] {
  const { db, ids, environment } = dependencies;
  return [
    defineRoute(spotEndpoints.isUserSubscribed, {
      async handle({ principal: { provider }, query: { rut }, now }) {
        const { status } = await lookUpPlan(dependencies, { provider, rut }, now);
        return { status: 200, body: status };
      },
    }),
    defineRoute(spotEndpoints.setSubscription, {
      load: ({ params }) => loading(callersPatient(readRut(params.rut ?? ""), environment), "beneficiary_not_found"),
      async handle({ principal, resource: beneficiary, body, now }) {
        return { status: 200, body: await setSubscription({ db, ids }, { principal, beneficiary, body, now }) };
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
