import { describe, expect, test } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { block, unblock } from "../../../src/patients/blocked.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { withdrawSignUp } from "../../../src/self-service/withdraw-consent.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  PATIENTS,
  START,
} from "../after-paid/after-paid-world.ts";
import { auditRows } from "../audit-of.ts";
import { signedIn } from "../console/console-browser.ts";
import { present } from "../orders/orders-world.ts";

/* A clinic without a connector for the isapres: operators file the claims and enter the answers in the console. */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => ({ environment: { INSURER: "by-hand" } }) }, (beginning) => {
  ({ world, clinic } = beginning);
});

const providerId = () => clinic.clinic.provider.id;
const kinds = async () => (await clinic.exceptions()).map(({ kind }) => kind);

/** A paid order of a patient who gave no password, with its receipt. */
async function queued(): Promise<string> {
  const rut = PATIENTS.approvedAfter5Days;
  await clinic.register(rut, undefined, "not_given");
  const hash = await clinic.paidOrder({ rut });
  await clinic.submitReceipt(hash, rut);
  await world.bff.runDue();
  return hash;
}

const claimOf = async (hash: string) =>
  world.bff.database.db
    .selectFrom("claims")
    .select(["state", "insurer_claim_id", "reimbursed"])
    .where("order_id", "=", clinic.key(hash).orderId)
    .executeTakeFirstOrThrow();

test("no patient is asked for a portal password", async () => {
  const { bff } = world;
  const body = { order_token: await clinic.newOrder() };
  const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic.clinic, body });
  const params = { token: minted.body.widget_token };
  const { body: session } = await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params });
  expect(session.sealing_keys.insurer_access).toBeNull();
  const hash = await queued();
  const paid = await bff.callOrderApi(orderEndpoints.getOrder, { as: clinic.clinic, params: { hash } });
  expect([paid.body.missing_step, paid.body.claim.status]).toEqual([null, "queued"]);
  await world.bff.advance(3 * DAY_MS);
  expect((await clinic.mails()).filter((subject) => /isapre|clave/i.test(subject))).toEqual([]);
  expect(await claimOf(hash)).toMatchObject({ state: "filing", insurer_claim_id: null });
  expect(await kinds()).not.toContain("outcome_unknown");
});

