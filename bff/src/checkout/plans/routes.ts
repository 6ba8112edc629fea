import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { readRut } from "../../contract/vocabulary/rut.ts";
import { findBeneficiary, loadingCallersPatient } from "../../patients/patients.ts";
import { tenantOf } from "../../patients/tenant.ts";
import { findUnprovenOfProvider } from "../../patients/unproven.ts";
import { defineRoute, type Route } from "../../platform/http/route.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Environment } from "../../platform/provider.ts";
import { type LookUpPlanDependencies, lookUpPlanOf } from "./look-up-plan.ts";
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
        const patient =
          (await findBeneficiary(db, { tenant: tenantOf(provider), rut })) ??
          (await findUnprovenOfProvider(db, { providerId: provider.id, rut, now }));
        const { status } = await lookUpPlanOf(dependencies, { provider, patient }, now);
        return { status: 200, body: status };
      },
    }),
    defineRoute(spotEndpoints.setSubscription, {
      load: ({ params }) => loadingCallersPatient(readRut(params.rut ?? ""), environment),
      async handle({ principal, resource: beneficiary, body, now }) {
        return { status: 200, body: await setSubscription({ db, ids }, { principal, beneficiary, body, now }) };
      },
    }),
    defineRoute(spotEndpoints.profile, {
      async handle({ principal: { provider } }) {
        const { id, name, rut, environment, scopes } = provider;
        return { status: 200, body: { provider: { id, name, rut }, environment, scopes } };
      },
    }),
  ];
}
