import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { wasPaid } from "../orders/order.ts";
import { namedOrder } from "../orders/order-reads.ts";
import { namedLatestLocale } from "../patients/consents.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { namedCredentials, namedProvider } from "../tenants/providers.ts";
import { widgetUrl } from "./mint-widget-token.ts";
import { hashToken } from "./open-widget-token.ts";
import {
  insertPaymentToken,
  insertWidgetToken,
  type NewWidgetToken,
  type PaymentToken,
  readOrderOfPage,
  readPaymentToken,
} from "./tokens/widget-token-store.ts";
import { expiryOf, type MINTED_PURPOSES, type WidgetTokenPurpose } from "./widget-token.ts";

/*
 * The addresses that the service itself mints for patients: links in mails, and the page on which a patient follows a
 * paid order. An order has one page, in every mail about it; `src/self-service/payment-page-end.ts` decides at each
 * visit whether it has ended.
 */

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
const NOT_FROM_PARTNER = {
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

export interface PaymentPageDependencies extends MintSelfServiceTokenDependencies {
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "seal" | "open">;
}

export interface PaymentPage {
  readonly url: string;
  readonly locale: Locale;
}

/** The keyring's purpose for the token of a payment page. */
export const PAYMENT_PAGE_SEAL = "widget_tokens.payment_page";

/** No order lives so long; the row is deleted afterwards. */
const KEPT_MS = 10 * 366 * DAY_MS;

/**
 * The address and language of the payment page of an order, made when it is needed first. `null` if the order was never
 * paid, its page has ended with an erasure, or its provider has no widget.
 */
export async function paymentPage(
  dependencies: PaymentPageDependencies,
  db: Database,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<PaymentPage | null> {
  const { clock, keyring, widgetHostUrl } = dependencies;
  const { token: kept, credentials } = await readPaymentToken(db, order, {
    credentials: (providerId) => namedCredentials(providerId, clock.now()),
  });
  if (credentials === null) return null;
  const page = kept ?? (await makeToken(dependencies, db, order));
  if (page === null || page.sealed === null) return null;
  const token = keyring.open(page.sealed, PAYMENT_PAGE_SEAL);
  const { publicKey } = credentials;
  return { url: widgetUrl(widgetHostUrl, { token, publicKey, orderToken: null }), locale: page.locale };
}

/** Two concurrent calls both return the token that was stored. */
async function makeToken(
  { clock, ids, keyring }: PaymentPageDependencies,
  db: Database,
  key: { readonly providerId: string; readonly orderId: OrderId },
): Promise<PaymentToken | null> {
  const { providerId, orderId } = key;
  const { order, provider } = await readOrderOfPage(db, key, { order: namedOrder, provider: namedProvider });
  if (order === null || provider === null || !wasPaid(order.state)) return null;
  const now = providerNow(provider, clock.now());
  const token = ids.uuid();
  return insertPaymentToken(db, {
    id: ids.uuid(),
    tokenHash: hashToken(token),
    sealedToken: keyring.seal(token, PAYMENT_PAGE_SEAL),
    providerId,
    purpose: "payment",
    orderId,
    // The patient is found by the order when the page is opened: they may have registered since.
    beneficiaryId: null,
    ...NOT_FROM_PARTNER,
    locale: namedLatestLocale({ rut: order.customer.rut, providerId }),
    createdAt: now,
    expiresAt: new Date(now.getTime() + KEPT_MS),
  });
}
