import { describe, expect, it } from "vitest";
import { SAMPLE_TEXTS } from "../../../test/sample-texts.ts";
import { legalTextKindSchema } from "../../contract/vocabulary/legal-text.ts";
import { localeSchema } from "../../contract/widget-tokens.ts";
import { faultsOfText } from "./fill-text.ts";

describe("staging's sample texts", () => {
  it("exist for every kind in every language", () => {
    const wanted = legalTextKindSchema.options.flatMap((kind) => localeSchema.options.map((of) => `${kind} ${of}`));
    expect(SAMPLE_TEXTS.map(({ kind, locale }) => `${kind} ${locale}`).toSorted()).toEqual(wanted.toSorted());
  });

  it.each(SAMPLE_TEXTS)("have no fault that `aapd texts set` would refuse: $kind in $locale", ({ kind, text }) => {
    expect(faultsOfText(kind, text)).toEqual([]);
  });
});
