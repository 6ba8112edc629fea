import { describe, expect, test, vi } from "vitest";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { settleClaim } from "../../../sandbox/settle-claim.ts";
import { giveUpClaim, noteWithdrawn } from "../../../src/claims/claim-resolutions.ts";
import { stopUncalled } from "../../../src/claims/mandate.ts";
import { CLAIMS_DAILY_TIMER } from "../../../src/claims/poll-claim.ts";
import { RENEW_ACCESS_TIMER } from "../../../src/claims/renewal-timer.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { withdrawSignUp } from "../../../src/self-service/withdraw-consent.ts";
import { actionLinkIn } from "../../action-link.ts";
import { untilTestEnds } from "../../put-back.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import { startReceiver } from "../../webhook-receiver.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  PATIENTS,
  START,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";
import { expenseForm, pdf } from "../spot/expense-forms.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const advance = (milliseconds: number) => world.bff.advance(milliseconds);
const expense = async (hash: string) => (await clinic.read(hash)).expense?.status;

async function collectedAfterHours(hash: string): Promise<number | null> {
  const { payments } = await clinic.order(hash);
  const captured = payments.find(({ kind, status }) => kind === "deferred" && status === "captured");
  return captured === undefined ? null : (captured.createdAt.getTime() - START.getTime()) / HOUR_MS;
}

/** Makes the insurer answer immediately. */
const decide = (hash: string, outcome: "approve" | "reject" | "block" | "unblock") =>
  settleClaim(
    { db: world.bff.database.db },
    { providerId: clinic.clinic.provider.id, orderHash: present(readOrderId(hash)), at: world.bff.clock.now() },
    { outcome },
  );

/** The patient gives an access that the insurer refuses, like the previous one. */
async function giveRefused(hash: string, rut: string): Promise<void> {
  // The portal accepts it, and blocks it again before the next poll.
  await clinic.fault("insurer", "inquireClaim", "fail_before");
  await clinic.giveAccessAgain(rut);
  await world.bff.runDue();
  await decide(hash, "block");
}

async function withdrawMandate(rut: string): Promise<void> {
  const { db } = world.bff.database;
  const tenant = tenantOf(clinic.clinic.provider);
  const patient = present(await findBeneficiary(db, { tenant, rut: parseRut(rut) }));
  await inTransaction(db, (tx) =>
    withdrawSignUp(tx, world.bff, patient, { purposes: ["claim_mandate"], at: world.bff.clock.now() }),
  );
}

/** The sandbox's portals block the first access that they see. */
const forgetPortal = () =>
  world.bff.database.db.deleteFrom("sandbox_portals").where("provider_id", "=", clinic.clinic.provider.id).execute();

/** A patient of the sandbox's catalogue, none of whose accesses the insurer accepts. */
const ACCESS_NOT_ACCEPTED = "40006217-K";

/** When the insurer received access for an order's claim after the filing; null if never. */
async function accessRenewedAt(hash: string): Promise<Date | null> {
  const claims = world.bff.database.db.selectFrom("sandbox_claims").select("access_renewed_at");
  return (await claims.where("order_hash", "=", clinic.key(hash).orderId).executeTakeFirstOrThrow()).access_renewed_at;
}

/** The number of times that an insurer received access for a filed claim of the clinic. */
async function accessesSent(): Promise<number> {
  const calls = world.bff.database.db.selectFrom("sandbox_calls").select("idempotency_key");
  const ofClinic = calls.where("provider_id", "=", clinic.clinic.provider.id);
  return (await ofClinic.where("idempotency_key", "like", "%:access:%").execute()).length;
}

/** The validity in days of each link for giving access that was sent to the clinic's patients. */
async function linksToGiveAccess(): Promise<number[]> {
  const tokens = world.bff.database.db.selectFrom("widget_tokens").select(["created_at", "expires_at"]);
  const ofClinic = tokens.where("provider_id", "=", clinic.clinic.provider.id).where("purpose", "=", "insurer_access");
  return (await ofClinic.execute()).map((token) => (token.expires_at.getTime() - token.created_at.getTime()) / DAY_MS);
}

/** The clinic's exceptions, as `kind order`. */
async function listed(): Promise<string[]> {
  return (await clinic.exceptions()).map(({ kind, orderId }) => `${kind} ${orderId}`).toSorted();
}

/** The subject of the first mail about blocked access. */
const FIRST = "No podemos entrar a tu isapre";

