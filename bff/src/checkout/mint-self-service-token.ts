import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { namedLatestLocale } from "../patients/consents.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Provider } from "../platform/provider.ts";
import { widgetUrl } from "./mint-widget-token.ts";
import { hashToken } from "./open-widget-token.ts";
import { insertWidgetToken, type NewWidgetToken } from "./tokens/widget-token-store.ts";
import { expiryOf, type MINTED_PURPOSES, type WidgetTokenPurpose } from "./widget-token.ts";

export interface MintSelfServiceTokenDependencies {
  readonly ids: Ids;
  /** The widget host's URL without a trailing slash. */
  readonly widgetHostUrl: string;
}

export interface SelfServiceToken {
  readonly provider: Provider;
  /** The public key that opens the page. */
  readonly publicKey: string;
  readonly purpose: Exclude<WidgetTokenPurpose, "payment" | (typeof MINTED_PURPOSES)[number]>;
  /** The patient, if registered. */
  readonly beneficiaryId: string | null;
  /** The RUT of the patient, by which their language is found. */
  readonly rut: string;
  /** The order, if the link is about one. */
  readonly orderId?: OrderId;
  /** The provider's time. */
  readonly now: Date;
  /** A long-term token by default. */
  readonly expiresAt?: Date;
}

/** The fields that only partners set when they mint a token, as they are in a token for a link. */
export const NOT_FROM_PARTNER = {
  rut: null,
  userData: {},
  providerData: null,
  parentOrigin: null,
  returnUrl: null,
  isNative: false,
} as const satisfies Partial<NewWidgetToken>;

/**
 * Mints a token for a link to a patient's registered address. Partners cannot mint these tokens, and no page may frame
 * the page they open.
 */
export async function mintSelfServiceToken(
  { ids, widgetHostUrl }: MintSelfServiceTokenDependencies,
  tx: Transaction,
  { provider, publicKey, purpose, beneficiaryId, rut, orderId, now, expiresAt }: SelfServiceToken,
): Promise<{ readonly id: string; readonly url: string }> {
  const token = ids.uuid();
  const id = ids.uuid();
  await insertWidgetToken(tx, {
    id,
    tokenHash: hashToken(token),
    providerId: provider.id,
    purpose,
    orderId: orderId ?? null,
    beneficiaryId,
    ...NOT_FROM_PARTNER,
    locale: namedLatestLocale({ rut, providerId: provider.id }),
    createdAt: now,
    expiresAt: expiresAt ?? expiryOf({ expiresInMinutes: undefined, longTerm: true }, now),
  });
  // The order's hash is omitted because it gives access to the order. A mail may be forwarded, and the page asks for a
  // code first.
  return { id, url: widgetUrl(widgetHostUrl, { token, publicKey, orderToken: null }) };
}
