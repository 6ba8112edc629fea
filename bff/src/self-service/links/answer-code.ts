import { auditWrongCode, classifyTry } from "../../checkout/issue-code.ts";
import { hashToken, type OpenedWidgetToken } from "../../checkout/open-widget-token.ts";
import type { ErrorAdditions } from "../../contract/errors.ts";
import type { AnswerLinkCodeResponse } from "../../contract/self-service-links.ts";
import { CODE_TRIES_MAX, LINK_ACCESS_MINUTES } from "../../contract/terms.ts";
import { isPseudonym } from "../../patients/beneficiary.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { type LinkCode, lockOpenLinkCode, readLinkAccess, writeLinkCodeTry } from "./link-code-store.ts";
import { dueOfLink, type LinkPatient, patientOfLink, requireLiveLink } from "./opened-link.ts";
import { LINK_CODE_HASH } from "./send-code.ts";

export interface AnswerCodeDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "matches">;
}

/**
 * Answers the code of a link. Every try, right or wrong, is recorded under the lock of the code, so of a hundred
 * concurrent tries only five are checked. The right code opens the link for half an hour, for the page that sent it.
 * Throws `ApiError`: `recovery_code_invalid` with the number of tries left, `recovery_code_expired` (also if no code
 * was sent, or the record has moved to another address since), and the 410s.
 */
export async function answerCode(
  { db, ids, keyring }: AnswerCodeDependencies,
  opened: OpenedWidgetToken,
  code: string,
): Promise<AnswerLinkCodeResponse> {
  await requireLiveLink(db, opened);
  const patient = await patientOfLink(db, opened);
  const access = ids.uuid();
  const until = new Date(opened.now.getTime() + LINK_ACCESS_MINUTES * 60_000);
  const attemptsLeft = await inTransaction(db, async (tx) => {
    const open = await lockOpenLinkCode(tx, opened.token.id);
    const theirs = open !== null && isStillTheirs(open, patient) ? open : null;
    const { sent, tries, isRight } = classifyTry(keyring, LINK_CODE_HASH, { sent: theirs, code, now: opened.now });
    await writeLinkCodeTry(tx, sent.id, { tries, opens: isRight ? { accessHash: hashToken(access), until } : null });
    if (isRight) return null;
    await auditWrongCode(tx, { ids }, { ...subjectOf(opened, patient), sent, at: opened.now });
    // The error is thrown after the transaction, because it would roll back the recorded wrong try.
    return CODE_TRIES_MAX - tries;
  });
  if (attemptsLeft !== null) throw new ApiError("recovery_code_invalid", { attempts_left: attemptsLeft });
  return {
    access,
    expires_at: until.toISOString(),
    patient: { first_name: patient.firstName, rut: patient.rut, insurer: patient.insurer },
    order_token: opened.order?.orderId ?? null,
    due: await dueOfLink(db, opened),
  };
}

/** The link's subject in the audit trail: the patient's record, or the order of an unregistered patient. */
function subjectOf({ provider, order }: OpenedWidgetToken, { beneficiary }: LinkPatient) {
  const subject =
    beneficiary !== null
      ? { kind: "beneficiary", id: beneficiary.id }
      : { kind: "order", id: order?.orderId ?? "unknown" };
  return { providerId: provider.id, subject };
}

/** Whether the patient's record still belongs to the user whom the code was sent to. */
function isStillTheirs({ userId }: Pick<LinkCode, "userId">, { beneficiary }: LinkPatient): boolean {
  return userId === (beneficiary?.userId ?? null);
}

/**
 * Requires that the code of this link was answered on this page less than half an hour ago. The record must still
 * belong to the address that received the code: after an objection to a change of address, the code that a thief
 * answered is worthless.
 *
 * Returns the patient. Throws 400 `patient_code_required`, and after that check the 410s of a link that has ended. For
 * a used link, `readAdditions` adds the present status of the link's subject.
 */
export async function requireOpenLink(
  { db }: Pick<AnswerCodeDependencies, "db">,
  opened: OpenedWidgetToken,
  access: string,
  readAdditions: (db: Database, opened: OpenedWidgetToken) => Promise<ErrorAdditions> = collectionOf,
): Promise<LinkPatient> {
  const answered = await readLinkAccess(db, {
    widgetTokenId: opened.token.id,
    accessHash: hashToken(access),
    at: opened.now,
  });
  if (answered === null) throw new ApiError("patient_code_required");
  if (opened.state === "used") throw new ApiError("widget_token_used", await readAdditions(db, opened));
  await requireLiveLink(db, opened);
  const patient = await patientOfLink(db, opened);
  if (isStillTheirs(answered, patient)) return patient;
  // Erasing a patient ends their links, even while this request is running.
  const isErased = patient.beneficiary !== null && isPseudonym(patient.beneficiary);
  if (!isErased) throw new ApiError("patient_code_required");
  throw new ApiError("widget_token_used", await readAdditions(db, opened));
}

/** Added to the error of a used link, so that a patient whose earlier answer was lost learns which card is stored. */
async function collectionOf(db: Database, opened: OpenedWidgetToken): Promise<ErrorAdditions> {
  const due = await dueOfLink(db, opened);
  return due === null ? {} : { collection_status: due.status, card_last4: due.card.last4 };
}

/**
 * Requires that the amount due now is at most that of the code's mail, and is charged to the card that the mail names.
 * Throws 400 `patient_code_required`.
 */
export async function requireChargeOfCode(tx: Transaction, opened: OpenedWidgetToken, access: string): Promise<void> {
  const answered = await readLinkAccess(tx, {
    widgetTokenId: opened.token.id,
    accessHash: hashToken(access),
    at: opened.now,
  });
  const [charge, due] = [answered?.charge ?? null, await dueOfLink(tx, opened)];
  if (due === null) return;
  if (charge === null || due.amount > charge.amount || due.card.last4 !== charge.cardEnding)
    throw new ApiError("patient_code_required");
}