describe("a claim that the insurer approves", () => {
  test("starts a daily check of the clinic's poll timers with the first filing", async () => {
    await clinic.claimedOrder(PATIENTS.neverAnswered);
    const daily = world.bff.database.db.selectFrom("timers").select("due_at").where("kind", "=", CLAIMS_DAILY_TIMER);
    const [timer] = await daily.where("key", "=", clinic.clinic.provider.id).execute();
    expect(timer?.due_at).toEqual(new Date(world.bff.clock.now().getTime() + DAY_MS));
  });

  test("on day 12 leads to the collection on that day and a notification of the patient", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
    expect(await expense(hash)).toBe("filed");
    await advance(12 * DAY_MS - HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    await advance(HOUR_MS);
    expect(await expense(hash)).toBe("approved");
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect(await collectedAfterHours(hash)).toBe(12 * 24);
    const subjects = ["Presentamos tu reembolso", "Aprobaron tu reembolso"];
    expect(await clinic.mails()).toEqual(expect.arrayContaining(subjects));
    const [approved] = await clinic.mailTexts("Aprobaron tu reembolso");
    expect(approved).toContain("Segundo cobro: $30.800\n\nTarjeta: ••6623\nComisión incluida: $2.800");
    const [trigger] = await world.bff.database.db
      .selectFrom("collection_triggers")
      .select("evidence")
      .where("order_id", "=", clinic.key(hash).orderId)
      .execute();
    expect(trigger?.evidence).toMatchObject({ approved_at: "2026-12-03T18:00:00.000Z", reimbursed: 24_000 });
    // An insurer that is polled regularly never forgets the access.
    expect(await accessesSent()).toBe(0);
  });

  test("names the day of the consultation, as the receipt carries it, in every mail and document after it", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut);
    const hash = await clinic.paidOrder({ rut });
    await world.bff.callSpotApi(spotEndpoints.submitExpense, {
      as: clinic.clinic,
      query: { rut },
      rawBody: expenseForm([pdf()], { skip_pay_order_id: hash, date: "20/11/2026" }),
    });
    await world.bff.runDue();
    await decide(hash, "approve");
    await advance(HOUR_MS);
    await clinic.refund(hash, { amount: 5_000 });
    await advance(DAY_MS);
    const { db } = world.bff.database;
    const sent = await readNotifications({ db }, { providerId: clinic.clinic.provider.id, to: null, limit: 100 });
    const later = sent.filter(({ subject }) => !subject.startsWith("Tu pago en"));
    const day = expect.stringContaining("Fecha de la atención: 20 de noviembre de 2026");
    const mailOf = ({ subject, text }: (typeof sent)[number]) => [subject, text];
    // Mails of one moment are sent in either sequence.
    expect(later.toSorted((one, other) => one.subject.localeCompare(other.subject)).map(mailOf)).toEqual([
      ["Aprobaron tu reembolso", day],
      [expect.stringMatching(/^Boleta electrónica/), day],
      [expect.stringMatching(/^Devolución de tu pago/), day],
      [`Hicimos el segundo cobro de tu pago en ${clinic.clinic.provider.name}`, day],
      [expect.stringMatching(/^Nota de crédito/), day],
      ["Presentamos tu reembolso", day],
    ]);
  });

  test("is reported only to its patient if the order has another address", async () => {
    const rut = PATIENTS.neverAnswered;
    const hash = await clinic.paidOrder({ rut });
    await clinic.register(rut, "somebody.else@example.org");
    await clinic.submitReceipt(hash, rut);
    await world.bff.runDue();
    await decide(hash, "approve");
    await advance(HOUR_MS);
    expect(await clinic.mailTexts("Aprobaron tu reembolso")).toHaveLength(1);
  });

  test("is reported without a charge if another trigger has made the rest due and is retrying", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered, LATER.declinedTwice);
    await clinic.approve(hash);
    await decide(hash, "approve");
    await advance(HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled approved");
    expect(await clinic.mailTexts("Aprobaron tu reembolso")).toEqual([expect.not.stringContaining("Segundo cobro")]);
  });

  test("late in the evening leads to the collection on that day", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
    // 23:34. The day's last poll is between 23:35 and 23:55, and the hourly one may come first.
    await advance(8.5 * HOUR_MS + 4 * MINUTE_MS);
    await decide(hash, "approve");
    await advance(21 * MINUTE_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect(await collectedAfterHours(hash)).toBeGreaterThan(8.56);
    expect(await collectedAfterHours(hash)).toBeLessThan(8.92);
  });

  test("after the day's last poll leads to the collection on the day when the service learns it", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
    await advance(9 * HOUR_MS - 5 * MINUTE_MS);
    await decide(hash, "approve");
    await advance(8 * HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    await advance(1.25 * HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("on day 46 comes too late: day 45 was first, and stays the reason", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.approvedOnDay46);
    await advance(50 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
    expect(await expense(hash)).toBe("approved");
    expect(await clinic.tries(hash)).toEqual(["captured"]);
    expect(await clinic.mailTexts("Aprobaron tu reembolso")).toEqual([expect.not.stringContaining("Segundo cobro")]);
  });
});

test("two claims of one clinic are filed separately, and an insurer's answer affects only its claim", async () => {
  const other = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  expect([await expense(other), await expense(hash)]).toEqual(["filed", "filed"]);
  const { db } = world.bff.database;
  const otherRows = await rowsOfOrder(db, clinic.key(other).orderId);
  expect(Object.keys(otherRows)).toEqual(expect.arrayContaining(["claims", "collections", "expenses"]));
  await decide(hash, "approve");
  await advance(4 * HOUR_MS);
  expect([await expense(hash), await clinic.collectionStatus(hash)]).toEqual(["approved", "collected approved"]);
  expect(await rowsOfOrder(db, clinic.key(other).orderId)).toEqual(otherRows);
});