describe("an operator", () => {
  test("files a claim with its documents, enters the approval, and the later charge is collected", async () => {
    const hash = await queued();
    const browser = await signedIn(world.bff, "camila");
    const [{ exception }] = (await browser.read(`/exceptions?kind=claim_to_file&provider_id=${providerId()}`))
      .exceptions;
    const path = `/exceptions/${encodeURIComponent(exception)}`;
    const shown = await browser.read(path);
    expect(shown.claim).toMatchObject({ rut: PATIENTS.approvedAfter5Days, refunded: 0 });
    expect(shown.claim.documents).toHaveLength(1);
    const file = await browser.open(`${path}/documents/1`);
    expect([file.status, file.headers.get("content-type"), file.text.startsWith("%PDF")]).toEqual([
      200,
      "application/pdf",
      true,
    ]);
    expect((await browser.open(`${path}/documents/2`)).status).toBe(404);
    expect((await browser.send(`${path}/resolve`, { resolution: "filed_by_hand", note: "¿?" })).status).toBe(409);
    const filed = await browser.send(`${path}/resolve`, { resolution: "filed_by_hand", note: "2026-778812" });
    expect(filed.status).toBe(200);
    await world.bff.runDue();
    expect(await claimOf(hash)).toMatchObject({
      state: "filed",
      insurer_claim_id: expect.stringMatching(/^\w+:2026-778812$/),
    });
    const [waiting] = (await browser.read(`/exceptions?kind=claim_to_answer&provider_id=${providerId()}`)).exceptions;
    const answer = { resolution: "isapre_approved", note: "portal", amount: "31.000" };
    const resolve = `/exceptions/${encodeURIComponent(waiting.exception)}/resolve`;
    expect((await browser.send(resolve, answer)).status).toBe(409);
    expect((await browser.send(resolve, { ...answer, day: "2027-12-01" })).status).toBe(409);
    expect((await browser.send(resolve, { ...answer, day: "2020-01-01" })).status).toBe(409);
    expect((await browser.send(resolve, { ...answer, day: "2026-11-21", amount: "31.000.000" })).status).toBe(409);
    expect((await browser.send(resolve, { ...answer, day: "2026-11-21" })).status).toBe(200);
    await world.bff.runDue();
    expect(await claimOf(hash)).toMatchObject({ state: "approved", reimbursed: 31_000 });
    await world.bff.advance(4 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    const readings = await auditRows(world.bff.database.db)
      .where("act", "in", ["patient_data.read", "matter.filed_by_hand", "matter.isapre_approved"])
      .where("provider_id", "=", providerId())
      .execute();
    expect(new Set(readings.map(({ act }) => act)).size).toBe(3);
    expect(await kinds()).toEqual([]);
  });

  test("sees a claim that has waited for a day, and holds one whose document is missing", async () => {
    const hash = await queued();
    await world.bff.advance(23 * HOUR_MS);
    expect(await kinds()).toEqual(["claim_to_file"]);
    await world.bff.advance(2 * HOUR_MS);
    expect((await kinds()).toSorted()).toEqual(["claim_to_file", "claim_to_file_late"]);
    const vague = clinic.operatorDoes("claim_to_file", "document_lacking", "portal asks for the order");
    await expect(vague).rejects.toThrow("The note must be the missing document");
    await clinic.operatorDoes("claim_to_file", "document_lacking", "medical_order");
    await world.bff.runDue();
    expect(await claimOf(hash)).toMatchObject({ state: "held" });
    const mails = (await Promise.all((await clinic.mails()).map((subject) => clinic.mailTexts(subject)))).flat();
    expect(mails.some((text) => text.includes("la orden médica"))).toBe(true);
    await clinic.submitReceipt(hash, PATIENTS.approvedAfter5Days, 2);
    await world.bff.runDue();
    expect(await kinds()).toEqual(["claim_to_file"]);
  });

  test("enters a rejection, whose reason the patient reads, and a claim's number only once per isapre", async () => {
    await queued();
    await clinic.operatorDoes("claim_to_file", "filed_by_hand", "A-1");
    await world.bff.runDue();
    await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "prestación sin cobertura");
    await world.bff.runDue();
    const texts = (await Promise.all((await clinic.mails()).map((subject) => clinic.mailTexts(subject)))).flat();
    expect(texts.some((text) => text.includes("prestación sin cobertura"))).toBe(true);
    const hash = await clinic.paidOrder({ rut: PATIENTS.approvedAfter5Days });
    await clinic.submitReceipt(hash, PATIENTS.approvedAfter5Days);
    await world.bff.runDue();
    await expect(clinic.operatorDoes("claim_to_file", "filed_by_hand", "A-1")).rejects.toThrow("has this number");
    // Another isapre may give the same number.
    const { db } = world.bff.database;
    await db
      .updateTable("beneficiaries")
      .set({ insurer: "banmedica" })
      .where("rut", "=", parseRut(PATIENTS.approvedAfter5Days))
      .execute();
    await clinic.operatorDoes("claim_to_file", "filed_by_hand", "A-1");
    await world.bff.runDue();
    await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "otra isapre, otro motivo");
    await world.bff.runDue();
    expect(await claimOf(hash)).toMatchObject({ state: "rejected", insurer_claim_id: "banmedica:A-1" });
  });

  test("sees no document while a patient's data is blocked, and is never asked to file a stopped claim", async () => {
    const hash = await queued();
    const { db } = world.bff.database;
    const key = { tenant: tenantOf(clinic.clinic.provider), rut: parseRut(PATIENTS.approvedAfter5Days) };
    const patient = present(await findBeneficiary(db, key));
    const now = world.bff.clock.now();
    await inTransaction(db, (tx) => block(tx, patient, now));
    const browser = await signedIn(world.bff, "camila");
    const [{ exception }] = (await browser.read(`/exceptions?kind=claim_to_file&provider_id=${providerId()}`))
      .exceptions;
    const path = `/exceptions/${encodeURIComponent(exception)}`;
    expect((await browser.read(path)).claim).toBeNull();
    expect((await browser.open(`${path}/documents/1`)).status).toBe(404);
    await inTransaction(db, (tx) => unblock(tx, patient));
    await inTransaction(db, (tx) => withdrawSignUp(tx, world.bff, patient, { purposes: ["claim_mandate"], at: now }));
    await world.bff.runDue();
    expect(await claimOf(hash)).toMatchObject({ state: "stopped" });
    expect(await kinds()).toEqual([]);
    expect((await browser.send(`${path}/resolve`, { resolution: "filed_by_hand", note: "B-1" })).status).not.toBe(200);
  });

  test("enters no answer while it would not be used, because the patient's data is blocked", async () => {
    await queued();
    await clinic.operatorDoes("claim_to_file", "filed_by_hand", "C-1");
    await world.bff.runDue();
    const { db } = world.bff.database;
    const key = { tenant: tenantOf(clinic.clinic.provider), rut: parseRut(PATIENTS.approvedAfter5Days) };
    const patient = present(await findBeneficiary(db, key));
    await inTransaction(db, (tx) => block(tx, patient, world.bff.clock.now()));
    await expect(clinic.operatorDoes("claim_to_answer", "isapre_rejected", "sin cobertura")).rejects.toThrow("blocked");
    await inTransaction(db, (tx) => unblock(tx, patient));
    await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "sin cobertura");
  });

  test("is not asked to file the claim of an order that was refunded in full", async () => {
    const hash = await queued();
    await clinic.refund(hash);
    await world.bff.runDue();
    expect(await claimOf(hash)).toMatchObject({ state: "stopped" });
    expect(await kinds()).toEqual([]);
  });
});
