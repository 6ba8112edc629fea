import { nextInquiryAt } from "../../orders/payments/payment-attempt.ts";
import { providerNow, realMoment } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { askAboutCard } from "../charge/change-card.ts";
import { payAsked } from "../charge/pay-early.ts";
import { keyOf } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { requireAuthentication } from "./authentication-store.ts";
import { isOpen } from "./card-authentication.ts";

/**
 * Asks what became of an authentication that a request has left open, since its process died, its answer was lost, or the
 * patient has not come back; and does what they wanted where they are confirmed.
 */
export async function settleAuthentication(
  dependencies: CollectionDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const key = keyOf(timer);
  const authentication = await requireAuthentication(db, key, timer.key);
  const provider = await requireProvider(db, key.providerId);
  const asking = { provider, authentication, mayHaveArrived: true, isInquiry: true };
  if (authentication.purpose === "card_change") await askAboutCard(dependencies, asking);
  else await payAsked(dependencies, asking);
  const left = await requireAuthentication(db, key, timer.key);
  if (!isOpen(left)) return "done";
  return { again: realMoment(provider, nextInquiryAt(left, providerNow(provider, clock.now()))) };
}