test("renewed access is sent for every filed claim of its patient only", async () => {
  const rut = PATIENTS.neverAnswered;
  const otherOrder = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
  await clinic.register(rut);
  const hashes = [await clinic.paidOrder({ rut }), await clinic.paidOrder({ rut })];
  for (const hash of hashes) await clinic.submitReceipt(hash, rut);
  await world.bff.runDue();
  expect(await accessesSent()).toBe(0);
  const otherRows = await rowsOfOrder(world.bff.database.db, clinic.key(otherOrder).orderId);
  world.bff.clock.advance(1_000);
  const givenAt = world.bff.clock.now();
  await clinic.giveAccessAgain(rut);
  await advance(1_000);
  for (const hash of hashes) {
    expect(await accessRenewedAt(hash)).toEqual(expect.any(Date));
    const claim = await clinic.claim(hash);
    expect(claim).toMatchObject({ state: "filed", renewedAccessAt: givenAt });
  }
  expect([await accessRenewedAt(otherOrder), await accessesSent()]).toEqual([null, 2]);
  expect(await rowsOfOrder(world.bff.database.db, clinic.key(otherOrder).orderId)).toEqual(otherRows);
});

test("access that has not reached the insurer when its claim ends is no longer sent", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  await clinic.fault("insurer", "inquireFiling", "fail_before");
  await clinic.giveAccessAgain(PATIENTS.neverAnswered);
  await world.bff.runDue();
  await inTransaction(world.bff.database.db, (tx) => noteWithdrawn(tx, clinic.resolving(), clinic.key(hash)));
  await advance(HOUR_MS);
  expect(await accessRenewedAt(hash)).toBeNull();
});

test("a claim that waits for access is filed once, with the access, after a partial refund", async () => {
  const rut = PATIENTS.neverAnswered;
  await clinic.register(rut, undefined, "not_given");
  const hash = await clinic.paidOrder({ rut });
  await clinic.submitReceipt(hash, rut);
  await world.bff.runDue();
  await clinic.refund(hash, { amount: 10_000 });
  await world.bff.runDue();
  const claim = () => clinic.claim(hash);
  expect(await claim()).toMatchObject({ state: "access_missing" });
  expect(await listed()).toEqual([]);
  world.bff.clock.advance(1_000);
  await clinic.giveAccessAgain(rut);
  await world.bff.runDue();
  expect(await claim()).toMatchObject({ state: "filed", attempt: 2 });
  await advance(1_000);
  expect(await accessesSent()).toBe(0);
  const timers = world.bff.database.db.selectFrom("timers").select("kind");
  const renewals = timers.where("provider_id", "=", clinic.clinic.provider.id).where("kind", "=", RENEW_ACCESS_TIMER);
  expect(await renewals.execute()).toEqual([]);
});

test("a claim that was given up is not filed when the failed portal is retried", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.portalDown);
  await inTransaction(world.bff.database.db, (tx) => giveUpClaim(tx, clinic.resolving(), clinic.key(hash)));
  await advance(DAY_MS);
  const claim = await clinic.claim(hash);
  expect(claim).toMatchObject({ state: "stopped", reason: "given_up", attempt: 1 });
});

test("if a claim's state has changed, neither the claim nor its expense is stopped", async () => {
  const { db } = world.bff.database;
  const hash = await clinic.claimedOrder(PATIENTS.blockedAtOnce);
  await world.bff.runDue();
  expect(await expense(hash)).toBe("access_blocked");
  const claim = present(await clinic.claim(hash));
  const before = await rowsOfOrder(db, clinic.key(hash).orderId);
  const stop = { trigger: "stop", reason: "mandate_withdrawn", at: world.bff.clock.now() } as const;
  await stopUncalled(db, { ...claim, attempt: claim.attempt - 1 }, stop);
  await stopUncalled(db, { ...claim, state: "ready" }, stop);
  expect(await rowsOfOrder(db, clinic.key(hash).orderId)).toEqual(before);
  await stopUncalled(db, claim, stop);
  expect(await rowsOfOrder(db, clinic.key(hash).orderId)).not.toEqual(before);
});

test("moving the clock causes few polls while the insurer waits, and one within the hour of its answer", async () => {
  const asked = vi.spyOn(world.bff.context.parties.insurer, "inquireClaim");
  const hash = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
  await advance(12 * DAY_MS - 1);
  expect(await expense(hash)).toBe("filed");
  expect(asked.mock.calls.length).toBeLessThan(12 * 8);
  await advance(HOUR_MS);
  expect(await expense(hash)).toBe("approved");
  asked.mockRestore();
});

test("a rejected claim does not affect day 45, and the patient is notified of the reason", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.rejected);
  await advance(6 * DAY_MS);
  expect(await expense(hash)).toBe("rejected");
  expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
  expect(await clinic.mailTexts("Tu isapre rechazó el reembolso")).toEqual([
    expect.stringContaining("El segundo cobro sigue como lo aceptaste"),
  ]);
  await advance(40 * DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
  const [announcement] = await clinic.mailTexts("El 5 de enero de 2027 haremos el segundo cobro");
  expect(announcement).toContain("tu isapre lo rechazó");
  expect(announcement).not.toContain("antes si tu isapre");
});

test.each([
  ["rejection", PATIENTS.rejected, 6, "Tu isapre rechazó el reembolso"],
  ["blocked access", PATIENTS.blockedOnDay2, 2, FIRST],
])("a %s is reported without a charge to come if the rest was paid early", async (_, rut, days, subject) => {
  const hash = await clinic.claimedOrder(rut);
  const { provider } = clinic.clinic;
  await payEarly(world.collection, { provider, key: clinic.key(hash), now: world.bff.clock.now() });
  await advance(days * DAY_MS);
  const mails = await clinic.mailTexts(subject);
  expect(mails).toHaveLength(1);
  expect(mails[0]).not.toContain("segundo cobro");
});

