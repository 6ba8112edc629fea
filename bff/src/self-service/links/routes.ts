/**
 * This folder holds what patients do through the links that the service sends them: pay, change the card, give access.
 */

import { boundToken, boundTokenFor, perToken } from "../../checkout/onboarding/bound-token.ts";
import type { OpenWidgetTokenDependencies } from "../../checkout/tokens/open-widget-token.ts";
import type { CollectionDependencies } from "../../collection/dependencies.ts";
import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { perNetwork } from "../../platform/http/network.ts";
import { defineRoute, type Route } from "../../platform/http/route.ts";
import { userAgentOf } from "../../platform/http/user-agent.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { answerCode } from "./answer-code.ts";
import { giveInsurerAccess } from "./give-insurer-access.ts";
import { CODED_PURPOSES } from "./opened-link.ts";
import { changeCardByLink, changeCardOnPageByLink, payEarlyByLink } from "./pay-rest.ts";
import { type SendCodeDependencies, sendCode } from "./send-code.ts";

export interface SelfServiceLinkRoutesDependencies
  extends OpenWidgetTokenDependencies,
    CollectionDependencies,
    SendCodeDependencies {
  readonly keyring: Pick<Keyring, "hmac" | "seal" | "matches">;
}

/** Routes for the links that the service sends to patients. */
export function selfServiceLinkRoutes(dependencies: SelfServiceLinkRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.sendLinkCode, {
      load: boundTokenFor(CODED_PURPOSES),
      limits: ({ ip }) => [perNetwork("link_code.address", ip, 120)],
      async handle({ resource }) {
        return { status: 202, body: await sendCode(dependencies, boundToken(resource)) };
      },
    }),
    defineRoute(spotEndpoints.answerLinkCode, {
      load: boundTokenFor(CODED_PURPOSES),
      limits: ({ ip, body }) => [perNetwork("link_code.tries_address", ip, 600), perToken("link_code.tries", body, 60)],
      async handle({ resource, body }) {
        return { status: 200, body: await answerCode(dependencies, boundToken(resource), body.code) };
      },
    }),
    defineRoute(spotEndpoints.giveInsurerAccess, {
      load: boundTokenFor(["insurer_access", "checkout"]),
      limits: ({ body }) => [perToken("link.insurer_access", body, 20)],
      async handle({ resource, body, ip, request }) {
        const userAgent = userAgentOf(request);
        await giveInsurerAccess(dependencies, { opened: boundToken(resource), body, ip, userAgent });
        return { status: 200, body: { status: "given" } };
      },
    }),
    defineRoute(spotEndpoints.changeCard, {
      load: boundTokenFor(["card_change"]),
      // An inquiry changes nothing.
      limits: ({ body }) => [body.inquire ? perToken("link.card_inquiry", body, 120) : perToken("link.card", body, 10)],
      async handle({ resource, body: { access, sealed_card: sealedCard, shown = null } }) {
        const body = await changeCardByLink(dependencies, boundToken(resource), { access, sealedCard, shown });
        return { status: 200, body };
      },
    }),
    defineRoute(spotEndpoints.openLinkCardPage, {
      load: boundTokenFor(["card_change"]),
      limits: ({ body }) => [body.inquire ? perToken("link.card_inquiry", body, 120) : perToken("link.card", body, 10)],
      async handle({ resource, body: { access, inquire, shown = null } }) {
        const asked = { access, inquire, shown };
        return { status: 200, body: await changeCardOnPageByLink(dependencies, boundToken(resource), asked) };
      },
    }),
    defineRoute(spotEndpoints.payEarly, {
      load: boundTokenFor(["pay_early"]),
      // These limits protect the page; how often a card is charged is limited by the order's declined charges. An
      // inquiry charges nothing.
      limits: ({ body }) => [
        body.inquire ? perToken("link.early_inquiry", body, 120) : perToken("link.early_payment", body, 10),
      ],
      async handle({ resource, body }) {
        return { status: 200, body: await payEarlyByLink(dependencies, boundToken(resource), body) };
      },
    }),
  ];
}
