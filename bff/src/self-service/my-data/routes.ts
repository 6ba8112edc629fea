import { boundToken, loadBoundToken } from "../../checkout/onboarding/bound-token.ts";
import type { OpenedWidgetToken, OpenWidgetTokenDependencies } from "../../checkout/tokens/open-widget-token.ts";
import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { tenantOf } from "../../patients/tenant.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { perNetwork } from "../../platform/http/network.ts";
import { defineRoute, type ReceivedRequest, type Route, type RouteLimit } from "../../platform/http/route.ts";
import type { Principal } from "../../platform/provider.ts";
import { requireOpenLink } from "../links/answer-code.ts";
import { type EraseDependencies, eraseData, erasureOf } from "./erase-data.ts";
import { type RightsAct, seeData } from "./see-data.ts";
import { type SendDataLinkDependencies, sendDataLink } from "./send-data-link.ts";
import { requireSettledAddress } from "./settled-address.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

export interface PatientRightsRoutesDependencies
  extends OpenWidgetTokenDependencies,
    EraseDependencies,
    SendDataLinkDependencies {
  /** Lets so many milliseconds of the machine's time go by. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

const HOUR_SECONDS = 3_600;
/**
 * Nobody is told that a link is sent before this: to send one takes a few statements more than to find nobody, and whoever
 * measures that would learn who is registered.
 */
export const DATA_LINK_ANSWERED_AFTER_MS = 150;

/** What a patient may do with their own data. */
export function myDataRoutes(dependencies: PatientRightsRoutesDependencies): Route[] {
  const load = (received: ReceivedRequest<Principal>) => loadBoundToken(dependencies, received, ["my_data"]);
  return [
    defineRoute(spotEndpoints.sendDataLink, {
      limits: ({ principal, body, ip }) => [
        perHour("data_link.rut", `${tenantOf(principal.provider)} ${body.rut}`, 10),
        perNetwork("data_link.address", ip, 120),
      ],
      async handle({ principal: { provider }, query, body, now }) {
        const asked = { provider, publicKey: query.public_key, rut: body.rut, actor: "patient", now };
        await Promise.all([sendDataLink(dependencies, asked), dependencies.pause(DATA_LINK_ANSWERED_AFTER_MS)]);
        return { status: 202, body: { status: "accepted" } };
      },
    }),
    defineRoute(spotEndpoints.readPatientData, {
      load,
      limitsOfResource: ({ resource }) => [perLink("patient_data.read", resource, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await seeData(dependencies, act) };
      },
    }),
    defineRoute(spotEndpoints.withdrawConsent, {
      load,
      limitsOfResource: ({ resource }) => [perLink("patient_data.withdraw", resource, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await withdrawConsent(dependencies, act, body.purpose) };
      },
    }),
    defineRoute(spotEndpoints.eraseData, {
      load,
      limitsOfResource: ({ resource }) => [perLink("patient_data.erase", resource, 20)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await eraseData(dependencies, act) };
      },
    }),
  ];
}

/** The patient behind a link whose code was answered. Throws 400 `patient_code_required`, 409 `email_change_unsettled`, the 410s. */
async function actOf(
  dependencies: PatientRightsRoutesDependencies,
  opened: OpenedWidgetToken,
  access: string,
): Promise<RightsAct> {
  const { beneficiary } = await requireOpenLink(dependencies, opened, access, erasureOf);
  if (beneficiary === null) throw new ApiError("widget_token_not_found");
  await requireSettledAddress(dependencies.db, beneficiary, opened.now);
  return { patient: beneficiary, providerId: opened.provider.id, actor: "patient", now: opened.now };
}

function perHour(name: string, key: string, requestsMax: number): RouteLimit {
  return { name, key, requestsMax, windowSeconds: HOUR_SECONDS };
}

function perLink(name: string, opened: OpenedWidgetToken | null, requestsMax: number): RouteLimit {
  return perHour(name, opened?.token.id ?? "", requestsMax);
}
