import type { ConsentPurpose, GivenConsent } from "../contract/orders.ts";
import { type ConsentText, type Locale, localeSchema } from "../contract/widget-tokens.ts";
import type { PresentColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart } from "../platform/database/transaction.ts";
import { type Ids, orderedId } from "../platform/ids.ts";
import {
  type AcceptedText,
  type ConsentsOf,
  consentsWith,
  insertConsents,
  type KeptConsent,
  latestLocaleOf,
  readConsents,
  readLatestLocale,
  readWithdrawnPurposes,
  withdrawnColumn,
  writeWithdrawn,
} from "./consent-store.ts";
import { type ConsentFigures, consentTexts, fillConsent, findShownText, sha256Of } from "./consent-texts.ts";

/* Consents: the texts that patients are asked to accept, their acceptances, and their withdrawals. */

/**
 * The purposes that a step requires and whose current text was not accepted. `alsoNeeded` adds purposes that only this
 * request requires: a request with a portal password requires `insurer_access`.
 */
export function consentsMissing(
  step: ConsentText["step"],
  given: readonly GivenConsent[],
  alsoNeeded: readonly ConsentPurpose[] = [],
): readonly ConsentPurpose[] {
  const accepted = new Set(given.filter((consent) => findShownText(consent) !== null).map(({ purpose }) => purpose));
  const needed = consentTexts("es-CL", step).filter(
    ({ required, purpose }) => required || alsoNeeded.includes(purpose),
  );
  return needed.map(({ purpose }) => purpose).filter((purpose) => !accepted.has(purpose));
}

/** The language of the texts that were accepted; Spanish if none is current. */
export function localeOf(given: readonly GivenConsent[]): Locale {
  return given.map(findShownText).find((shown) => shown !== null)?.locale ?? "es-CL";
}

/** The person, place and time of an acceptance. The law requires them to be stored. */
export interface Acceptance {
  readonly providerId: string;
  readonly rut: string;
  readonly orderId: string | null;
  /** The texts shown to the patient, as the body of a CTE. */
  readonly shown: StatementPart;
  readonly acceptedAt: Date;
  readonly ip: string;
  readonly userAgent: string | null;
  /** The figures of the quote in the texts; absent if the texts contain none. */
  readonly figures?: ConsentFigures;
}

/**
 * Stores each consent with its text, word for word. Texts that are not current are skipped, because the service did not
 * show them.
 */
export async function recordConsents(
  tx: Database,
  ids: Ids,
  given: readonly GivenConsent[],
  acceptance: Acceptance,
): Promise<void> {
  const shown = shownOnce(ids, given, acceptance);
  if (shown.length > 0) await insertConsents(tx, shown, acceptance);
}

/** CTEs that store consents with their texts as part of a larger statement, if its CTE `source` has a row. */
export function consentsRecordedWith(
  source: string,
  ids: Ids,
  given: readonly GivenConsent[],
  acceptance: Acceptance,
): StatementPart {
  return consentsWith(source, shownOnce(ids, given, acceptance), acceptance);
}

function shownOnce(
  ids: Ids,
  given: readonly GivenConsent[],
  { acceptedAt, figures }: Acceptance,
): readonly AcceptedText[] {
  const shown = given.map(findShownText).filter((text) => text !== null);
  const once = new Map(shown.map((entry) => [entry.text.text_sha256, entry]));
  return [...once.values()].map(({ locale, text }) => {
    const filled = figures === undefined ? text : fillConsent(text, figures);
    const kept = { ...filled, text_sha256: sha256Of(filled.text) };
    return { id: orderedId(ids.uuid(), acceptedAt), locale, text: kept, wordingSha256: text.text_sha256 };
  });
}

/** The consents that a claim requires: a mandate to file it, and permission to use the documents. */
const CLAIM_PURPOSES: readonly ConsentPurpose[] = ["claim_mandate", "health_data"];

/** A patient's accepted texts, oldest first, word for word. */
export function findConsents(db: Database, { rut, providerId }: ConsentsOf): Promise<KeptConsent[]> {
  return readConsents(db, rut, providerId);
}

/** The language of the text that a patient last accepted with a provider; Spanish if there is none. */
export async function latestLocale(
  db: Database,
  person: { readonly rut: string; readonly providerId: string },
): Promise<Locale> {
  return localeSchema.safeParse(await readLatestLocale(db, person)).data ?? "es-CL";
}

/** The same language as an expression of another feature's statement; null if there is none. */
export function namedLatestLocale(person: { readonly rut: string; readonly providerId: string }): StatementPart {
  return latestLocaleOf(person);
}

/**
 * Withdraws a patient's consents for these purposes until they are given again. With `orderIds`, only those for these
 * orders. Returns whether any of them was still valid.
 */
export async function withdrawConsents(
  tx: Database,
  of: ConsentsOf & { readonly orderIds?: readonly string[] },
  purposes: readonly ConsentPurpose[],
  at: Date,
): Promise<boolean> {
  return (await writeWithdrawn(tx, of, { purposes, at })) > 0;
}

/**
 * Whether a patient has withdrawn a consent that claims require. If so, no claim is filed or followed until it is given
 * again.
 */
export async function areClaimsWithdrawn(db: Database, of: ConsentsOf): Promise<boolean> {
  return (await readWithdrawnPurposes(db, of, CLAIM_PURPOSES)).length > 0;
}

/**
 * `areClaimsWithdrawn` as a column of another feature's statement. The provider's environment is an SQL expression of
 * it.
 */
export function namedClaimsWithdrawal(
  { rut, providerId }: { readonly rut: StatementPart; readonly providerId: StatementPart },
  environment: StatementPart,
): PresentColumn<boolean> {
  return withdrawnColumn({ rut, providerId, environment }, CLAIM_PURPOSES);
}

/** `isLaterChargeWithdrawn` as a column of another feature's statement. */
export function namedLaterChargeWithdrawal(of: {
  readonly rut: StatementPart;
  readonly providerId: StatementPart;
  readonly orderId: StatementPart;
}): PresentColumn<boolean> {
  const { rut, providerId, orderId } = of;
  return withdrawnColumn({ rut, providerId, orderId }, ["later_charge"]);
}

/** Whether the patient of an order has withdrawn consent to its later charge, and not given it again. */
export async function isLaterChargeWithdrawn(
  db: Database,
  { rut, providerId, orderId }: { readonly rut: string; readonly providerId: string; readonly orderId: string },
): Promise<boolean> {
  return (await readWithdrawnPurposes(db, { rut, providerId, orderIds: [orderId] }, ["later_charge"])).length > 0;
}
