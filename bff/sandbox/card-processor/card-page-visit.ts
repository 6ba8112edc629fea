import * as z from "zod/mini";
import type { DeclineReason } from "../../src/contract/errors.ts";
import type { CardToSeal } from "../../src/contract/orders.ts";
import { passesLuhn } from "../../src/contract/vocabulary/luhn.ts";
import type { RegisterCardOutcome } from "../../src/gateways/card-processor.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../../src/platform/database/transaction.ts";
import type { Ids } from "../../src/platform/ids.ts";
import type { Effect } from "../calls/sandbox-call.ts";
import { type MagicCard, registrationDecline } from "./card.ts";
import { cardBrandOf } from "./card-brand.ts";
import { insertCard, lockSource, type NewCard, reportedCard } from "./card-processor-store.ts";
import { endVisit, findVisit, insertVisit, type PageVisit, type SealedBefore } from "./card-registration-store.ts";

/** How long the page waits for the patient. */
const CARD_PAGE_MINUTES = 10;

type Definite = Exclude<RegisterCardOutcome, Unknown>;

interface Opening {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly challengeOrigin: string;
}

/** Opens the page for a card that is typed there, or that was sealed and is confirmed there. */
export async function openVisit(
  { ids, clock, challengeOrigin }: Opening,
  tx: Transaction,
  { providerId, at }: GatewayCall,
  asked: Pick<PageVisit, "orderHash" | "returnUrl" | "sealed">,
): Promise<Effect<Definite>> {
  const id = ids.uuid();
  const lifetimeMs = CARD_PAGE_MINUTES * 60_000;
  const expiresAt = new Date(at.getTime() + lifetimeMs);
  const pageExpiresAt = new Date(clock.now().getTime() + lifetimeMs);
  await insertVisit(tx, { ...asked, id, providerId, expiresAt, pageExpiresAt }, at);
  const display = asked.sealed?.behaviour === "enrolled_in_window" ? ({ display: "window" } as const) : {};
  return { answered: { outcome: "page", url: `${challengeOrigin}/card/${id}`, expiresAt, ...display } };
}

/** The current state of an opened page. An expired one no longer registers a card. */
export async function visitAsOfNow<Answer extends { readonly outcome: string }>(
  db: Database,
  answer: Answer | Extract<RegisterCardOutcome, { outcome: "page" }>,
  at: Date,
): Promise<Answer | Definite> {
  if (!isPage(answer)) return answer;
  const id = new URL(answer.url).pathname.split("/").at(-1) ?? "";
  if (at >= answer.expiresAt) await endVisit(db, id, { state: "abandoned" });
  const visit = await findVisit(db, id);
  switch (visit?.state) {
    case "pending":
      return answer;
    case "registered":
      return registeredOf(db, visit);
    case "declined":
      return { outcome: "declined", reason: visit.declineReason ?? "declined" };
    default:
      return { outcome: "page_abandoned" };
  }
}

function isPage(answer: { readonly outcome: string }): answer is Extract<RegisterCardOutcome, { outcome: "page" }> {
  return answer.outcome === "page";
}

async function registeredOf(db: Database, { providerId, cardId }: PageVisit): Promise<Definite> {
  const card = await inTransaction(db, (tx) => lockSource(tx, { providerId, cardId: cardId ?? "" }));
  if (card === undefined) return { outcome: "page_abandoned" };
  return { outcome: "registered", card: reportedCard(card) };
}

export interface PageDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly magicCard: (number: string) => MagicCard | null;
}

/** A visit for the page. An expired one is abandoned. Undefined if there is none. */
export async function readVisit(
  { db, clock }: Pick<PageDependencies, "db" | "clock">,
  id: string,
): Promise<PageVisit | undefined> {
  const visit = await findVisit(db, id);
  if (visit?.state !== "pending" || clock.now() < visit.pageExpiresAt) return visit;
  await endVisit(db, id, { state: "abandoned" });
  return findVisit(db, id);
}

/** The typed card, with the spaces and dashes that people type. */
const typedSchema = z.object({
  number: z.pipe(
    z.string(),
    z.transform((text: string) => text.replaceAll(/[ -]/g, "")),
  ),
  expiry: z.string(),
  cvc: z.string().check(z.regex(/^\d{3,4}$/)),
  holder_name: z.string().check(z.trim(), z.minLength(1), z.maxLength(120)),
});

type Typed = Pick<CardToSeal, "number" | "exp_month" | "exp_year" | "holder_name">;

function readTyped(body: unknown): Typed | null {
  const typed = typedSchema.safeParse(body);
  const expiry = /^(\d{1,2}) ?\/ ?(?:20)?(\d{2})$/.exec(typed.data?.expiry.trim() ?? "");
  if (!typed.success || expiry === null || !/^\d{12,19}$/.test(typed.data.number)) return null;
  const month = Number(expiry[1]);
  if (month < 1 || month > 12) return null;
  const { number, holder_name } = typed.data;
  return { number, holder_name, exp_month: month, exp_year: 2_000 + Number(expiry[2]) };
}

/**
 * Handles the pressed button of the page. `wrong`: the card is malformed, and the page asks again. The number and the
 * security code are not kept.
 */
export async function answerVisit(
  dependencies: PageDependencies,
  id: string,
  { choice, body }: { readonly choice: "register" | "cancel"; readonly body: unknown },
): Promise<{ readonly visit: PageVisit; readonly wrong: boolean } | undefined> {
  const { db } = dependencies;
  const visit = await readVisit(dependencies, id);
  if (visit?.state !== "pending") return visit && { visit, wrong: false };
  if (choice === "cancel") await endVisit(db, id, { state: "abandoned" });
  else {
    const given = visit.sealed === null ? typedCard(dependencies, readTyped(body)) : visit.sealed;
    if (given === null) return { visit, wrong: true };
    await register(dependencies, visit, given);
  }
  const after = await findVisit(db, id);
  return after && { visit: after, wrong: false };
}

type Given = SealedBefore & { readonly declined?: (at: Date) => DeclineReason | null };

function typedCard({ magicCard }: PageDependencies, typed: Typed | null): Given | null {
  if (typed === null) return null;
  const known = magicCard(typed.number);
  const behaviour = known?.behaviour ?? ("approved" as const);
  const expiry = { expMonth: typed.exp_month, expYear: typed.exp_year };
  const facts = { ...expiry, behaviour, known: known !== null, passesLuhn: passesLuhn(typed.number) };
  return {
    ...expiry,
    brand: cardBrandOf(typed.number),
    last4: typed.number.slice(-4),
    holderName: typed.holder_name,
    kind: known?.kind ?? "credit",
    behaviour,
    declined: (at) => registrationDecline(facts, at),
  };
}

async function register(
  { db, clock, ids }: PageDependencies,
  { id, providerId, orderHash, expiresAt, pageExpiresAt }: PageVisit,
  { declined = () => null, ...given }: Given,
): Promise<void> {
  // The visit records how far the provider's time is ahead.
  const aheadMs = expiresAt.getTime() - pageExpiresAt.getTime();
  const at = new Date(clock.now().getTime() + aheadMs);
  const reason = declined(at);
  await inTransaction(db, async (tx) => {
    if (reason !== null) return void (await endVisit(tx, id, { state: "declined", reason }));
    const card: NewCard = { ...given, id: ids.uuid(), providerId, orderHash, registeredAt: at };
    // A second press registers nothing: the first has ended the visit.
    if (await endVisit(tx, id, { state: "registered", cardId: card.id })) await insertCard(tx, card, null);
  });
}
