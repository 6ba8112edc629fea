import { firstPollFrom } from "../src/claims/claim-life.ts";
import { readAwaitedClaims } from "../src/claims/claim-store.ts";
import { POLL_CLAIM_TIMER } from "../src/claims/poll-claim.ts";
import type { Database } from "../src/platform/database/transaction.ts";
import { providerNow, realMoment } from "../src/platform/provider.ts";
import { nextDue } from "../src/platform/timers/timer-store.ts";
import { requireProvider } from "../src/tenants/providers.ts";
import { hasFault } from "./calls/gateway-call-store.ts";
import { claimAt, turningPoints } from "./insurer/claim.ts";
import { PARTY as INSURER } from "./insurer/insurer.ts";
import { findClaim } from "./insurer/insurer-store.ts";

/**
 * The next moment, in real time, at which a moving clock has to stop because the provider has due work. Claims are
 * polled hourly for weeks; polls that would only repeat the sandbox insurer's last answer cause no stop. They run at
 * other stops, and within an hour of a new answer.
 */
export async function nextStopAt(tx: Database, providerId: string, now: Date): Promise<Date | null> {
  const next = await nextDue(tx, providerId);
  if (next?.kind !== POLL_CLAIM_TIMER) return next?.dueAt ?? null;
  const poll = next.dueAt;
  const other = (await nextDue(tx, providerId, { except: POLL_CLAIM_TIMER }))?.dueAt ?? null;
  if (other !== null && other <= poll) return other;
  const provider = await requireProvider(tx, providerId);
  const heard = await newsHeardAt(tx, providerId, providerNow(provider, now));
  if (heard === "known") return poll;
  const asked = heard === null ? null : realMoment(provider, heard);
  const stops = [other, asked !== null && asked < poll ? poll : asked].filter((moment) => moment !== null);
  return stops.reduce<Date | null>((first, stop) => (first === null || stop < first ? stop : first), null);
}

/**
 * The first poll, in the provider's time, that gets a new answer about a claim from the sandbox's insurer. `known`: the
 * next one does; null if none does.
 */
async function newsHeardAt(tx: Database, providerId: string, now: Date): Promise<Date | "known" | null> {
  if (await hasFault(tx, { providerId, party: INSURER, method: "inquireClaim" })) return "known";
  let heard: Date | null = null;
  for (const { id, insurerClaimId, onlyWaits } of await readAwaitedClaims(tx, providerId)) {
    const claim = insurerClaimId === null ? undefined : await findClaim(tx, { providerId, claimId: insurerClaimId });
    if (!onlyWaits || claim === undefined || claimAt(claim, now).outcome !== "waiting") return "known";
    const next = turningPoints(claim).filter((point) => point > now);
    for (const poll of next.map((point) => firstPollFrom(id, point))) if (heard === null || poll < heard) heard = poll;
  }
  return heard;
}
