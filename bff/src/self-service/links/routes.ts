import { boundToken, loadBoundToken } from "../../checkout/onboarding/bound-token.ts";
import type { OpenedWidgetToken, OpenWidgetTokenDependencies } from "../../checkout/tokens/open-widget-token.ts";
import type { WidgetTokenPurpose } from "../../checkout/tokens/widget-token.ts";
import type { CollectionDependencies } from "../../collection/dependencies.ts";
import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { perNetwork } from "../../platform/http/network.ts";
import { defineRoute, type ReceivedRequest, type Route, type RouteLimit } from "../../platform/http/route.ts";
import { userAgentOf } from "../../platform/http/user-agent.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Principal } from "../../platform/provider.ts";
import { answerCode } from "./answer-code.ts";
import { giveInsurerAccess } from "./give-insurer-access.ts";
import { CODED_PURPOSES } from "./opened-link.ts";
import { changeCardByLink, payEarlyByLink } from "./pay-rest.ts";
import { type SendCodeDependencies, sendCode } from "./send-code.ts";

export interface SelfServiceLinkRoutesDependencies
  extends OpenWidgetTokenDependencies,
    CollectionDependencies,
    SendCodeDependencies {
  readonly keyring: Pick<Keyring, "hmac" | "seal" | "matches">;
}

const HOUR_SECONDS = 3_600;

/** What a patient does by a link that the service has sent. */
export function selfServiceLinkRoutes(dependencies: SelfServiceLinkRoutesDependencies): Route[] {
  const load =
    (...purposes: WidgetTokenPurpose[]) =>
    (received: ReceivedRequest<Principal>) =>
      loadBoundToken(dependencies, received, purposes);
  return [
    defineRoute(spotEndpoints.sendLinkCode, {
      load: load(...CODED_PURPOSES),
      limits: ({ ip }) => [perNetwork("link_code.address", ip, 120)],
      async handle({ resource }) {
        return { status: 202, body: await sendCode(dependencies, boundToken(resource)) };
      },
    }),
    defineRoute(spotEndpoints.answerLinkCode, {
      load: load(...CODED_PURPOSES),
      limitsOfResource: ({ ip, resource }) => [
        perNetwork("link_code.tries_address", ip, 600),
        perLink("link_code.tries", resource, 60),
      ],
      async handle({ resource, body }) {
        return { status: 200, body: await answerCode(dependencies, boundToken(resource), body.code) };
      },
    }),
    defineRoute(spotEndpoints.giveInsurerAccess, {
      load: load("insurer_access"),
      limitsOfResource: ({ resource }) => [perLink("link.insurer_access", resource, 20)],
      async handle({ resource, body, ip, request }) {
        const userAgent = userAgentOf(request);
        await giveInsurerAccess(dependencies, { opened: boundToken(resource), body, ip, userAgent });
        return { status: 200, body: { status: "given" } };
      },
    }),
    defineRoute(spotEndpoints.changeCard, {
      load: load("card_change"),
      limitsOfResource: ({ resource }) => [perLink("link.card", resource, 10)],
      async handle({ resource, body: { access, sealed_card: sealedCard } }) {
        const body = await changeCardByLink(dependencies, boundToken(resource), { access, sealedCard });
        return { status: 200, body };
      },
    }),
    defineRoute(spotEndpoints.payEarly, {
      load: load("pay_early"),
      // For the page; how often a card is charged is decided by the order's declined charges. Asking charges nothing.
      limitsOfResource: ({ resource, body }) => [
        body.inquire ? perLink("link.early_inquiry", resource, 120) : perLink("link.early_payment", resource, 10),
      ],
      async handle({ resource, body }) {
        return { status: 200, body: await payEarlyByLink(dependencies, boundToken(resource), body) };
      },
    }),
  ];
}

function perLink(name: string, opened: OpenedWidgetToken | null, requestsMax: number): RouteLimit {
  return { name, key: opened?.token.id ?? "", requestsMax, windowSeconds: HOUR_SECONDS };
}
