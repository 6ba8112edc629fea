import type * as z from "zod/mini";
import type { CardBrand, CardKind } from "../../src/contract/orders.ts";
import { MINUTE_MS, SECOND_MS } from "../../src/contract/vocabulary/durations.ts";
import type { CardProcessor, RegisterCardOutcome } from "../../src/gateways/card-processor.ts";
import type { GatewayCall, NotFound, Unknown } from "../../src/gateways/gateway-call.ts";
import { registrationSchema } from "../../src/gateways/protocols/card-processor.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import { base32 } from "../kit/base32.ts";
import { type Decision, localOperation } from "../kit/kept-calls.ts";
import { findUser, insertCard, insertUser, updateUser } from "./card-store.ts";
import { shownCard } from "./cards.ts";
import {
  claimFinish,
  type Enrolment,
  endEnrolment,
  findEnrolment,
  insertEnrolment,
  recordEnrolled,
  recordRegistered,
  releaseFinish,
  startEnrolment,
} from "./enrolment-store.ts";
import type { Oneclick } from "./oneclick.ts";
import type { Finished } from "./oneclick-api.ts";

/*
 * An enrolment, from the service's call to the card. The patient opens the page, presses, and enrols the card at
 * Webpay, which sends the browser back. Transbank deletes the enrolment unless `finish` follows within 60 seconds. So
 * the request of that return calls it, and stores the answer before it shows a page.
 */

/** How long the page waits for the press. */
const READING_MS = 10 * MINUTE_MS;
/** How long Webpay waits for the patient: 5 minutes in production, 10 in integration. */
const WEBPAY_MS = 10 * MINUTE_MS;
const FINISH_MS = 60 * SECOND_MS;
/** From the claim to the end of one `finish`: the party's timeout and a second. */
const FINISH_LEASE_MS = 10 * SECOND_MS;

type Definite = Exclude<RegisterCardOutcome, Unknown>;
const operation = localOperation("register-card", registrationSchema);
type Stored = z.output<typeof registrationSchema>;

export async function registerCard(
  oneclick: Oneclick,
  call: GatewayCall,
  input: Parameters<CardProcessor["registerCard"]>[1],
): Promise<RegisterCardOutcome> {
  const { calls, clock, ids, pageOrigin } = oneclick;
  const answer = await calls.perform(operation, call, input, async (tx): Promise<Decision<Stored, undefined>> => {
    const { returnUrl, orderHash, sealedCard, about } = input;
    if (sealedCard !== null || returnUrl === undefined) return { answer: { outcome: "sealed_card_refused" } };
    const id = ids.uuid();
    const lifetimeMs = READING_MS + WEBPAY_MS + FINISH_MS;
    const expiresAt = new Date(call.at.getTime() + lifetimeMs);
    const closesAt = new Date(clock.now().getTime() + lifetimeMs);
    const shown = { clinic: about?.clinic ?? null, total: about?.total ?? null };
    const { providerId } = call;
    await insertEnrolment(tx, { id, providerId, orderHash, returnUrl, expiresAt, closesAt, ...shown });
    return { answer: { outcome: "page", url: `${pageOrigin}/card/${id}`, expiresAt, display: "window" } };
  });
  return asOfNow(oneclick, answer, call.at);
}

export async function inquireRegistration(
  oneclick: Oneclick,
  call: GatewayCall,
): Promise<RegisterCardOutcome | NotFound> {
  return asOfNow(oneclick, await oneclick.calls.inquire(operation, call), call.at);
}

/**
 * The present state of an opened page. Never finishes the enrolment, because Transbank may be called only once, when
 * the patient returns.
 */
async function asOfNow<Answer extends { readonly outcome: string }>(
  oneclick: Oneclick,
  answer: Answer | Stored,
  at: Date,
): Promise<Answer | Definite> {
  if (!isPage(answer)) return answer as Answer;
  const id = new URL(answer.url).pathname.split("/").at(-1) ?? "";
  if (at >= answer.expiresAt) await endEnrolment(oneclick.db, id, { from: ["open", "started"], to: "abandoned" });
  const enrolment = await readEnrolment(oneclick, id);
  switch (enrolment?.state) {
    case "open":
    case "started":
    case "finishing":
    case "enrolled":
      return answer;
    case "registered": {
      const user = await findUser(oneclick.db, enrolment.userId ?? "");
      if (user === undefined || enrolment.cardId === null) return { outcome: "page_abandoned" };
      const card = { ...shownCard(enrolment.cardId, user), authenticatedAt: user.enrolledAt };
      return { outcome: "registered", card };
    }
    case "declined":
      return { outcome: "declined", reason: "declined" };
    default:
      return { outcome: "page_abandoned" };
  }
}

