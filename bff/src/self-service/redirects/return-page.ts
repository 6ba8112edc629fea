import { shownTokenOf } from "../../checkout/tokens/open-widget-token.ts";
import { appPart, providerPart } from "../../checkout/tokens/widget-session.ts";
import type { PageReturn } from "../../contract/widget-page.ts";
import { type OpenReturnDependencies, openReturn } from "./open-return.ts";

export interface ReturnPageDependencies extends OpenReturnDependencies {
  /**
   * The origins of the checkout and of the card processor's pages. A page that they framed returns in its frame, and the
   * provider's page may be around the checkout.
   */
  readonly framingOrigins: readonly string[];
}

/**
 * What the return page opens with: whose it is, and in which language. How things stand is asked by the page itself. It
 * shows nothing that the issuer and the processor, who know its URL, have not learned from the payment.
 */
export async function returnPageFor(dependencies: ReturnPageDependencies, reference: string): Promise<PageReturn> {
  const { db, framingOrigins } = dependencies;
  const returned = await openReturn(dependencies, reference);
  if (returned === null)
    return { reference: null, locale: "es-CL", provider: null, return_url: null, parent_origins: framingOrigins };
  const { provider, redirect } = returned;
  const token = await shownTokenOf(db, redirect);
  return {
    reference,
    locale: token?.locale ?? "es-CL",
    provider: providerPart(provider, token?.providerData ?? null),
    return_url: token === null ? null : appPart(token, provider).return_url,
    parent_origins: [...framingOrigins, ...provider.origins],
  };
}