// In the short check: bff/src/claims/claim-life.test.ts:
// access that stays blocked is observed exactly 72 hours after the first time, whatever the portal does.
describe("blocked access to the insurer", { tags: ["long"] }, () => {
  test("is reported at once, with a link, and leads to the collection after 72 hours", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.blockedOnDay2);
    await advance(2 * DAY_MS);
    expect(await expense(hash)).toBe("access_blocked");
    const mails = await clinic.mails();
    expect(mails.filter((subject) => subject === "No podemos entrar a tu isapre")).toHaveLength(1);
    const [mail] = await clinic.mailTexts(FIRST);
    expect(mail).toContain("sigue bloqueado el 26 de noviembre de 2026, haremos ese día el segundo cobro, de $30.800");
    await advance(72 * HOUR_MS - 1_000);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    await advance(1_000);
    expect(await clinic.collectionStatus(hash)).toBe("collected access_blocked");
    expect(await collectedAfterHours(hash)).toBe(5 * 24);
    expect((await clinic.mails()).filter((subject) => subject === "No podemos entrar a tu isapre")).toHaveLength(1);
    expect(await linksToGiveAccess()).toEqual([30]);
  });

  test.each([
    ["another trigger has made the rest due", "scheduled approved", (hash: string) => clinic.approve(hash)],
    [
      "a refund of everything is in progress",
      "scheduled null",
      async (hash: string) => {
        await clinic.fault("card-processor", "returnCharge", "fail_before", 100);
        await clinic.refund(hash);
      },
    ],
  ])("is reported without an earlier charge day if %s", async (_, status, happens) => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered, LATER.declinedTwice);
    await happens(hash);
    await decide(hash, "block");
    await advance(HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe(status);
    expect(await clinic.mailTexts(FIRST)).toEqual([expect.not.stringContaining("haremos ese día el cobro")]);
  });

  test("is reported without a link if the clinic's widget cannot be opened", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
    const keys = world.bff.database.db.deleteFrom("credentials").where("kind", "=", "public_key");
    await keys.where("provider_id", "=", clinic.clinic.provider.id).execute();
    await decide(hash, "block");
    await advance(HOUR_MS);
    expect(await clinic.mailTexts(FIRST)).toEqual([expect.not.stringContaining("widget_token=")]);
    expect(await linksToGiveAccess()).toEqual([]);
  });

  test("no longer counts once new access works", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.blockedOnDay2);
    await advance(4 * DAY_MS);
    await clinic.giveAccessAgain(PATIENTS.blockedOnDay2);
    await advance(HOUR_MS);
    expect(await expense(hash)).toBe("filed");
    await advance(3 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    await advance(3 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("is counted and reported again after access worked in between", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
    await decide(hash, "block");
    await advance(2 * DAY_MS);
    await decide(hash, "unblock");
    await advance(DAY_MS);
    await decide(hash, "block");
    await advance(2 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    expect((await clinic.mails()).filter((subject) => subject === "No podemos entrar a tu isapre")).toHaveLength(2);
    await advance(2 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected access_blocked");
  });

  test("counts from the start, even before the claim could be filed", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.blockedAtOnce);
    expect(await expense(hash)).toBe("access_blocked");
    expect(await clinic.mails()).toContain("No podemos entrar a tu isapre");
    await advance(72 * HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected access_blocked");
  });

  test("is also reported to the order's own address, and leads to an early charge only then", async () => {
    const hash = await clinic.paidOrder({ rut: PATIENTS.blockedAtOnce });
    await clinic.register(PATIENTS.blockedAtOnce, "somebody.else@example.org");
    await clinic.submitReceipt(hash, PATIENTS.blockedAtOnce);
    await world.bff.runDue();
    expect(await expense(hash)).toBe("access_blocked");
    const mails = await clinic.mailTexts(FIRST);
    expect([mails.length, mails.filter((text) => actionLinkIn(text) !== undefined).length]).toEqual([2, 1]);
    // As if an earlier version had notified only the registered address.
    await world.bff.database.db.deleteFrom("notices").where("cause", "like", "access_blocked:%:order").execute();
    await advance(72 * HOUR_MS);
    expect(await clinic.mailTexts(FIRST)).toHaveLength(3);
    await advance(DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected access_blocked");
  });

  test("differs from a portal that is down for everyone", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.portalDown);
    await advance(DAY_MS);
    expect(await expense(hash)).toBe("received");
    expect(await clinic.mails()).not.toContain("No podemos entrar a tu isapre");
    await advance(10 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });
});

