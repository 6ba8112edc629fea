import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { noteIdentityMatch } from "../patients/patients.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { purgeBefore, purgeInBatches } from "../platform/purge.ts";
import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { COUNTED_MS } from "./issue-code.ts";
import { collides } from "./known-patient.ts";
import { type ProveVisitDependencies, proveVisit } from "./prove-visit.ts";
import { type SendRecognitionDependencies, sendRecognitionCode } from "./recognition/send-recognition-code.ts";
import { SEND_RECOGNITION_TIMER } from "./recognition/start-recognition.ts";
import { forgetPatients } from "./tokens/widget-token-store.ts";

/** Longer than recovery data stays valid, in real time and in any provider's time. */
export const RECOVERIES_KEPT_MS = 2 * COUNTED_MS;

/**
 * Deletes codes and checks of recoveries that no longer count, with the addresses in them. Returns the number of
 * deleted rows.
 */
export async function purgeRecoveries({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - RECOVERIES_KEPT_MS);
  const codes = await purgeBefore(db, { table: "recoveries", column: "created_at", before });
  return codes + (await purgeBefore(db, { table: "recovery_identity_checks", column: "asked_at", before }));
}

/** Longer than a recognition code stays valid, in real time and in any provider's time. */
export const RECOGNITIONS_KEPT_MS = 2 * COUNTED_MS;

/** Deletes codes of recognitions that no longer count. Returns the number of deleted rows. */
export function purgeRecognitions({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - RECOGNITIONS_KEPT_MS);
  return purgeBefore(db, { table: "recognitions", column: "created_at", before });
}

/** How long a partner's data about the patient stays in an ended token. It only prefills forms. */
export const TOKEN_DATA_KEPT_MS = DAY_MS;
/** How long an ended token's page can say why it ended; longer than the codes of its link stay valid. */
export const TOKENS_KEPT_MS = 90 * DAY_MS;

/**
 * Removes personal data (RUT, `user_data` and `provider_data`) from ended tokens, and later the tokens. In between,
 * their pages say why they ended; afterwards the token is unknown. Any process may call it at any time. Returns the
 * number of changed and deleted tokens.
 */
export async function purgeEndedTokens({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const forgotten = await purgeInBatches((limit) =>
    forgetPatients(db, { endedBefore: before(TOKEN_DATA_KEPT_MS), limit }),
  );
  const ended = { table: "widget_tokens", column: "expires_at", before: before(TOKENS_KEPT_MS) } as const;
  return forgotten + (await purgeBefore(db, ended));
}

export function checkoutTimerHandlers(dependencies: SendRecognitionDependencies): TimerHandlers {
  return {
    [SEND_RECOGNITION_TIMER]: async (timer) => {
      await sendRecognitionCode(dependencies, timer);
      return "done";
    },
  };
}

/** Makes an order's unproven registrations effective, because the registry has matched the patient. */
export async function proveOrdersVisit(
  dependencies: ProveVisitDependencies,
  tx: Transaction,
  { provider, order, at }: { readonly provider: Provider; readonly order: OrderRecord; readonly at: Date },
): Promise<void> {
  const { providerId, orderId, customer } = order;
  const visit = { providerId, orderId };
  const { record, isProven } = await proveVisit(dependencies, tx, {
    provider,
    rut: customer.rut,
    visit,
    by: "registry",
    matchedAt: at,
    now: at,
  });
  // A record with another mailbox may be a stranger's, who must not benefit from the patient's own match.
  if (record !== null && !isProven && !(await collides(tx, order, record))) await noteIdentityMatch(tx, record, at);
}
