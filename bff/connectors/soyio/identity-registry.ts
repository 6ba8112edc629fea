import { createHmac } from "node:crypto";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/contract/vocabulary/durations.ts";
import type { IdentityOutcome, IdentityRegistry } from "../../src/gateways/identity-registry.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { deletePendingChecks, findPendingCheck, insertPendingCheck } from "./pending-check-store.ts";
import type { SoyioApi, SoyioCheck } from "./soyio-api.ts";

export interface Soyio {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly api: SoyioApi;
  /** The key of the references of persons, which cannot be computed without it. */
  readonly secret: string;
  /** When the API key expires; null if it does not. */
  readonly keyExpiresAt: Date | null;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** How long the result of a check that was pending is used. */
const PENDING_MS = 15 * MINUTE_MS;
/** Leaves time to answer: the service waits 10 seconds. */
const READ_WITHIN_MS = 4 * SECOND_MS;
const READ_EVERY_MS = SECOND_MS;
const WARN_BEFORE_MS = 14 * DAY_MS;

/** Soyio's check with the civil registry as the service's identity registry. */
export function createSoyioRegistry(soyio: Soyio): IdentityRegistry {
  const { clock, logger, keyExpiresAt } = soyio;
  let warnedAt = 0;
  const warnOfExpiry = () => {
    const now = clock.now().getTime();
    if (keyExpiresAt === null || keyExpiresAt.getTime() - now > WARN_BEFORE_MS || now - warnedAt < DAY_MS) return;
    warnedAt = now;
    logger.error("soyio.key_expires", { due_at: keyExpiresAt.toISOString() });
  };
  return {
    async check({ rut, serial }) {
      warnOfExpiry();
      try {
        return outcomeOf(await checkDocument(soyio, { rut, serial }), logger);
      } catch (error) {
        logger.warn("connector.party_unanswered", { operation: "check", error });
        return { outcome: "unavailable" };
      }
    },
  };
}

/** Asks Soyio once for a person and document, until it answered or the check is outdated. */
async function checkDocument(
  { api, clock, db, secret, wait }: Soyio,
  document: { readonly rut: string; readonly serial: string },
): Promise<SoyioCheck> {
  const reference = referenceOf(secret, document);
  const begunAt = clock.now();
  const since = new Date(begunAt.getTime() - PENDING_MS);
  const pending = await findPendingCheck(db, reference, since);
  const known = pending === null ? null : await api.read({ id: pending, reference });
  let check = known ?? (await api.create({ ...document, reference }));
  if (isPending(check) && check.id !== pending) {
    await deletePendingChecks(db, reference, since);
    await insertPendingCheck(db, { reference, checkId: check.id, begunAt });
  }
  while (isPending(check) && clock.now().getTime() - begunAt.getTime() < READ_WITHIN_MS) {
    await wait(READ_EVERY_MS);
    check = (await api.read({ id: check.id, reference })) ?? check;
  }
  if (!isPending(check)) await deletePendingChecks(db, reference, since);
  return check;
}

function isPending({ status }: Pick<SoyioCheck, "status">): boolean {
  return status === "pending" || status === "validating";
}

/** Our name of a person and document at Soyio. */
function referenceOf(secret: string, { rut, serial }: { readonly rut: string; readonly serial: string }): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify(["soyio", rut, serial]))
    .digest("hex");
}

function outcomeOf({ status, validation_errors: errors }: SoyioCheck, logger: Logger): IdentityOutcome {
  const codes = (errors ?? []).map(({ code }) => code);
  if (status === "successful" && codes.length === 0) return { outcome: "match" };
  const isKnown =
    status === "failed" && codes.length > 0 && codes.every((code) => code === "auth-074" || code === "auth-076");
  if (isKnown) return { outcome: codes.includes("auth-076") ? "document_not_valid" : "no_match" };
  if (!isPending({ status }) && !codes.includes("auth-075")) logger.error("soyio.unknown_failure", { code: codes[0] });
  return { outcome: "unavailable" };
}