// In the short check: bff/src/claims/claim-life.test.ts: counts blocked access from its first observation.
describe("new access that is refused again", { tags: ["long"] }, () => {
  const AGAIN = "Todavía no podemos entrar a tu isapre";
  const links = async () =>
    (await clinic.mailTexts(AGAIN))
      .concat(await clinic.mailTexts(FIRST))
      .map((text) => /widget_token=[^&\s]+/.exec(text)?.[0]);

  test("is reported once with a new link, and the 72 hours continue from the first observation", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
    await decide(hash, "block");
    await advance(4 * HOUR_MS);
    expect(await clinic.mailTexts(FIRST)).toHaveLength(1);
    await advance(10 * HOUR_MS);
    await giveRefused(hash, PATIENTS.neverAnswered);
    await advance(8 * HOUR_MS);
    const mails = await clinic.mailTexts(AGAIN);
    expect(mails).toEqual([
      expect.stringContaining("24 de noviembre de 2026, haremos ese día el segundo cobro, de $30.800"),
    ]);
    expect(new Set(await links()).size).toBe(2);
    expect(await linksToGiveAccess()).toEqual([30, 30]);
    expect(await clinic.messages()).toContainEqual(expect.stringContaining("bloqueo también el acceso que nos diste"));
    await advance(50 * HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    await advance(HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected access_blocked");
    expect([(await clinic.mailTexts(FIRST)).length, (await clinic.mailTexts(AGAIN)).length]).toEqual([1, 1]);
  });

  test("counts as the first report if the access worked and was blocked later", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
    await decide(hash, "block");
    await advance(HOUR_MS);
    await clinic.giveAccessAgain(PATIENTS.neverAnswered);
    await advance(HOUR_MS);
    expect(await expense(hash)).toBe("filed");
    await decide(hash, "block");
    await advance(3 * HOUR_MS);
    expect(await expense(hash)).toBe("access_blocked");
    expect([(await clinic.mailTexts(FIRST)).length, (await clinic.mailTexts(AGAIN)).length]).toEqual([2, 0]);
  });

  test("is reported each time, even before the claim could be filed", async () => {
    await clinic.claimedOrder(PATIENTS.blockedAtOnce);
    for (let given = 0; given < 2; given += 1) {
      await advance(10 * HOUR_MS);
      await forgetPortal();
      await clinic.giveAccessAgain(PATIENTS.blockedAtOnce);
      await advance(HOUR_MS);
    }
    expect([(await clinic.mailTexts(FIRST)).length, (await clinic.mailTexts(AGAIN)).length]).toEqual([1, 2]);
  });

  test("counts as the first report if the previous access was replaced before its answer arrived", async () => {
    await clinic.register(PATIENTS.blockedAtOnce);
    const hash = await clinic.paidOrder({ rut: PATIENTS.blockedAtOnce });
    await clinic.fault("insurer", "fileClaim", "fail_after");
    await clinic.submitReceipt(hash, PATIENTS.blockedAtOnce);
    await world.bff.runDue();
    await advance(1_000);
    await clinic.giveAccessAgain(PATIENTS.blockedAtOnce);
    await forgetPortal();
    const filing = untilTestEnds(vi.spyOn(world.bff.context.parties.insurer, "fileClaim"));
    filing.mockResolvedValueOnce({ outcome: "portal_down" });
    await advance(HOUR_MS);
    expect(await expense(hash)).toBe("access_blocked");
    expect([(await clinic.mailTexts(FIRST)).length, (await clinic.mailTexts(AGAIN)).length]).toEqual([1, 0]);
    // The hours under the previous access do not count.
    const { blockedSince } = present(await clinic.claim(hash));
    expect(blockedSince).toEqual(new Date(START.getTime() + HOUR_MS / 2 + 10_000));
  });

  test("is counted from the start after weeks without permission to inquire", async () => {
    const rut = PATIENTS.neverAnswered;
    const hash = await clinic.claimedOrder(rut);
    await decide(hash, "block");
    await advance(DAY_MS);
    await withdrawMandate(rut);
    await advance(10 * DAY_MS);
    await clinic.fault("insurer", "inquireClaim", "fail_before");
    await clinic.register(rut);
    await world.bff.runDue();
    await decide(hash, "block");
    await advance(DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    expect([(await clinic.mailTexts(FIRST)).length, (await clinic.mailTexts(AGAIN)).length]).toEqual([2, 0]);
    await advance(3 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected access_blocked");
  });
});

test("blocked access is counted again after a withdrawal during an inquiry, even if taken back at once", async () => {
  const rut = PATIENTS.neverAnswered;
  const hash = await clinic.claimedOrder(rut);
  await decide(hash, "block");
  await advance(HOUR_MS);
  expect(await expense(hash)).toBe("access_blocked");
  const { insurer } = world.bff.context.parties;
  const asked = untilTestEnds(vi.spyOn(insurer, "inquireClaim"));
  asked.mockImplementationOnce(async () => {
    await withdrawMandate(rut);
    return { outcome: "access_blocked" };
  });
  await advance(HOUR_MS);
  await clinic.fault("insurer", "inquireClaim", "fail_before");
  await clinic.register(rut);
  await world.bff.runDue();
  await decide(hash, "block");
  await advance(71 * HOUR_MS);
  expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
  await advance(4 * HOUR_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected access_blocked");
});

test("a held claim continues when its document arrives", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.held);
  expect(await expense(hash)).toBe("held");
  await advance(2 * DAY_MS);
  await clinic.submitReceipt(hash, PATIENTS.held, 2);
  await world.bff.runDue();
  expect(await expense(hash)).toBe("filed");
  await advance(6 * DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected approved");
});

test("a claim whose timer was lost is polled again", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  await world.bff.database.db.deleteFrom("timers").where("kind", "=", "reimbursements.poll_claim").execute();
  await advance(7 * DAY_MS);
  expect([await clinic.collectionStatus(hash), await accessesSent()]).toEqual(["collected approved", 0]);
});

// In the short check: here: a claim that waits for access is filed once, with the access, after a partial refund.
describe("a claim that cannot be filed", { tags: ["long"] }, () => {
  const MISSING_ACCESS = "Falta un paso para tu reembolso";
  const MISSING_RECEIPT = "Falta la boleta de tu atención";
  const rut = PATIENTS.neverAnswered;

  test("for lack of access is reported at once and on days 3, 10 and 30, with a link, until it is given", async () => {
    await clinic.register(rut, undefined, "not_given");
    const hash = await clinic.paidOrder({ rut });
    await clinic.submitReceipt(hash, rut);
    await world.bff.runDue();
    expect(await clinic.mailTexts(MISSING_ACCESS)).toEqual([expect.stringMatching(/widget_token=/)]);
    const counts: number[] = [];
    for (const days of [2, 1, 6, 1, 19, 1]) {
      await advance(days * DAY_MS);
      counts.push((await clinic.mailTexts(MISSING_ACCESS)).length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 4]);
    for (const mail of await clinic.mailTexts(MISSING_ACCESS)) {
      expect(mail).toContain("20 de enero de 2027");
      expect(mail).toContain("El segundo cobro no depende de esto: lo haremos a más tardar el 5 de enero de 2027");
    }
    await clinic.giveAccessAgain(rut);
    await world.bff.runDue();
    expect(await expense(hash)).toBe("filed");
    await advance(15 * DAY_MS);
    expect(await clinic.mailTexts(MISSING_ACCESS)).toHaveLength(4);
    expect(await linksToGiveAccess()).toEqual([30, 30, 30, 30]);
  });

  test.each([
    [
      "was paid early",
      LATER.captured,
      (hash: string) =>
        payEarly(world.collection, {
          provider: clinic.clinic.provider,
          key: clinic.key(hash),
          now: world.bff.clock.now(),
        }),
    ],
    ["was declined and is retried", LATER.declinedTwice, (hash: string) => clinic.approve(hash)],
  ])("is reported without the day of a charge that %s", async (_, card, charge) => {
    await clinic.register(rut, undefined, "not_given");
    const hash = await clinic.paidOrder({ rut, card });
    await clinic.submitReceipt(hash, rut);
    await world.bff.runDue();
    await charge(hash);
    await advance(3 * DAY_MS);
    const mails = await clinic.mailTexts(MISSING_ACCESS);
    expect(mails.filter((text) => text.includes("El segundo cobro"))).toHaveLength(1);
    expect(mails).toHaveLength(2);
  });

  test("is no longer reported to a patient whose access arrived meanwhile", async () => {
    await clinic.register(rut, undefined, "not_given");
    const hash = await clinic.paidOrder({ rut });
    await world.bff.runDue();
    await clinic.giveAccessAgain(rut);
    await clinic.submitReceipt(hash, rut);
    await advance(20 * DAY_MS);
    expect(await clinic.mailTexts(MISSING_ACCESS)).toHaveLength(1);
    expect(await clinic.mailTexts(MISSING_RECEIPT)).toEqual([]);
  });

  test("for lack of a document is reported at once and again, and the clinic is asked for it", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.held);
    expect(await expense(hash)).toBe("held");
    const subject = "Falta un documento para tu reembolso";
    expect(await clinic.mailTexts(subject)).toEqual([expect.stringContaining("orden médica")]);
    await advance(3 * DAY_MS);
    expect(await clinic.mailTexts(subject)).toHaveLength(2);
    expect(await linksToGiveAccess()).toEqual([]);
  });

  test("for lack of the receipt is reported to the patient after three days, and to subscribed endpoints", async () => {
    const receiver = await startReceiver(world.bff.clock);
    const body = { url: receiver.url, kinds: ["order.receipt_missing"] as const };
    await world.bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as: clinic.clinic, body });
    await clinic.register(rut);
    const hash = await clinic.paidOrder({ rut });
    await advance(3 * DAY_MS - HOUR_MS * 6);
    expect(await clinic.mailTexts(MISSING_RECEIPT)).toEqual([]);
    await advance(6 * HOUR_MS);
    expect(await clinic.mailTexts(MISSING_RECEIPT)).toEqual([expect.stringContaining("Clínica")]);
    await advance(30 * DAY_MS);
    expect(await clinic.mailTexts(MISSING_RECEIPT)).toHaveLength(3);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies).toEqual([
      expect.objectContaining({ event: "order.receipt_missing", order_hash: hash, status: "paid", sequence: 2 }),
    ]);
    await receiver.close();
  });

  test.each([
    ["no receipt", "la clínica no nos ha enviado tu boleta", async () => clinic.register(rut)],
    ["no access", "no nos has dado acceso", async () => clinic.register(rut, undefined, "not_given")],
  ])("is explained on day 42 by its cause: %s", async (name, words, register) => {
    await register();
    const hash = await clinic.paidOrder({ rut });
    if (name === "no access") await clinic.submitReceipt(hash, rut);
    await advance(42 * DAY_MS);
    const [mail] = await clinic.mailTexts("El 5 de enero de 2027 haremos el segundo cobro");
    expect(mail).toContain(words);
    expect(mail).not.toContain("todavía no ha");
  });

  test.each([
    [
      "blocked access",
      "tu isapre nos bloqueó el acceso",
      (hash: string, patient: string) => clinic.submitReceipt(hash, patient),
    ],
    ["a withdrawal", "ya no tenemos tu autorización", (_: string, patient: string) => withdrawMandate(patient)],
  ])("is explained on day 42 by a cause of day 41: %s", async (_, words, comes) => {
    const patient = PATIENTS.blockedAtOnce;
    await clinic.register(patient);
    const hash = await clinic.paidOrder({ rut: patient });
    await advance(41 * DAY_MS);
    await comes(hash, patient);
    await advance(DAY_MS);
    const mails = await clinic.mailTexts("El 5 de enero de 2027 haremos el segundo cobro");
    expect(mails).toEqual([expect.stringContaining(words)]);
  });
});

