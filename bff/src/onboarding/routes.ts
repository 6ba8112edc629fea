import { spotEndpoints } from "../contract/spot-endpoints.ts";
import { tenantOf } from "../people/tenant.ts";
import { defineRoute, type Route } from "../platform/http/route.ts";
import type { OpenWidgetTokenDependencies } from "../widget-tokens/open-widget-token.ts";
import { boundToken, loadBoundToken } from "./bound-token.ts";
import { type RegisterPatientDependencies, registerPatient } from "./register-patient.ts";

export interface OnboardingRoutesDependencies extends RegisterPatientDependencies, OpenWidgetTokenDependencies {}

/** The calls with which a patient becomes known to the service (interface, section 4.2; decisions, section 6). */
export function onboardingRoutes(dependencies: OnboardingRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.registerPatient, {
      load: (received) => loadBoundToken(dependencies, received),
      // Each refusal tells a hint of somebody's address, so that asking again and again is slow.
      limits: ({ principal, body }) => [
        {
          name: "onboarding.rut",
          key: `${tenantOf(principal.provider)} ${body.rut}`,
          requestsMax: 30,
          windowSeconds: 3_600,
        },
      ],
      async handle({ resource, body, ip, request }) {
        const { created, patient } = await registerPatient(dependencies, {
          opened: boundToken(resource),
          body,
          ip,
          userAgent: request.headers["user-agent"] ?? null,
        });
        return { status: created ? 201 : 200, body: patient };
      },
    }),
  ];
}
