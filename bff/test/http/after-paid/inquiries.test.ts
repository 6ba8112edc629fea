import { expect, test } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { changeCardOnPage } from "../../../src/collection/change-card.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { INQUIRY_DELAY_LAST_SECONDS, INQUIRY_DELAYS_SECONDS } from "../../../src/contract/terms.ts";
import { SECOND_MS } from "../../../src/contract/vocabulary/durations.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { knownPatientsOf, toKeep } from "../orders/known-patients-world.ts";
import { present } from "../orders/orders-world.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  LATER,
  PATIENTS,
  WITHOUT_CLINICS_MONEY,
} from "./after-paid-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const paid = () => clinic.justPaid();
const refund = (hash: string) => clinic.refund(hash);
const approve = (hash: string) => clinic.approve(hash);

function openPage(hash: string) {
  const { provider } = clinic.clinic;
  const link = {
    provider: { ...provider, settings: { ...provider.settings, cardPage: true } },
    key: clinic.key(hash),
    widgetTokenId: systemIds.uuid(),
  };
  return changeCardOnPage(world.collection, { ...link, shown: null, now: world.bff.clock.now() });
}

function pay(hash: string) {
  const { provider } = clinic.clinic;
  return payEarly(world.collection, { provider, key: clinic.key(hash), now: world.bff.clock.now() });
}

/** Calls whose outcome is inquired about if no answer arrives, each with its preconditions and its trigger. */
const CALLS = [
  {
    call: "a first charge",
    at: ["card-processor", "charge"],
    before: () => clinic.readyOrder({ card: LATER.captured }),
    begin: (hash: string) => clinic.pay(hash),
  },
  { call: "a deferred charge", at: ["card-processor", "charge"], before: paid, begin: approve },
  {
    call: "an issuer's answer about another card",
    at: ["card-processor", "authenticate"],
    before: paid,
    begin: (hash: string) => clinic.giveCard(hash),
  },
  {
    call: "an issuer's answer about an early payment",
    at: ["card-processor", "authenticate"],
    before: paid,
    begin: pay,
  },
  { call: "a page for another card", at: ["card-processor", "registerCard"], before: paid, begin: openPage },
  { call: "a loan's end", at: ["financing-provider", "reportLoan"], before: paid, begin: approve },
  { call: "a tax document", at: ["tax-documents", "issueDocument"], before: paid, begin: approve },
  { call: "a card's removal", at: ["card-processor", "removeCard"], before: paid, begin: approve },
  { call: "a return to a card", at: ["card-processor", "returnCharge"], before: paid, begin: refund },
  { call: "a loan's reduction", at: ["financing-provider", "reduceLoan"], before: paid, begin: refund },
  {
    call: "a card's keeping",
    at: ["card-processor", "keepCard"],
    before: async () => {
      const known = await knownPatientsOf(world.bff);
      const { newOrder, identify, pay: payHere } = known.checkout;
      const hash = await newOrder();
      await identify(hash);
      await known.addCard(hash, toKeep);
      clinic = {
        ...clinic,
        clinic: known.clinic,
        pay: payHere,
        fault: (_party, methods, ...fault) => known.fault([methods].flat().join(), ...fault),
      };
      return hash;
    },
    begin: (hash: string) => clinic.pay(hash),
  },
  {
    call: "a filing",
    at: ["insurer", "fileClaim"],
    before: async () => PATIENTS.neverAnswered,
    begin: (rut: string) => clinic.claimedOrder(rut),
  },
  {
    call: "an access that is given anew",
    at: ["insurer", "fileClaim"],
    before: async () => {
      await clinic.claimedOrder(PATIENTS.neverAnswered);
      return PATIENTS.neverAnswered;
    },
    begin: (rut: string) => clinic.giveAccessAgain(rut),
  },
  { call: "a payout", at: ["bank", "transfer"], before: paid, begin: () => clinic.agreeOnPayouts() },
] as const;

const LOST = 100;

test.each(CALLS)("$call without an answer is queried at the time that the terms set", async ({ at, before, begin }) => {
  const [party, method] = at;
  const subject = await before();
  await clinic.fault(party, method, "fail_before", LOST);
  await begin(subject);
  const terms = [...INQUIRY_DELAYS_SECONDS, INQUIRY_DELAY_LAST_SECONDS, INQUIRY_DELAY_LAST_SECONDS];
  const made: number[] = [];
  while (made.length <= terms.length) {
    await world.bff.runDue();
    const { clock } = world.bff;
    for (const count = LOST - (await left()); made.length < count; ) made.push(clock.now().getTime());
    clock.set(await nextDue());
  }
  const waits = made.slice(1).map((moment, index) => (moment - (made[index] ?? 0)) / SECOND_MS);
  expect(waits).toEqual(terms);
});

test("cards, challenges and charges that were never requested are not queried first", async () => {
  const [due, early, page] = [await paid(), await paid(), await paid()];
  const { clock, database } = world.bff;
  const lost = { party: "card-processor", kind: "fail_before", calls: LOST } as const;
  const inquiries = ["inquireCharge", "inquireAuthentication", "inquireRegistration"] as const;
  await inTransaction(database.db, (tx) =>
    replaceFaults(
      tx,
      clinic.clinic.provider.id,
      inquiries.map((method) => ({ ...lost, method })),
    ),
  );
  expect(await openPage(page)).toMatchObject({ outcome: "open" });
  expect(await clinic.giveCard(early)).toEqual({ outcome: "changed" });
  clock.advance(SECOND_MS);
  expect(await pay(early)).toEqual({ outcome: "collected" });
  await approve(due);
  await world.bff.runDue();
  expect(await clinic.collectionStatus(due)).toBe("collected approved");
});

/** The number of calls that are still to be lost. */
async function left(): Promise<number> {
  const { db } = world.bff.database;
  const faults = db.selectFrom("sandbox_faults").select("remaining");
  return (await faults.where("provider_id", "=", clinic.clinic.provider.id).executeTakeFirstOrThrow()).remaining;
}

/** When the next timer of the clinic is due. */
async function nextDue(): Promise<Date> {
  const timers = world.bff.database.db.selectFrom("timers").select(({ fn }) => fn.min("due_at").as("due"));
  const { due } = await timers
    .where("provider_id", "=", clinic.clinic.provider.id)
    .where("done_at", "is", null)
    .executeTakeFirstOrThrow();
  return new Date(present(due));
}
