import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { consentPurposeSchema, type GivenConsent } from "../contract/orders.ts";
import { type ConsentText, consentTextSchema } from "../contract/widget-tokens.ts";
import { consentTexts, fillConsent, findShownText } from "./consent-texts.ts";
import { consentsMissing } from "./consents.ts";

const FIGURES = { today: "$13.786", later_charge: "$35.383", latest_date: "5 de enero" };

function accept(texts: readonly ConsentText[]): GivenConsent[] {
  return texts.map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
}

describe("the consent texts", () => {
  it.each(["es-CL", "en"] as const)(
    "exist for every purpose in %s, each with the hash of its exact words",
    (locale) => {
      const texts = consentTexts(locale);
      expect(texts.map(({ purpose }) => purpose)).toEqual(consentPurposeSchema.options);
      for (const text of texts) {
        expect(consentTextSchema.safeParse(text).success).toBe(true);
        expect(text.text_sha256).toBe(createHash("sha256").update(text.text, "utf8").digest("hex"));
      }
    },
  );

  it("differ between languages, and each is found by its hash", () => {
    for (const locale of ["es-CL", "en"] as const) {
      for (const text of consentTexts(locale)) expect(findShownText(text)).toEqual({ locale, text });
    }
  });

  it.each([
    ["es-CL", /\$35\.383: .* 5 de enero\./, /pago \$13\.786 hoy y \$35\.383 en el segundo cobro/],
    ["en", /\$35\.383 once more: .* 5 de enero\./, /\$13\.786 today and \$35\.383 in the second charge/],
  ] as const)(
    "name the amounts and the day of the quote in %s, and have the hash of the wording",
    (locale, later, credit) => {
      const texts = consentTexts(locale, "payment");
      const filled = texts.map((text) => fillConsent(text, FIGURES));
      const of = (purpose: string) => filled.find((text) => text.purpose === purpose)?.text;
      expect(of("later_charge")).toMatch(later);
      expect(of("terms_and_credit")).toMatch(credit);
      expect(filled.map(({ text_sha256 }) => text_sha256)).toEqual(texts.map(({ text_sha256 }) => text_sha256));
    },
  );

  it("leave no placeholder unfilled", () => {
    for (const locale of ["es-CL", "en"] as const) {
      for (const text of consentTexts(locale)) expect(fillConsent(text, FIGURES).text).not.toMatch(/[{}]/);
    }
  });

  it("address the patient as tú, never as usted", () => {
    for (const { text } of consentTexts("es-CL")) expect(text).not.toMatch(/\b(usted|su isapre|su tarjeta)\b/i);
  });
});

describe("the consents that a step requires", () => {
  it.each(["es-CL", "en"] as const)("are complete with every required one in %s", (locale) => {
    for (const step of ["payment", "onboarding"] as const) {
      const required = consentTexts(locale, step).filter((text) => text.required);
      expect(required.length).toBeGreaterThan(0);
      expect(consentsMissing(step, accept(required))).toEqual([]);
    }
  });

  it("are reported missing one by one", () => {
    expect(consentsMissing("payment", [])).toEqual(["terms_and_credit", "later_charge"]);
    const [first] = accept(consentTexts("es-CL", "payment"));
    expect(consentsMissing("payment", first === undefined ? [] : [first])).toEqual(["later_charge"]);
  });

  it("are not satisfied by another version, or by another text of the same purpose", () => {
    const given = accept(consentTexts("es-CL", "payment"));
    const outdated = given.map((consent) => ({ ...consent, text_version: "2020-01" }));
    const altered = given.map((consent) => ({ ...consent, text_sha256: "0".repeat(64) }));
    expect(consentsMissing("payment", outdated)).toHaveLength(2);
    expect(consentsMissing("payment", altered)).toHaveLength(2);
  });

  it("include consent to store the portal password if one is given", () => {
    const required = consentTexts("en", "onboarding").filter((text) => text.required);
    expect(consentsMissing("onboarding", accept(required), ["insurer_access"])).toEqual(["insurer_access"]);
    expect(consentsMissing("onboarding", accept(consentTexts("en", "onboarding")), ["insurer_access"])).toEqual([]);
  });
});
