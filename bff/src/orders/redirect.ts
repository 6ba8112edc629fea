/*
 * Redirects: a patient goes to a page of the card's issuer or of the card processor, and comes back by a URL that both
 * of them see. Its reference names what the patient went for, and opens nothing but the page that shows how that
 * stands.
 */

import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { RETURN_PATH } from "../contract/widget-page.ts";
import { type Keyring, SealBroken } from "../platform/keyring.ts";

/**
 * Why a patient is redirected: the issuer's challenge of a payment (`payment`), of a new card (`card_change`) or of an
 * early payment (`pay_early`); the processor's page for a card of an order (`card`) or for a new one
 * (`card_change_page`).
 */
const KINDS = ["payment", "card", "card_change_page", "card_change", "pay_early"] as const;
export type RedirectKind = (typeof KINDS)[number];

export interface Redirect {
  readonly kind: RedirectKind;
  readonly providerId: string;
  readonly orderId: OrderId;
  /** The id of the payment attempt, card registration or card authentication. */
  readonly attemptId: string;
}

/** The address to which a redirect returns the patient. The same redirect always has the same one. */
export type ReturnUrl = (redirect: Redirect) => string;

const PURPOSE = "redirect";
const UUID_BYTES = 16;

export function returnUrlOf(
  { keyring, widgetHostUrl }: { readonly keyring: Pick<Keyring, "sealRepeatably">; readonly widgetHostUrl: string },
  { kind, providerId, orderId, attemptId }: Redirect,
): string {
  const ids = [providerId, orderId, attemptId].map((id) => Buffer.from(id.replaceAll("-", ""), "hex"));
  const content = Buffer.concat([Buffer.of(KINDS.indexOf(kind)), ...ids]).toString("base64url");
  return `${widgetHostUrl}${RETURN_PATH}/${keyring.sealRepeatably(content, PURPOSE)}`;
}

/** The redirect that a return URL's reference names; null for anything that this service has not made. */
export function openReference(keyring: Pick<Keyring, "open">, reference: string): Redirect | null {
  try {
    return redirectOf(Buffer.from(keyring.open(reference, PURPOSE), "base64url"));
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}

function redirectOf(content: Buffer): Redirect | null {
  const kind = KINDS[content[0] ?? KINDS.length];
  if (kind === undefined) return null;
  const [providerId, orderId, attemptId] = [0, 1, 2].map((place) => {
    const from = 1 + place * UUID_BYTES;
    return content
      .toString("hex", from, from + UUID_BYTES)
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }) as [string, OrderId, string];
  return { kind, providerId, orderId, attemptId };
}
