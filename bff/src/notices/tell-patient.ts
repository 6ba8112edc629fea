import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import type { Provider } from "../providers/provider.ts";
import type { Notice } from "./notice.ts";
import { insertNotice } from "./notice-store.ts";
import { renderNotice } from "./render-notice.ts";

export const SEND_NOTICE_TIMER = "notices.send";
/** The keyring's purpose for the address and text of a notice that waits. */
export const NOTICE_SEAL = "notices.email";

export interface TellPatientDependencies {
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "seal">;
}

export interface Telling {
  /** Who is asked about it, and whose staging mailbox it goes to. */
  readonly provider: Provider;
  /** Names what the patient is told about (`payment_receipt:<order>`): whatever happens, it is told once. */
  readonly cause: string;
  readonly to: string;
  readonly notice: Notice;
  /** For how long it helps the patient; left out, always. */
  readonly usefulForMs?: number;
}

/** Tells a patient something, in the transaction of what it is about. It goes out afterwards, with retries. */
export async function tellPatient(
  { ids, clock, keyring }: TellPatientDependencies,
  tx: Transaction,
  { provider, cause, to, notice, usefulForMs }: Telling,
): Promise<void> {
  const now = clock.now();
  const { name: clinic, supportEmail, supportPhone } = provider;
  const email = renderNotice(to, notice, { clinic, supportEmail, supportPhone });
  const id = ids.uuid();
  const waiting = {
    id,
    providerId: provider.id,
    cause,
    kind: notice.kind,
    sealedEmail: keyring.seal(JSON.stringify(email), NOTICE_SEAL),
    usefulUntil: usefulForMs === undefined ? null : new Date(now.getTime() + usefulForMs),
  };
  if (!(await insertNotice(tx, waiting, now))) return;
  const payload = { notice_id: id, tries: 0 };
  await scheduleTimer(tx, { kind: SEND_NOTICE_TIMER, key: id, providerId: provider.id, dueAt: now, payload });
}
