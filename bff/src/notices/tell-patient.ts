import { latestLocale } from "../consents/consents.ts";
import { readPhone } from "../contract/vocabulary/phone.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { type Provider, providerNow } from "../providers/provider.ts";
import { messageHour, takesMessages } from "./message.ts";
import { messageWords } from "./message-words.ts";
import type { Notice, NoticeChannel } from "./notice.ts";
import { insertNotice, isCauseKnown } from "./notice-store.ts";
import { renderNotice } from "./render-notice.ts";

export const SEND_NOTICE_TIMER = "notices.send";
/** The keyring's purposes for the address and text of a notice that waits. */
export const NOTICE_SEALS: Readonly<Record<NoticeChannel, string>> = {
  email: "notices.email",
  message: "notices.message",
};

export interface TellPatientDependencies {
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "seal">;
}

export interface Telling {
  /** Who is asked about it, and whose staging mailbox it goes to. */
  readonly provider: Provider;
  /** Names what the patient is told about (`payment_receipt:<order>`): whatever happens, it is told once on each channel. */
  readonly cause: string;
  /** The e-mail address. */
  readonly to: string;
  /** Whose telephone gets a short message beside the mail; left out, the mail is all. */
  readonly telephone?: { readonly rut: string; readonly number: string };
  readonly orderId?: string;
  /** With whose erasure it goes, if it still waits or could not be delivered; left out, with that of the order's customer. */
  readonly beneficiaryId?: string;
  readonly notice: Notice;
  /** For how long it helps the patient; left out, always. */
  readonly usefulForMs?: number;
}

/**
 * Tells a patient something, in the transaction of what it is about: by e-mail, and in short by message where the kind of
 * notice goes by message and the number takes some. It goes out afterwards, with retries; neither waits for the other.
 */
export async function tellPatient(
  dependencies: TellPatientDependencies,
  tx: Transaction,
  telling: Telling,
): Promise<void> {
  const { provider, to, notice } = telling;
  const now = dependencies.clock.now();
  const { name: clinic, supportEmail, supportPhone } = provider;
  const email = renderNotice(to, notice, { clinic, supportEmail, supportPhone });
  await write(dependencies, tx, telling, { channel: "email", content: email, dueAt: now });
  const message = await messageOf(tx, telling);
  if (message === null) return;
  const itsNow = providerNow(provider, now);
  const waitMs = messageHour(notice.kind, itsNow).getTime() - itsNow.getTime();
  const dueAt = new Date(now.getTime() + waitMs);
  await write(dependencies, tx, telling, { channel: "message", content: message, dueAt });
}

/** Has a patient been told of a cause, or is going to be? */
export function wasTold(tx: Transaction, { provider, cause }: Pick<Telling, "provider" | "cause">): Promise<boolean> {
  return isCauseKnown(tx, { providerId: provider.id, cause });
}

async function messageOf(tx: Transaction, { provider, telephone, notice }: Telling): Promise<object | null> {
  const to = telephone === undefined ? null : readPhone(telephone.number);
  if (telephone === undefined || to === null || !takesMessages(to)) return null;
  const locale = await latestLocale(tx, { rut: telephone.rut, providerId: provider.id });
  const text = messageWords(notice, locale);
  return text === null ? null : { to, text };
}

interface Writing {
  readonly channel: NoticeChannel;
  readonly content: object;
  readonly dueAt: Date;
}

async function write(
  { ids, clock, keyring }: TellPatientDependencies,
  tx: Transaction,
  { provider, cause, orderId, beneficiaryId, notice, usefulForMs }: Telling,
  { channel, content, dueAt }: Writing,
): Promise<void> {
  const now = clock.now();
  const id = ids.uuid();
  const waiting = {
    id,
    providerId: provider.id,
    orderId: orderId ?? null,
    beneficiaryId: beneficiaryId ?? null,
    cause,
    kind: notice.kind,
    channel,
    sealed: keyring.seal(JSON.stringify(content), NOTICE_SEALS[channel]),
    usefulUntil: usefulForMs === undefined ? null : new Date(now.getTime() + usefulForMs),
  };
  if (!(await insertNotice(tx, waiting, now))) return;
  const payload = { notice_id: id, tries: 0 };
  await scheduleTimer(tx, { kind: SEND_NOTICE_TIMER, key: id, providerId: provider.id, dueAt, payload });
}
