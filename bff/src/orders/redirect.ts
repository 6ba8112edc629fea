/*
 * Redirects to a page of the card's issuer or the card processor. The patient returns by a URL that both of them see.
 * Its reference names the reason for the redirect and opens only the page that shows the result.
 */

import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { RETURN_PATH } from "../contract/widget-page.ts";
import { type Keyring, SealBroken } from "../platform/keyring.ts";

/**
 * The reason for a redirect. The issuer's challenge of a payment (`payment`), a new card (`card_change`) or an early
 * payment (`pay_early`). The processor's page for a card of an order (`card`) or for a new card (`card_change_page`).
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

/** The address to which a redirect returns the patient. It is always the same for one redirect. */
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

/** The redirect that a return URL's reference names; null unless this service created the reference. */
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
