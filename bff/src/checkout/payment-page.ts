import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { wasPaid } from "../orders/order.ts";
import { namedOrder } from "../orders/order-reads.ts";
import { namedLatestLocale } from "../patients/consents.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Keyring } from "../platform/keyring.ts";
import { providerNow } from "../platform/provider.ts";
import { namedCredentials, namedProvider } from "../tenants/providers.ts";
import { type MintSelfServiceTokenDependencies, NOT_FROM_PARTNER } from "./mint-self-service-token.ts";
import { widgetUrl } from "./mint-widget-token.ts";
import { hashToken } from "./open-widget-token.ts";
import {
  insertPaymentToken,
  type PaymentToken,
  readOrderOfPage,
  readPaymentToken,
} from "./tokens/widget-token-store.ts";

/*
 * The page on which a patient follows a paid order: one address per order, in every mail about it.
 * `src/self-service/payment-page-end.ts` decides at each visit whether the page has ended.
 */

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
