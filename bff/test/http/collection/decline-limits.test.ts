import { expect, test } from "vitest";
import { showOrder } from "../../../src/back-office/timeline/order-timeline.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  PATIENTS,
  START,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";

/*
 * A card has limits on amount and on number of uses. The patient, who can raise a limit, learns that a limit was
 * exceeded. So do the operator and the partner, in addition to the known reason.
 */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const LIMITED = { amount: "4051885600000230", uses: "4051885600000248" } as const;
const DECLINED_MAIL = "No pudimos hacer el segundo cobro";

async function endsOf(hash: string, what: string) {
  const { orderId } = await clinic.order(hash);
  const { clock, database } = world.bff;
  const look = { orderId, providers: [clinic.clinic.provider], actor: "operator:camila", isRevealed: false };
  const shown = await showOrder({ db: database.db, clock, ids: systemIds, environment: "staging" }, look);
  return present(shown)
    .happened.filter((entry) => entry.what === what)
    .map(({ facts }) => facts);
}

test("a payment above the card's limit reports the limit, also when repeated, and another card pays", async () => {
  const hash = await clinic.readyOrder({ total: 100_000, card: LIMITED.amount });
  const once = { headers: { "idempotency-key": "first" } };
  for (const { status, body } of [await clinic.pay(hash, once), await clinic.pay(hash, once)])
    expect([status, body]).toMatchObject([
      400,
      { code: "card_declined", decline_reason: "declined", decline_limit: "amount" },
    ]);
  expect((await clinic.read(hash)).payments).toMatchObject([
    { status: "declined", decline_reason: "declined", decline_limit: "amount" },
  ]);
  expect(await endsOf(hash, "payment.ended")).toMatchObject([
    { declined_because: "declined", beyond_limit_of: "amount" },
  ]);
  await clinic.addCard(hash);
  expect((await clinic.pay(hash)).status).toBe(200);
  const [, captured] = (await clinic.read(hash)).payments;
  expect(captured).not.toHaveProperty("decline_limit");
});

test.each([
  ["amount", "un límite por compra o por día menor que este monto"],
  ["uses", "al máximo de usos que permite tu banco"],
] as const)("a later charge beyond the card's limit of %s is reported by mail and retried", async (limit, words) => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered, LIMITED[limit]);
  await clinic.approve(hash);
  await world.bff.runDue();
  expect(await clinic.mailTexts(DECLINED_MAIL)).toEqual([expect.stringContaining(words)]);
  expect(await clinic.collectionStatus(hash)).toContain("scheduled");
  const [, later] = (await clinic.read(hash)).payments;
  expect(later).toMatchObject({ status: "declined", decline_reason: "declined", decline_limit: limit });
  expect(await endsOf(hash, "charge.ended")).toMatchObject([{ declined_because: "declined", beyond_limit_of: limit }]);
});

test("an early payment above the card's limit reports the limit, at once and when repeated", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered, LIMITED.amount);
  const { provider } = clinic.clinic;
  const paid = await payEarly(world.collection, { provider, key: clinic.key(hash), now: world.bff.clock.now() });
  expect(paid).toEqual({ outcome: "declined", reason: "declined", limit: "amount" });
});
