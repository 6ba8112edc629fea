import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { type SendAccessLinkDependencies, sendAccessLink } from "../self-service/send-access-link.ts";
import { type SendDataLinkDependencies, sendDataLink } from "../self-service/send-data-link.ts";
import { type SendPaymentLinkDependencies, sendPaymentLink } from "../self-service/send-payment-link.ts";
import { publicCredentials } from "../tenants/providers.ts";

export const LINK_PURPOSES = ["my_data", "insurer_access", "pay_early", "card_change"] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** Whether a link is about one order, and not about its patient. */
export function isOfAnOrder(purpose: LinkPurpose): purpose is "pay_early" | "card_change" {
  return purpose === "pay_early" || purpose === "card_change";
}

export type SendLinkDependencies = SendAccessLinkDependencies & SendPaymentLinkDependencies & SendDataLinkDependencies;

export interface LinkRequest {
  readonly provider: Provider;
  readonly rut: Rut;
  readonly purpose: LinkPurpose;
  /** For a link about an order. */
  readonly orderId: OrderId | null;
  /** `operator:<name>` */
  readonly actor: string;
}

/**
 * Sends a patient the link that they requested from an operator, with an audit row. Returns false and sends nothing if
 * the link would have no use, or the provider has no public key.
 */
export async function sendLink(
  dependencies: SendLinkDependencies,
  { provider, rut, purpose, orderId, actor }: LinkRequest,
): Promise<boolean> {
  const credentials = await publicCredentials(dependencies, provider.id);
  if (credentials === null) return false;
  const { publicKey } = credentials;
  const now = providerNow(provider, dependencies.clock.now());
  if (purpose === "insurer_access") return sendAccessLink(dependencies, { provider, rut, actor, now });
  if (purpose === "my_data") return sendDataLink(dependencies, { provider, publicKey, rut, actor, now });
  if (orderId === null) return false;
  return sendPaymentLink(dependencies, { provider, publicKey, orderId, rut, purpose, actor, now });
}