function isPage(answer: { readonly outcome: string }): answer is Extract<Stored, { outcome: "page" }> {
  return answer.outcome === "page";
}

/** The current state of an enrolment, which ends when its time is over; undefined if there is none. */
export async function readEnrolment(oneclick: Oneclick, id: string): Promise<Enrolment | undefined> {
  const { clock, db } = oneclick;
  const enrolment = await findEnrolment(db, id);
  if (enrolment === undefined) return undefined;
  const now = clock.now().getTime();
  const { closesAt, returnedAt, state } = enrolment;
  if ((state === "open" || state === "started") && now >= closesAt.getTime())
    await endEnrolment(db, enrolment.id, { from: ["open", "started"], to: "abandoned" });
  else if (state === "finishing" && now >= (returnedAt?.getTime() ?? now) + FINISH_MS + FINISH_LEASE_MS)
    await endEnrolment(db, enrolment.id, { from: ["finishing"], to: "lost" });
  else if (state === "enrolled") await nameCard(oneclick, enrolment);
  else return enrolment;
  return findEnrolment(db, id);
}

/** The form that opens Webpay. */
export interface WebpayForm {
  readonly url: string;
  readonly token: string;
}

/** Starts Transbank's time limit at the press. Null if the page no longer waits. Throws if Transbank fails. */
export async function startAtWebpay(oneclick: Oneclick, enrolment: Enrolment): Promise<WebpayForm | null> {
  const { api, clock, db, ids, pageOrigin, terms } = oneclick;
  const { id, closesAt } = enrolment;
  if (clock.now().getTime() >= closesAt.getTime() - WEBPAY_MS - FINISH_MS) return null;
  // A second enrolment of a username would end the first.
  const username = `aapd${base32(ids.bytes(20))}`;
  const reply = await api.start({ username, email: terms.email, responseUrl: `${pageOrigin}/card/${id}/return` });
  if (reply.is === "refused") throw new WebpayUnavailable(`refused_${reply.status}`);
  const { token, url_webpay: url } = reply.answer;
  return (await startEnrolment(db, id, { username, token })) ? { url, token } : null;
}

/** Thrown when Transbank does not open its page. */
export class WebpayUnavailable extends Error {
  override readonly name = "WebpayUnavailable";
  readonly code: string;

  constructor(code: string) {
    super("Transbank does not start an enrolment.");
    this.code = code;
  }
}

/** The parameters with which Transbank redirected the browser. */
export interface ReturnFields {
  readonly token: string | undefined;
  /** The patient left with the button of Webpay's page. */
  readonly isCancelled: boolean;
}

/** The patient is back. Returns once the outcome is stored, or still unknown. */
export async function comeBack(oneclick: Oneclick, enrolment: Enrolment, { token, isCancelled }: ReturnFields) {
  // Another token is of an earlier try, which a later press replaced.
  if (token === undefined || token !== enrolment.token) return;
  if (isCancelled) await endEnrolment(oneclick.db, enrolment.id, { from: ["started"], to: "abandoned" });
  else await finish(oneclick, enrolment, token);
}

/** Tries again where an earlier request lost the answer; nothing while another request is waiting for it. */
export async function finishAgain(oneclick: Oneclick, enrolment: Enrolment): Promise<void> {
  if (enrolment.state === "finishing" && enrolment.token !== null) await finish(oneclick, enrolment, enrolment.token);
}

