import type { CardPageOffer } from "../../gateways/card-processor/port.ts";
import type { Provider } from "../../platform/provider.ts";

/** How a provider's patients give a card: in fields of the checkout's own, or on the processor's page. */
export type CardEntry = "fields" | "page";

export function cardEntry(offer: CardPageOffer, { settings }: Pick<Provider, "settings">): CardEntry {
  return offer === "only" || (offer === "also" && settings.cardPage) ? "page" : "fields";
}