describe("the patient's mails", () => {
  test("are one announcement three days before and one report of the charge, if no approval comes", async () => {
    await clinic.claimedOrder(PATIENTS.neverAnswered);
    await advance(41 * DAY_MS);
    expect(await clinic.mails()).toHaveLength(2);
    await advance(DAY_MS);
    expect(await clinic.mails()).toHaveLength(3);
    await advance(10 * DAY_MS);
    const mails = await clinic.mails();
    // The first two have the same time and are sent in parallel: either may come first.
    expect(mails.slice(0, 2).toSorted()).toEqual(["Presentamos tu reembolso", expect.stringMatching(/^Tu pago en /)]);
    expect(mails[2]).toBe("El 5 de enero de 2027 haremos el segundo cobro");
    // The mails of the charge and its boleta may also come in either sequence.
    expect(mails.slice(3).toSorted()).toEqual([
      "Boleta electrónica N° 1",
      expect.stringMatching(/^Hicimos el segundo cobro/),
    ]);
  });

  test("report each declined charge, with a link to change the card, and announce nothing that is already due", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days, LATER.declinedTwice);
    await advance(20 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined", "declined", "captured"]);
    const subjects = await clinic.mails();
    expect(subjects.filter((subject) => subject === "No pudimos hacer el segundo cobro")).toHaveLength(2);
    const tokens = await world.bff.database.db
      .selectFrom("widget_tokens")
      .select(["purpose", "order_id", "expires_at", "created_at"])
      .where("provider_id", "=", clinic.clinic.provider.id)
      .where("purpose", "=", "card_change")
      .execute();
    expect(tokens).toHaveLength(2);
    for (const token of tokens) {
      expect(token.order_id).toBe(clinic.key(hash).orderId);
      expect(token.expires_at.getTime() - token.created_at.getTime()).toBe(30 * DAY_MS);
    }
  });

  test("report every refund", async () => {
    const hash = await clinic.paidOrder({});
    await clinic.refund(hash, { amount: 10_000 });
    await clinic.refund(hash);
    await world.bff.runDue();
    expect((await clinic.mails()).filter((subject) => subject.startsWith("Devolución de tu pago"))).toHaveLength(2);
  });
});

