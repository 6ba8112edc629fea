import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { legalTextKindSchema } from "../../contract/vocabulary/legal-text.ts";
import { localeSchema } from "../../contract/widget-tokens.ts";
import { faultsOfText } from "./fill-text.ts";

/** Staging's sample texts, as their migration stores them. */
const SAMPLES = [
  ...readFileSync(new URL("../../../migrations/0440_withdrawal_text.sql", import.meta.url), "utf8").matchAll(
    /\('staging', '(\w+)', 'muestra-2', '([\w-]+)',[^$]*\$text\$([^$]*)\$text\$/g,
  ),
].map(([, kind = "", locale = "", text = ""]) => ({
  kind: legalTextKindSchema.parse(kind),
  locale: localeSchema.parse(locale),
  text,
}));

describe("staging's sample texts", () => {
  it("exist for every kind in every language", () => {
    const wanted = legalTextKindSchema.options.flatMap((kind) => localeSchema.options.map((of) => `${kind} ${of}`));
    expect(SAMPLES.map(({ kind, locale }) => `${kind} ${locale}`).toSorted()).toEqual(wanted.toSorted());
  });

  it.each(SAMPLES)("have no fault that `aapd texts set` would refuse: $kind in $locale", ({ kind, text }) => {
    expect(faultsOfText(kind, text)).toEqual([]);
  });
});
