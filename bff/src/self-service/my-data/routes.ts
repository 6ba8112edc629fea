/**
 * This folder holds patients' rights over their own data: see it, withdraw consents, have it erased, and ask a
 * person to correct it, to stop a use of it, to block it or to look again at a refused credit.
 */

import { boundToken, boundTokenFor, perToken } from "../../checkout/onboarding/bound-token.ts";
import type { OpenedWidgetToken, OpenWidgetTokenDependencies } from "../../checkout/tokens/open-widget-token.ts";
import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import type { AgreementPrinter } from "../../orders/agreement/agreement-printer.ts";
import { hasPatientsOfItsOwn } from "../../patients/tenant.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { networkOf, perNetwork } from "../../platform/http/network.ts";
import { defineRoute, type Route } from "../../platform/http/route.ts";
import { leaveTurn } from "../../platform/http/turns.ts";
import type { Environment } from "../../platform/provider.ts";
import { requireOpenLink } from "../links/answer-code.ts";
import { type EraseDependencies, eraseData, erasureOf } from "./erase-data.ts";
import { makeRequest } from "./make-request.ts";
import { printOwnAgreement } from "./print-own-agreement.ts";
import { removeOwnCard } from "./remove-own-card.ts";
import { type RightsAct, seeData } from "./see-data.ts";
import { type SendDataLinkDependencies, sendDataLink } from "./send-data-link.ts";
import { requireSettledAddress } from "./settled-address.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

export interface PatientRightsRoutesDependencies
  extends OpenWidgetTokenDependencies,
    EraseDependencies,
    SendDataLinkDependencies {
  readonly environment: Environment;
  readonly agreements: AgreementPrinter;
  /** Waits for this many milliseconds of real time. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/**
 * The least duration of a request for a link. Sending a link takes longer than finding no patient, so without it the
 * duration would show who is registered.
 */
export const DATA_LINK_ANSWERED_AFTER_MS = 150;

/** Routes for patients' rights over their own data. */
export function myDataRoutes(dependencies: PatientRightsRoutesDependencies): Route[] {
  return [dataLinkRoute(dependencies), ...seeingRoutes(dependencies), ...changingRoutes(dependencies)];
}

function dataLinkRoute(dependencies: PatientRightsRoutesDependencies): Route {
  const isPerProvider = hasPatientsOfItsOwn(dependencies.environment);
  return defineRoute(spotEndpoints.sendDataLink, {
    limits: ({ body, ip }) => [
      // By network too: the mailbox has limits of its own (`rights.ts`), and nobody is to shut a patient out.
      {
        name: "data_link.rut",
        key: `${body.rut} ${networkOf(ip)}`,
        isPerProvider,
        requestsMax: 10,
        windowSeconds: 3_600,
      },
      perNetwork("data_link.address", ip, 120),
    ],
    async handle({ principal: { provider }, query, body, now }) {
      const asked = { provider, publicKey: query.public_key, rut: body.rut, actor: "patient", now };
      // The pause is no work.
      leaveTurn();
      await Promise.all([sendDataLink(dependencies, asked), dependencies.pause(DATA_LINK_ANSWERED_AFTER_MS)]);
      return { status: 202, body: { status: "accepted" } };
    },
  });
}

const load = boundTokenFor(["my_data"]);

function seeingRoutes(dependencies: PatientRightsRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.readPatientData, {
      load,
      limits: ({ body }) => [perToken("patient_data.read", body, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await seeData(dependencies, act) };
      },
    }),
    defineRoute(spotEndpoints.printOwnAgreement, {
      load,
      limits: ({ body }) => [perToken("patient_data.agreement", body, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await printOwnAgreement(dependencies, act, body.order_token) };
      },
    }),
  ];
}

function changingRoutes(dependencies: PatientRightsRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.withdrawConsent, {
      load,
      limits: ({ body }) => [perToken("patient_data.withdraw", body, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await withdrawConsent(dependencies, act, body.purpose) };
      },
    }),
    defineRoute(spotEndpoints.makeRightsRequest, {
      load,
      limits: ({ body }) => [perToken("patient_data.request", body, 20)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await makeRequest(dependencies, act, body.request) };
      },
    }),
    defineRoute(spotEndpoints.removeSavedCard, {
      load,
      limits: ({ body }) => [perToken("patient_data.remove_card", body, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        await removeOwnCard(dependencies, act, body.saved_card);
        return { status: 200, body: { status: "removed" } };
      },
    }),
    defineRoute(spotEndpoints.eraseData, {
      load,
      limits: ({ body }) => [perToken("patient_data.erase", body, 20)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await eraseData(dependencies, act) };
      },
    }),
  ];
}

/**
 * The patient of a link whose code was answered. Throws 400 `patient_code_required`, 409 `email_change_unsettled`, the
 * 410s.
 */
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
