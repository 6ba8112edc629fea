import { findOrder } from "../../orders/order-reads.ts";
import type { InquiredOrder } from "../../orders/redirects/inquire-redirect.ts";
import { openReference, type Redirect } from "../../orders/redirects/redirect.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { providerNow } from "../../platform/provider.ts";
import { findProvider } from "../../tenants/provider-reads.ts";

export interface OpenReturnDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "open">;
}

/** A redirect whose patient may be back, with its order. */
export interface Returned extends InquiredOrder {
  readonly redirect: Redirect;
  /** The provider's time. */
  readonly now: Date;
}

/** What a return URL's reference names; null if this service has not made it, or has lost what it names. */
export async function openReturn(
  { db, clock, keyring }: OpenReturnDependencies,
  reference: string,
): Promise<Returned | null> {
  const redirect = openReference(keyring, reference);
  if (redirect === null) return null;
  const [provider, order] = await Promise.all([findProvider(db, redirect.providerId), findOrder(db, redirect)]);
  if (provider === null || order === null) return null;
  return { redirect, provider, order, now: providerNow(provider, clock.now()) };
}
