import { readFileSync } from "node:fs";
import { type LegalTextKind, legalTextKindSchema } from "../src/contract/vocabulary/legal-text.ts";
import { type Locale, localeSchema } from "../src/contract/widget-tokens.ts";

interface SampleText {
  readonly kind: LegalTextKind;
  readonly locale: Locale;
  readonly text: string;
}

/** Oldest first: a later migration replaces texts of the one before. */
const MIGRATIONS = ["0440_withdrawal_text.sql", "0501_stamp_tax_in_texts.sql"];

function textsOf(migration: string): SampleText[] {
  const sql = readFileSync(new URL(`../migrations/${migration}`, import.meta.url), "utf8");
  const texts = sql.matchAll(/\('staging', '(\w+)', 'muestra-\d', '([\w-]+)',[^$]*\$text\$([^$]*)\$text\$/g);
  return [...texts].map(([, kind, locale, text = ""]) => ({
    kind: legalTextKindSchema.parse(kind),
    locale: localeSchema.parse(locale),
    text,
  }));
}

/** Staging's sample texts that patients are shown, as their migrations store them. */
export const SAMPLE_TEXTS: readonly SampleText[] = [
  ...new Map(MIGRATIONS.flatMap(textsOf).map((text) => [`${text.kind} ${text.locale}`, text])).values(),
];
