import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import { tenantOf } from "../../patients/tenant.ts";
import { perNetwork } from "../../platform/http/network.ts";
import { defineRoute, type ReceivedRequest, type Route, type RouteLimit } from "../../platform/http/route.ts";
import { userAgentOf } from "../../platform/http/user-agent.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Principal } from "../../platform/provider.ts";
import type { OpenWidgetTokenDependencies } from "../tokens/open-widget-token.ts";
import { MINTED_PURPOSES } from "../tokens/widget-token.ts";
import { boundToken, loadBoundToken, loadBoundTokenAtOnce } from "./bound-token.ts";
import { objectToEmailChange } from "./object-to-email-change.ts";
import { type RegisterPatientDependencies, registerPatient } from "./register-patient.ts";
import { type StartRecoveryDependencies, startRecovery } from "./start-recovery.ts";
import { type VerifyRecoveryDependencies, verifyRecovery } from "./verify-recovery.ts";

export interface OnboardingRoutesDependencies
  extends RegisterPatientDependencies,
    OpenWidgetTokenDependencies,
    StartRecoveryDependencies,
    VerifyRecoveryDependencies {
  readonly keyring: Pick<Keyring, "hmac" | "seal" | "matches">;
}

const HOUR_SECONDS = 3_600;

/** The calls with which a patient becomes known to the service. */
export function onboardingRoutes(dependencies: OnboardingRoutesDependencies): Route[] {
  // Whoever has a link of the service is not yet the patient: it registers nobody, and tells nothing of whom it is for.
  const load = (received: ReceivedRequest<Principal>) => loadBoundToken(dependencies, received, MINTED_PURPOSES);
  return [
    defineRoute(spotEndpoints.registerPatient, {
      load,
      loadAtOnce: (received, beside) => loadBoundTokenAtOnce(dependencies, received, MINTED_PURPOSES, beside),
      // Each refusal tells a hint of somebody's address, so that asking again and again is slow.
      limits: ({ principal, body }) => [perRut("onboarding.rut", principal, body.rut, 30)],
      async handle({ resource, body, ip, request }) {
        const opened = boundToken(resource);
        const userAgent = userAgentOf(request);
        const { created, patient } = await registerPatient(dependencies, { opened, body, ip, userAgent });
        return { status: created ? 201 : 200, body: patient };
      },
    }),
    defineRoute(spotEndpoints.startRecovery, {
      load,
      limits: ({ principal, body, ip }) => [
        perRut("recovery.rut", principal, body.rut, 30),
        perNetwork("recovery.address", ip, 120),
      ],
      async handle({ resource, body }) {
        return { status: 202, body: await startRecovery(dependencies, { opened: boundToken(resource), body }) };
      },
    }),
    defineRoute(spotEndpoints.verifyRecovery, {
      load,
      limits: ({ principal, body, ip }) => [
        perRut("recovery.tries", principal, body.rut, 60),
        perNetwork("recovery.tries_address", ip, 600),
      ],
      async handle({ resource, body, query, ip, request }) {
        const userAgent = userAgentOf(request);
        const codeTry = { opened: boundToken(resource), body, publicKey: query.public_key, ip, userAgent };
        return { status: 200, body: await verifyRecovery(dependencies, codeTry) };
      },
    }),
    defineRoute(spotEndpoints.objectToEmailChange, {
      load: (received) => loadBoundToken(dependencies, received, ["objection"]),
      async handle({ resource }) {
        await objectToEmailChange(dependencies, boundToken(resource));
        return { status: 200, body: { status: "undone" } };
      },
    }),
  ];
}

/** Across tokens, and in production across providers: minting again resets nothing. */
function perRut(name: string, { provider }: Principal, rut: Rut, requestsMax: number): RouteLimit {
  return { name, key: `${tenantOf(provider)} ${rut}`, requestsMax, windowSeconds: HOUR_SECONDS };
}
