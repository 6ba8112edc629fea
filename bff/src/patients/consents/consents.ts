import type { ConsentPurpose, GivenConsent } from "../../contract/orders.ts";
import { type ConsentText, type Locale, localeSchema } from "../../contract/widget-tokens.ts";
import type { Database, StatementPart } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import {
  type ConsentsOf,
  consentsWith,
  insertConsents,
  type KeptConsent,
  readConsents,
  readLatestLocale,
  readWithdrawnPurposes,
  type ShownPage,
  writeWithdrawn,
} from "./consent-store.ts";
import { consentTexts, findShownText, type ShownText } from "./consent-texts.ts";

/**
 * The purposes that a step needs and that were not accepted in their current words. `alsoNeeded` adds purposes that only
 * this request needs: whoever gives a portal password must have accepted `insurer_access`.
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

/** Who accepted, where and when, as the law wants it kept. */
export interface Acceptance {
  readonly providerId: string;
  readonly rut: string;
  readonly orderId: string | null;
  readonly page: ShownPage;
  readonly acceptedAt: Date;
  readonly ip: string;
  readonly userAgent: string | null;
}

/** Keeps each consent with its text, word for word. What is no current text is left out: it was not shown by us. */
export async function recordConsents(
  tx: Database,
  ids: Ids,
  given: readonly GivenConsent[],
  acceptance: Acceptance,
): Promise<void> {
  const shown = shownOnce(ids, given);
  if (shown.length > 0) await insertConsents(tx, shown, acceptance);
}

/** The same as `recordConsents`, as CTEs for a larger statement: written only where its CTE `source` has a row. */
export function consentsRecordedWith(
  source: string,
  ids: Ids,
  given: readonly GivenConsent[],
  acceptance: Acceptance,
): StatementPart {
  return consentsWith(source, shownOnce(ids, given), acceptance);
}

function shownOnce(ids: Ids, given: readonly GivenConsent[]): readonly (ShownText & { readonly id: string })[] {
  const shown = given.map(findShownText).filter((text) => text !== null);
  const once = new Map(shown.map((entry) => [entry.text.text_sha256, entry]));
  return [...once.values()].map((entry) => ({ id: ids.uuid(), ...entry }));
}

/** What a claim needs: a mandate to file it, and leave to use the documents. */
const CLAIM_PURPOSES: readonly ConsentPurpose[] = ["claim_mandate", "health_data"];

/** Everything that a person has accepted, oldest first, word for word. */
export function findConsents(db: Database, { rut, providerId }: ConsentsOf): Promise<KeptConsent[]> {
  return readConsents(db, rut, providerId);
}

/** The language in which a person was last asked with a provider. */
export async function latestLocale(
  db: Database,
  person: { readonly rut: string; readonly providerId: string },
): Promise<Locale> {
  return localeSchema.safeParse(await readLatestLocale(db, person)).data ?? "es-CL";
}

/**
 * Ends what a person accepted for these purposes, until they accept it again; with `orderIds` only what they accepted for
 * these orders. True when something of it held.
 */
export async function withdrawConsents(
  tx: Database,
  of: ConsentsOf & { readonly orderIds?: readonly string[] },
  purposes: readonly ConsentPurpose[],
  at: Date,
): Promise<boolean> {
  return (await writeWithdrawn(tx, of, { purposes, at })) > 0;
}

/** Has a person withdrawn what a claim needs? Then none is filed or followed for them until they accept it again. */
export async function areClaimsWithdrawn(db: Database, of: ConsentsOf): Promise<boolean> {
  return (await readWithdrawnPurposes(db, of, CLAIM_PURPOSES)).length > 0;
}