test("a claim whose call never arrived is not filed if its order was refunded meanwhile", async () => {
  await clinic.register(PATIENTS.neverAnswered);
  const hash = await clinic.paidOrder({ rut: PATIENTS.neverAnswered });
  await clinic.fault("insurer", "fileClaim", "fail_before");
  await clinic.submitReceipt(hash, PATIENTS.neverAnswered);
  await world.bff.runDue();
  expect((await clinic.refund(hash)).body.status).toBe("refunded");
  await advance(DAY_MS);
  const { db } = world.bff.database;
  const { orderId } = clinic.key(hash);
  const claims = await db.selectFrom("claims").select(["state", "reason"]).where("order_id", "=", orderId).execute();
  expect(claims).toEqual([{ state: "stopped", reason: "order_refunded" }]);
  const known = await db.selectFrom("sandbox_claims").select("id").where("order_hash", "=", orderId).execute();
  expect(known).toEqual([]);
});

/** An order whose patient gives access while the result of its claim's filing is unknown. */
async function accessWhileFiling(rut: string): Promise<string> {
  const hash = await clinic.paidOrder({ rut });
  await clinic.fault("insurer", "fileClaim", "fail_after");
  await clinic.submitReceipt(hash, rut);
  await world.bff.runDue();
  await advance(1_000);
  await clinic.giveAccessAgain(rut);
  await advance(HOUR_MS);
  return hash;
}

test("access given during a filing reaches the insurer once the claim is known to be filed", async () => {
  const rut = PATIENTS.neverAnswered;
  await clinic.register(rut);
  const hash = await accessWhileFiling(rut);
  expect(await expense(hash)).toBe("filed");
  const insurers = world.bff.database.db.selectFrom("sandbox_claims").select("access_renewed_at");
  expect(await insurers.where("provider_id", "=", clinic.clinic.provider.id).execute()).toEqual([
    { access_renewed_at: expect.any(Date) },
  ]);
});

test("access given while a filing without access is unanswered has the claim filed", async () => {
  const rut = PATIENTS.neverAnswered;
  await clinic.register(rut, undefined, "not_given");
  const hash = await accessWhileFiling(rut);
  expect(await expense(hash)).toBe("filed");
});