async function finish(oneclick: Oneclick, { id }: Enrolment, token: string): Promise<void> {
  const { api, clock, db, logger } = oneclick;
  const now = clock.now();
  const until = new Date(now.getTime() + FINISH_LEASE_MS);
  const claimed = await claimFinish(db, id, { token, now, until });
  if (claimed === undefined) return;
  if (now.getTime() >= (claimed.returnedAt?.getTime() ?? 0) + FINISH_MS)
    return endEnrolment(db, id, { from: ["finishing"], to: "lost" });
  try {
    const reply = await api.finish(token);
    if (reply.is === "answer") return await record(oneclick, claimed, reply.answer);
    logger.error("transbank.finish_refused", { status: reply.status });
    await endEnrolment(db, id, { from: ["finishing"], to: "lost" });
  } catch (error) {
    logger.warn("transbank.finish_unanswered", { error });
    await releaseFinish(db, id, clock.now());
  }
}

const NOT_FINISHED = -96;

async function record(oneclick: Oneclick, enrolment: Enrolment, answer: Finished): Promise<void> {
  const { clock, db, ids, userSeal } = oneclick;
  const { id, username, finishTries, providerId, orderHash } = enrolment;
  const { tbk_user: tbkUser, card_number: number, response_code: code } = answer;
  const last4 = /(\d{4})$/.exec(number ?? "")?.[1];
  if (code === 0 && tbkUser != null && username !== null && last4 !== undefined) {
    const at = clock.now();
    const [userId, cardId] = [ids.uuid(), ids.uuid()];
    const { brand, kind } = cardTypeOf(answer.card_type ?? "");
    const authorisationCode = answer.authorization_code ?? null;
    await inTransaction(db, async (tx) => {
      const user = {
        id: userId,
        username,
        tbkUser: userSeal.seal(tbkUser),
        brand,
        kind,
        last4,
        authorisationCode,
        enrolledAt: at,
      };
      await insertUser(tx, user);
      await insertCard(tx, { cardId, providerId, orderHash, userId, at });
      if (!(await recordEnrolled(tx, id, { userId, cardId }))) throw new EnrolmentEnded();
    });
    return nameCard(oneclick, { ...enrolment, state: "enrolled", userId, cardId });
  }
  // A second `finish` may say so of an enrolment that the first one completed.
  const isLost = code === 0 || (code === NOT_FINISHED && finishTries > 1);
  const to = isLost ? "lost" : code === NOT_FINISHED ? "abandoned" : "declined";
  await endEnrolment(db, id, { from: ["finishing"], to });
}

/** Thrown when an enrolment ended while its card was being stored. */
class EnrolmentEnded extends Error {
  override readonly name = "EnrolmentEnded";
}

/** Adds the brand and kind that `bin_info` names. The enrolment of a debit card has no brand. */
async function nameCard({ api, db, logger }: Oneclick, { id, userId }: Enrolment): Promise<void> {
  const user = await findUser(db, userId ?? "");
  if (user === undefined) return;
  const named = await api.bin(user.tbkUser).catch((error: unknown) => {
    logger.warn("transbank.bin_unanswered", { error });
    return null;
  });
  const bin = named?.is === "answer" ? named.answer : null;
  const brand = BRANDS[lettersOf(bin?.bin_brand)];
  const kind = kindOf(bin?.bin_payment_type);
  await inTransaction(db, async (tx) => {
    if (await recordRegistered(tx, id))
      await updateUser(tx, user.id, { ...(brand && { brand }), ...(kind && { kind }) });
  });
}

const BRANDS: Readonly<Record<string, CardBrand>> = {
  visa: "visa",
  mastercard: "mastercard",
  amex: "amex",
  americanexpress: "amex",
  diners: "diners",
  dinersclub: "diners",
};

/** `Redcompra` is debit and `Prepago` prepaid, of any brand; the others are brands of credit cards. */
function cardTypeOf(cardType: string): { readonly brand: CardBrand; readonly kind: CardKind } {
  const letters = lettersOf(cardType);
  const kind = letters === "redcompra" ? "debit" : letters === "prepago" ? "prepaid" : "credit";
  return { brand: BRANDS[letters] ?? "other", kind };
}

function kindOf(type: string | null | undefined): CardKind | undefined {
  const letters = lettersOf(type);
  if (letters.startsWith("cr")) return "credit";
  if (letters.startsWith("d") || letters === "redcompra") return "debit";
  return letters.startsWith("p") ? "prepaid" : undefined;
}

function lettersOf(text: string | null | undefined): string {
  return (text ?? "").toLowerCase().replaceAll(/[^a-z]/g, "");
}
