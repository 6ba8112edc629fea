import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { perNetwork } from "../../platform/http/network.ts";
import { defineRoute, type Route } from "../../platform/http/route.ts";
import { userAgentOf } from "../../platform/http/user-agent.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { MINTED_PURPOSES } from "../tokens/widget-token.ts";
import { boundToken, boundTokenFor } from "./bound-token.ts";
import { objectToEmailChange } from "./object-to-email-change.ts";
import { type RegisterPatientDependencies, registerPatient } from "./register-patient.ts";
import { type StartRecoveryDependencies, startRecovery } from "./start-recovery.ts";
import { type VerifyRecoveryDependencies, verifyRecovery } from "./verify-recovery.ts";

export interface OnboardingRoutesDependencies
  extends RegisterPatientDependencies,
    StartRecoveryDependencies,
    VerifyRecoveryDependencies {
  readonly keyring: Pick<Keyring, "hmac" | "seal" | "matches">;
}

/** The routes by which patients register or recover their registration. */
export function onboardingRoutes(dependencies: OnboardingRoutesDependencies): Route[] {
  // Links sent by the service are excluded: their holder has not proved to be the patient, so such a link must register
  // nobody and reveal nothing.
  const load = boundTokenFor(MINTED_PURPOSES);
  return [
    defineRoute(spotEndpoints.registerPatient, {
      load,
      async handle({ resource, body, ip, request }) {
        const opened = boundToken(resource);
        const userAgent = userAgentOf(request);
        const { created, patient } = await registerPatient(dependencies, { opened, body, ip, userAgent });
        return { status: created ? 201 : 200, body: patient };
      },
    }),
    defineRoute(spotEndpoints.startRecovery, {
      load,
      limits: ({ ip }) => [perNetwork("recovery.address", ip, 120)],
      async handle({ resource, body }) {
        return { status: 202, body: await startRecovery(dependencies, { opened: boundToken(resource), body }) };
      },
    }),
    defineRoute(spotEndpoints.verifyRecovery, {
      load,
      limits: ({ ip }) => [perNetwork("recovery.tries_address", ip, 600)],
      async handle({ resource, body, query, ip, request }) {
        const userAgent = userAgentOf(request);
        const codeTry = { opened: boundToken(resource), body, publicKey: query.public_key, ip, userAgent };
        return { status: 200, body: await verifyRecovery(dependencies, codeTry) };
      },
    }),
    defineRoute(spotEndpoints.objectToEmailChange, {
      load: boundTokenFor(["objection"]),
      async handle({ resource }) {
        await objectToEmailChange(dependencies, boundToken(resource));
        return { status: 200, body: { status: "undone" } };
      },
    }),
  ];
}