test("an insurer's answer about a claim that is withdrawn during the inquiry is neither stored nor reported", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  const mails = await clinic.mails();
  await decide(hash, "approve");
  const { insurer } = world.bff.context.parties;
  const ask = insurer.inquireClaim.bind(insurer);
  const asked = untilTestEnds(vi.spyOn(insurer, "inquireClaim")).mockImplementation(async (call, claim) => {
    const answer = await ask(call, claim);
    await inTransaction(world.bff.database.db, (tx) => noteWithdrawn(tx, clinic.resolving(), clinic.key(hash)));
    return answer;
  });
  await advance(HOUR_MS);
  expect(asked).toHaveBeenCalledOnce();
  const claim = await clinic.claim(hash);
  expect(claim).toMatchObject({ state: "stopped", reason: "withdrawn_at_insurer", reimbursed: null });
  expect([await clinic.mails(), await clinic.collectionStatus(hash)]).toEqual([mails, "scheduled null"]);
});

test("an insurer unreachable for a week gets the access again before the inquiry, because it has forgotten it", async () => {
  const rut = PATIENTS.neverAnswered;
  const hash = await clinic.claimedOrder(rut);
  world.bff.clock.advance(1_000);
  const givenAt = world.bff.clock.now();
  await clinic.giveAccessAgain(rut);
  await advance(1_000);
  await clinic.fault("insurer", "inquireClaim", "fail_before", 1_000);
  await advance(6 * DAY_MS);
  expect(await accessesSent()).toBe(1);
  await advance(20 * HOUR_MS);
  expect(await accessesSent()).toBe(2);
  await clinic.fault("insurer", "inquireClaim", "fail_before", 0);
  await advance(DAY_MS);
  expect([await expense(hash), await clinic.mailTexts(FIRST)]).toEqual(["filed", []]);
  // The same access, sent again.
  expect(await clinic.claim(hash)).toMatchObject({ renewedAccessAt: givenAt });
});

test.each([
  ["is held for a document", PATIENTS.held, "Falta un documento para tu reembolso"],
  ["finds its access blocked", PATIENTS.blockedAtOnce, FIRST],
  ["lacks its access", ACCESS_NOT_ACCEPTED, "Falta un paso para tu reembolso"],
])("a claim that %s by an answer after the full refund of its order is stopped", async (_, rut, subject) => {
  await clinic.register(rut);
  const hash = await clinic.paidOrder({ rut });
  await clinic.fault("insurer", "fileClaim", "fail_after");
  await clinic.submitReceipt(hash, rut);
  await world.bff.runDue();
  expect((await clinic.refund(hash)).body.status).toBe("refunded");
  await advance(4 * DAY_MS);
  const { db } = world.bff.database;
  const { orderId } = clinic.key(hash);
  const claims = await db.selectFrom("claims").select(["state", "reason"]).where("order_id", "=", orderId).execute();
  expect(claims).toEqual([{ state: "stopped", reason: "order_refunded" }]);
  expect(await expense(hash)).toBe("received");
  expect(await clinic.mails()).not.toContain(subject);
  expect(await listed()).toEqual([]);
});

describe("exceptions of a clinic's claims", () => {
  test("are listed for each order by what that order lacks, whatever other orders have", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.claimedOrder(rut);
    const [back, backInPart] = [await clinic.paidOrder({ rut }), await clinic.paidOrder({ rut })];
    for (const hash of [back, backInPart]) await clinic.submitReceipt(hash, rut);
    const withoutAccess = await clinic.claimedOrder(ACCESS_NOT_ACCEPTED);
    const withoutReceipt = await clinic.paidOrder({ rut });
    const [incomplete, incompleteAndBack] = [await clinic.paidOrder({ rut }), await clinic.paidOrder({ rut })];
    const unpaid = await clinic.newOrder({ rut });
    for (const hash of [incomplete, incompleteAndBack, unpaid]) await clinic.submitReceipt(hash, rut, 1, "exam");
    await world.bff.runDue();
    await clinic.refund(back);
    await clinic.refund(incompleteAndBack);
    await clinic.refund(backInPart, { amount: 10_000 });
    const refunded = [`claim_of_partly_refunded_order ${backInPart}`, `claim_of_refunded_order ${back}`];
    await advance(3 * DAY_MS);
    expect(await listed()).toEqual([...refunded, `receipt_missing ${withoutReceipt}`]);
    await advance(60_000);
    expect(await listed()).toEqual([
      `claim_held ${incomplete}`,
      ...refunded,
      `claim_without_access ${withoutAccess}`,
      `receipt_missing ${withoutReceipt}`,
    ]);
  });

  test("include a receipt with an unreadable total, but not another unreadable field or a receipt without an order", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut);
    const submit = async (fields: Record<string, string>) =>
      world.bff.callSpotApi(spotEndpoints.submitExpense, {
        as: clinic.clinic,
        query: { rut },
        rawBody: expenseForm([pdf()], fields),
      });
    const [unread, other] = [await clinic.paidOrder({ rut }), await clinic.paidOrder({ rut })];
    await submit({ skip_pay_order_id: unread, total: "12,5" });
    await submit({ skip_pay_order_id: other, date: "31/02/2026" });
    await submit({ total: "12,5" });
    await world.bff.runDue();
    expect(await listed()).toEqual([`receipt_unread ${unread}`]);
  });
});
