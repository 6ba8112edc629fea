import { type LegalTextKind, type LegalTextName, legalTextKindSchema } from "../contract/vocabulary/legal-text.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Environment } from "../platform/provider.ts";
import type { ProviderOperations } from "../tenants/providers.ts";
import { faultsOfText, fillText, namesStampTax } from "./agreement/fill-text.ts";
import {
  insertLegalText,
  type LegalText,
  presentNamesColumn,
  presentWithdrawalColumn,
  selectLegalTexts,
  selectPresentNames,
  type TranslatedText,
} from "./legal-text-store.ts";

/** Thrown when a text cannot be shown to patients, or its version already exists. Each line is for the operator. */
export class LegalTextRefused extends Error {
  override readonly name = "LegalTextRefused";
  readonly code = "legal_text_refused";

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

export interface NewLegalText extends LegalTextName {
  readonly locale: Locale;
  readonly text: string;
}

/**
 * Sets a text. A Spanish text takes effect at once. Other languages are translations of the Spanish text with the same
 * version.
 */
export async function setLegalText(
  { db, clock, ids, environment, actor }: Omit<ProviderOperations, "keyring">,
  { kind, version, locale, text }: NewLegalText,
): Promise<void> {
  const faults = faultsOfText(kind, text);
  if (faults.length > 0) throw new LegalTextRefused(faults);
  const setAt = clock.now();
  await inTransaction(db, async (tx) => {
    const known = await selectLegalTexts(tx, environment);
    // A service that took payments before it had this text keeps taking them, with the contract that it had.
    if (kind === "contract" && !known.some((one) => one.kind === "withdrawal"))
      throw new LegalTextRefused(["Set the withdrawal first: patients accept it with the contract."]);
    const isTranslation = known.some((one) => one.kind === kind && one.version === version && one.locale === "es-CL");
    if (locale !== "es-CL" && !isTranslation)
      throw new LegalTextRefused(["Set the Spanish text of this version first."]);
    if (!(await insertLegalText(tx, { environment, kind, version, locale, text, setAt })))
      throw new LegalTextRefused([
        "This version already has a text, which cannot change. Give the new text a new version.",
      ]);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: null,
      actor: actor ?? "service",
      credentialId: null,
      act: "legal.text_set",
      subject: { kind: "legal_text", id: kind },
      details: { version, locale },
      at: setAt,
    });
  });
}

/** Every stored text, by kind, newest first. */
export function listLegalTexts(db: Database, environment: Environment): Promise<LegalText[]> {
  return selectLegalTexts(db, environment);
}

/** The kinds that have no text. All but the withdrawal are needed before payments are possible. */
export function kindsWithoutText(texts: readonly LegalTextName[]): readonly LegalTextKind[] {
  return legalTextKindSchema.options.filter((kind) => !texts.some((text) => text.kind === kind));
}

/** The current texts, as a column of another feature's statement, for `requireTexts`. */
export function namedTexts(environment: Environment): ReadColumn<readonly LegalTextName[]> {
  return presentNamesColumn(environment);
}

/** The current withdrawal in each language, as a column of another feature's statement, for `fillWithdrawal`. */
export function namedWithdrawal(environment: Environment): ReadColumn<readonly TranslatedText[]> {
  return presentWithdrawalColumn(environment);
}

/** The agreement's sentence about the right of withdrawal; null if there is none. */
export function fillWithdrawal(
  texts: readonly TranslatedText[],
  { locale, supportEmail }: { readonly locale: Locale; readonly supportEmail: string },
): string | null {
  const text = texts.find((each) => each.locale === locale) ?? texts.find((each) => each.locale === "es-CL");
  if (text === undefined) return null;
  return fillText(text.text, { support_email: supportEmail }).blocks[0]?.text ?? null;
}

/** The kinds that have no text now. */
export async function readKindsWithoutText(db: Database, environment: Environment): Promise<readonly LegalTextKind[]> {
  return kindsWithoutText(await selectPresentNames(db, environment));
}

/** The kinds whose present text does not name the stamp tax, which earlier texts did not need. */
export async function readKindsWithoutStampTax(
  db: Database,
  environment: Environment,
): Promise<readonly LegalTextKind[]> {
  const present = (await selectLegalTexts(db, environment)).filter(({ isPresent }) => isPresent);
  const silent = present.filter(({ kind, text }) => !namesStampTax(kind, text));
  return [...new Set(silent.map(({ kind }) => kind))];
}

/** The texts that a payment accepts now. Throws as `requireTexts` does. */
export async function presentTexts(db: Database, environment: Environment): Promise<LegalTextName[]> {
  return requireTexts(await selectPresentNames(db, environment));
}

/**
 * One text of every kind, in order. Throws 503 `service_unavailable` if a kind has no text, except the withdrawal: a
 * service with a contract of before that kind existed keeps taking payments.
 */
export function requireTexts(names: readonly LegalTextName[]): LegalTextName[] {
  const missing = kindsWithoutText(names).filter((kind) => kind !== "withdrawal");
  if (missing.length > 0)
    throw new ApiError(
      "service_unavailable",
      {},
      { cause: new LegalTextRefused(missing.map((kind) => `No ${kind}.`)) },
    );
  return legalTextKindSchema.options.flatMap((kind) => names.filter((name) => name.kind === kind));
}
