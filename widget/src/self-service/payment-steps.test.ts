import type { PaymentPage } from "bff/contract/payment-page";
import { describe, expect, it } from "vitest";
import { paidPart, paymentPage, upcomingWith } from "../gallery/recorded-answers.ts";
import { formatPesos } from "../words/format.ts";
import { paymentSteps } from "./payment-steps.ts";
import { PAYMENT_WORDS } from "./payment-words.ts";

const stepsOf = (payment: PaymentPage) =>
  paymentSteps(payment, {
    words: PAYMENT_WORDS["es-CL"],
    date: (day) => day,
    dayOf: (moment) => moment.slice(0, 10),
    cardEnds: ({ last4 }) => `Visa ••${last4}`,
    pesos: formatPesos,
  });
const NONE = upcomingWith({ status: "none", amount: 0, commission: 0, day: null });
const CARD = { brand: "visa", last4: "6623" } as const;
const charged = (part: Parameters<typeof paidPart>[0], upcoming = NONE) =>
  paymentPage({
    paid: [...paymentPage().paid, paidPart({ amount: 35_383, at: "2026-12-03T14:10:00.000Z", ...part })],
    second_charge: { status: "collected", upcoming },
  });

describe("steps of a payment", () => {
  it("name the day, the card and the authorization code of the second charge, as of the first", () => {
    const [first, ...rest] = stepsOf(charged({}));
    expect(first?.note).toMatch(/, Visa ••6623, código 418207$/);
    expect(rest.at(-1)).toMatchObject({ state: "done", note: "2026-12-03, Visa ••6623, código 418207" });
  });

  it("name why the second charge was made, and when a declined one is tried again", () => {
    const early = upcomingWith({ ...NONE, reason: "paid_early" });
    expect(stepsOf(charged({}, early)).at(-1)?.note).toMatch(/código 418207, porque pediste pagarlo antes$/);
    const declined = { at: "2026-12-03T14:10:00.000Z", amount: upcomingWith({}).amount, card: CARD } as const;
    const upcoming = upcomingWith({ status: "on_day", day: "2026-12-05", reason: "approved" });
    const second_charge = { upcoming, declined: { ...declined, reason: "insufficient_funds" as const } };
    expect(stepsOf(paymentPage({ second_charge })).at(-1)?.note).toBe(
      "Tu banco rechazó la tarjeta ••6623 el 2026-12-03. Lo intentaremos de nuevo el 2026-12-05.",
    );
  });

  it("name the last day to pay what a card is no longer charged", () => {
    const upcoming = upcomingWith({ status: "card_needed", day: "2027-01-05" });
    const second_charge = { upcoming, held_by: "mandate_revoked" as const };
    expect(stepsOf(paymentPage({ second_charge })).at(-1)).toMatchObject({
      state: "stuck",
      note: expect.stringMatching(/^Vence a más tardar el 2027-01-05\. Retiraste la autorización para tu tarjeta\. /),
    });
  });

  it("quote the isapre's rejection, and name where to complain", () => {
    const claim = { status: "rejected", since: "2026-12-03T14:10:00.000Z", reason: "Plan sin cobertura" } as const;
    const answer = stepsOf(paymentPage({ claim })).find(({ label }) => label.startsWith("Resp"));
    expect(answer?.note).toBe(
      "Rechazó el 2026-12-03: «Plan sin cobertura». Puedes reclamar en tu isapre y, después, en la Superintendencia de Salud.",
    );
  });

  it("name what the bank returned of either charge, under review or for good", () => {
    const reviewed = { disputed_amount: 35_383, lost_amount: 10_000 };
    expect(stepsOf(charged(reviewed)).at(-1)).toMatchObject({
      state: "stuck",
      note: expect.stringMatching(/código 418207\. Tu banco te devolvió \$35\.383 mientras revisa tu reclamo\.$/),
    });
    const lost = { ...reviewed, lost_amount: 35_383 };
    expect(stepsOf(charged(lost)).at(-1)).toMatchObject({
      state: "done",
      note: expect.stringMatching(/código 418207\. Tu banco te devolvió \$35\.383\.$/),
    });
    const paid = paymentPage().paid.map((part) => ({ ...part, disputed_amount: part.amount }));
    expect(stepsOf(paymentPage({ paid }))[0]?.note).toMatch(/^2026.* Tu banco te devolvió \$13\.786 mientras /);
  });

  it("name the deadline of a receipt that the clinic has not sent, and await none for a withdrawn claim", () => {
    const claim = { status: "waiting_for_receipt", filed_at: null, since: "2026-11-22T02:30:00.000Z" } as const;
    const boleta = (payment: Parameters<typeof paymentPage>[0]) =>
      stepsOf(paymentPage({ claim, consultation_day: null, ...payment })).find(({ label }) => label === "Boleta");
    const deadline = "el 2027-01-20";
    expect(boleta({ as_of: "2027-01-21T02:59:00.000Z" })).toMatchObject({
      state: "now",
      note: `Esperamos que la clínica la envíe. El plazo usual de las isapres es ${deadline}.`,
    });
    expect(boleta({ as_of: "2027-01-21T03:00:00.000Z" })).toMatchObject({
      state: "stuck",
      note: `La clínica no la envió hasta ${deadline}, el plazo usual de las isapres.`,
    });
    expect(boleta({ claim: { status: "stopped", filed_at: null } })).toBeUndefined();
  });

  it("await no answer to a claim that is not followed any more, or was not filed", () => {
    const answerTo = (filed_at: string | null, status: PaymentPage["status"] = "paid") =>
      stepsOf(paymentPage({ status, claim: { status: "stopped", filed_at } })).find(({ label }) =>
        label.startsWith("Resp"),
      );
    const filedAt = "2026-11-21T15:00:00.000Z";
    expect(answerTo(filedAt)).toMatchObject({ state: "stuck", note: "Ya no preguntamos por ella." });
    expect(answerTo(filedAt, "refunded")?.note).toBe("Ya no corresponde: la clínica te devolvió todo.");
    expect(answerTo(null)).toMatchObject({ state: "ahead", note: null });
  });
});
