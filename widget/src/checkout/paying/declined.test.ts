import { canRetry } from "bff/contract/decline-retry";
import { type DeclineReason, declineLimitSchema, declineReasonSchema } from "bff/contract/errors";
import { describe, expect, it } from "vitest";
import { refusalWith, VISA } from "../../gallery/recorded-answers.ts";
import { en } from "../../words/en.ts";
import { esCl } from "../../words/es-cl.ts";
import { declinedWords } from "./declined.ts";

const HELPED: readonly DeclineReason[] = ["insufficient_funds", "authentication_failed", "authentication_abandoned"];

describe("the same card is offered again", () => {
  it.each(declineReasonSchema.options)("after %s only if another try can help", (decline_reason) => {
    expect(canRetry(decline_reason, undefined)).toBe(HELPED.includes(decline_reason));
  });

  it.each(declineLimitSchema.options)("after its limit of %s, which the patient can raise", (decline_limit) => {
    expect(canRetry("declined", decline_limit)).toBe(true);
  });

  it("never if the reason is not known", () => {
    expect(canRetry(undefined, undefined)).toBe(false);
  });
});

describe("the words of a declined payment", () => {
  const card = { ...VISA, brand: "mastercard", last4: "0568" } as const;
  const wordsOf = (additions: Parameters<typeof refusalWith>[2], words = esCl) =>
    declinedWords(refusalWith("card_declined", 400, additions), card, "$11.697", words);

  it("name the card and the amount, and why", () => {
    expect(wordsOf({ decline_reason: "insufficient_funds" })).toEqual({
      title: "Tu banco rechazó el pago de $11.697 con la Mastercard ••0568",
      text: "Tu tarjeta no tiene cupo suficiente. No se cobró nada.",
    });
    expect(wordsOf({ decline_reason: "declined" }, en).title).toBe("Your bank declined Mastercard ••0568 for $11.697");
  });

  it("give the reason of the order's card after a reload", () => {
    const mistyped = { ...card, decline_reason: "security_code_wrong" } as const;
    const { declines } = esCl;
    expect(declinedWords(null, mistyped, "$11.697", esCl).text).toBe(
      `${declines.security_code_wrong.title}. ${declines.security_code_wrong.text}`,
    );
    expect(declinedWords(null, card, "$11.697", esCl).text).toBe(declines.declined.text);
  });

  it("do not say that the bank refused a card whose patient did not confirm", () => {
    expect(wordsOf({ decline_reason: "authentication_abandoned" })).toEqual({
      title: "No terminaste la confirmación con tu banco",
      text: "No se cobraron $11.697 en la Mastercard ••0568.",
    });
  });

  it('say "a card" if its brand is unknown', () => {
    const unbranded = declinedWords(refusalWith("card_declined", 400), { ...card, brand: "other" }, "$11.697", esCl);
    expect(unbranded.title).toBe("Tu banco rechazó el pago de $11.697 con la tarjeta ••0568");
  });

  it.each(declineReasonSchema.options)("after %s say in both languages that nothing was charged", (decline_reason) => {
    expect(wordsOf({ decline_reason }).text).toMatch(/No se (cobró nada|cobraron)/);
    expect(wordsOf({ decline_reason }, en).text).toMatch(/was not charged|Nothing was charged/);
  });
});
