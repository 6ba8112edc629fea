import { judgeTry } from "../../checkout/otp/issue-code.ts";
import { hashToken } from "../../checkout/tokens/mint-widget-token.ts";
import { type OpenedWidgetToken, requireLive } from "../../checkout/tokens/open-widget-token.ts";
import { dueNow } from "../../collection/charge/due-now.ts";
import type { ErrorAdditions } from "../../contract/errors.ts";
import type { AnswerLinkCodeResponse, Due } from "../../contract/self-service-links.ts";
import { CODE_TRIES_MAX, LINK_ACCESS_MINUTES } from "../../contract/terms.ts";
import { isPseudonym } from "../../patients/beneficiary.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { type LinkCode, lockOpenLinkCode, readLinkAccess, writeLinkCodeTry } from "./link-code-store.ts";
import { type LinkPatient, patientOfLink } from "./opened-link.ts";
import { LINK_CODE_HASH } from "./send-code.ts";

export interface AnswerCodeDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "matches">;
}

/**
 * Answers the code of a link. Every try is written down, right or wrong, under the code's lock: of a hundred at once five
 * are looked at. The right one opens the link for half an hour, to the page that asked. Throws `ApiError`:
 * `recovery_code_invalid` with what is left, `recovery_code_expired` (also where no code was sent, and where the record has
 * gone to another address since), and the 410s.
 */
export async function answerCode(
  { db, ids, keyring }: AnswerCodeDependencies,
  opened: OpenedWidgetToken,
  code: string,
): Promise<AnswerLinkCodeResponse> {
  requireLive(opened);
  const patient = await patientOfLink(db, opened);
  const access = ids.uuid();
  const until = new Date(opened.now.getTime() + LINK_ACCESS_MINUTES * 60_000);
  const attemptsLeft = await inTransaction(db, async (tx) => {
    const open = await lockOpenLinkCode(tx, opened.token.id);
    const theirs = open !== null && isStillTheirs(open, patient) ? open : null;
    const { sent, tries, isRight } = judgeTry(keyring, LINK_CODE_HASH, { sent: theirs, code, now: opened.now });
    await writeLinkCodeTry(tx, sent.id, { tries, opens: isRight ? { accessHash: hashToken(access), until } : null });
    // A wrong try must stay written, so that it is told only after the transaction.
    return isRight ? null : CODE_TRIES_MAX - tries;
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

/** Does the record still belong to the mailbox that the code went to? */
function isStillTheirs({ userId }: Pick<LinkCode, "userId">, { beneficiary }: LinkPatient): boolean {
  return userId === (beneficiary?.userId ?? null);
}

/** What is left to charge of the order that a link is about; `null` where it is about none. */
export async function dueOfLink(db: Database, { order }: OpenedWidgetToken): Promise<Due | null> {
  return order === null ? null : dueNow(db, { providerId: order.providerId, orderId: order.orderId });
}

/**
 * Requires that the code of this link was answered on this page, not too long ago, at the address to which the record still
 * belongs: what a thief has answered ends with the owner's objection. Returns whom the link is for. Throws 400
 * `patient_code_required`; and for a link that has ended, once that is clear, its 410: of one that was used with how what it
 * is about stands (`standingOf`), which alone tells what used it.
 */
export async function requireOpenLink(
  { db }: Pick<AnswerCodeDependencies, "db">,
  opened: OpenedWidgetToken,
  access: string,
  standingOf: (db: Database, opened: OpenedWidgetToken) => Promise<ErrorAdditions> = collectionOf,
): Promise<LinkPatient> {
  const answered = await readLinkAccess(db, {
    widgetTokenId: opened.token.id,
    accessHash: hashToken(access),
    at: opened.now,
  });
  if (answered === null) throw new ApiError("patient_code_required");
  if (opened.state === "used") throw new ApiError("widget_token_used", await standingOf(db, opened));
  requireLive(opened);
  const patient = await patientOfLink(db, opened);
  if (isStillTheirs(answered, patient)) return patient;
  // Links end with the patient who is erased, also in this very moment.
  const isErased = patient.beneficiary !== null && isPseudonym(patient.beneficiary);
  if (!isErased) throw new ApiError("patient_code_required");
  throw new ApiError("widget_token_used", await standingOf(db, opened));
}

/** Whoever sends another card since an answer was lost has to learn which one is kept. */
async function collectionOf(db: Database, opened: OpenedWidgetToken): Promise<ErrorAdditions> {
  const due = await dueOfLink(db, opened);
  return due === null ? {} : { collection_status: due.status, card_last4: due.card.last4 };
}
