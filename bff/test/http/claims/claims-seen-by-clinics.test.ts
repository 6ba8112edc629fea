import { describe, expect, test } from "vitest";
import { REJECTION_REASON } from "../../../sandbox/insurer/claim.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  PATIENTS,
  START,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { expenseForm, HEIC, pdf } from "../spot/expense-forms.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

/** The part about the claim in an order that the clinic's back end reads. */
async function seen(hash: string) {
  const { claim, missing_step, expense } = await clinic.read(hash);
  return { claim, missing_step, expense: expense?.status ?? null };
}

async function send(hash: string, rut: string, files: readonly Buffer[], fields: Record<string, string> = {}) {
  const rawBody = expenseForm(files, { skip_pay_order_id: hash, ...fields });
  const { body } = await world.bff.callSpotApi(spotEndpoints.submitExpense, {
    as: clinic.clinic,
    query: { rut },
    rawBody,
  });
  await world.bff.runDue();
  return body;
}

const claimOf = (status: string, missing: readonly string[] = [], code: string | null = null) => ({
  status,
  missing_document_types: missing,
  rejection_code: code,
});

const RECEIPT = pdf(500, "r");
const ORDER = pdf(500, "o");

describe("an order, read with client_secret", () => {
  test("shows no claim before it is paid or before its receipt arrives", async () => {
    await clinic.register(PATIENTS.neverAnswered);
    expect(await seen(await clinic.newOrder({}))).toEqual({ claim: null, missing_step: null, expense: null });
    const paid = await clinic.paidOrder({ rut: PATIENTS.neverAnswered });
    expect(await seen(paid)).toEqual({ claim: null, missing_step: null, expense: null });
  });

  test("shows that the patient has given no access, and that the claim is filed once they do", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut, undefined, "not_given");
    const hash = await clinic.paidOrder({ rut });
    expect((await seen(hash)).missing_step).toBe("insurer_access");
    await send(hash, rut, [RECEIPT]);
    expect(await seen(hash)).toEqual({
      claim: claimOf("access_missing"),
      missing_step: "insurer_access",
      expense: "received",
    });
    await world.bff.advance(1_000);
    await clinic.register(rut);
    await world.bff.runDue();
    expect(await seen(hash)).toEqual({ claim: claimOf("filed"), missing_step: null, expense: "filed" });
  });

  test.each([
    ["filed", PATIENTS.neverAnswered, 0, "filed", "filed"],
    ["approved", PATIENTS.approvedAfter5Days, 6, "approved", "approved"],
    ["blocked immediately", PATIENTS.blockedAtOnce, 0, "access_blocked", "access_blocked"],
    ["blocked after the filing", PATIENTS.blockedOnDay2, 3, "access_blocked", "access_blocked"],
    ["waiting for a portal that is down", PATIENTS.portalDown, 0, "queued", "received"],
  ])("shows the claim as %s", async (_what, rut, days, status, expense) => {
    const hash = await clinic.claimedOrder(rut);
    await world.bff.advance(days * DAY_MS);
    expect(await seen(hash)).toMatchObject({ claim: claimOf(status), expense });
  });

  test("shows a rejection with the insurer's code but never its text", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.rejected);
    await world.bff.advance(30 * DAY_MS);
    expect(await seen(hash)).toMatchObject({ claim: claimOf("rejected", [], "not_covered"), expense: "rejected" });
    expect(JSON.stringify(await clinic.read(hash))).not.toContain(REJECTION_REASON);
  });

  test("shows the claim as stopped if the order was refunded in full before the filing", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.held);
    expect((await clinic.refund(hash)).body.status).toBe("refunded");
    await world.bff.runDue();
    expect(await seen(hash)).toMatchObject({ claim: claimOf("stopped"), missing_step: null });
  });
});

describe("a claim held for a document from the clinic", () => {
  test("names the insurer's request in the order and in a repeated submission, and is filed once the document comes", async () => {
    const rut = PATIENTS.held;
    await clinic.register(rut);
    const hash = await clinic.paidOrder({ rut });
    // The insurer has not been asked yet.
    expect(await send(hash, rut, [RECEIPT])).toMatchObject({ submission_status: "queued", missing_document_types: [] });
    const held = { claim: claimOf("held", ["medical_order"]), expense: "held" };
    expect(await seen(hash)).toMatchObject(held);
    expect(await send(hash, rut, [RECEIPT])).toMatchObject({
      status: "held",
      submission_status: "not_enqueued",
      missing_document_types: ["medical_order"],
    });
    expect(await seen(hash)).toMatchObject(held);
    expect(await send(hash, rut, [RECEIPT, ORDER])).toMatchObject({
      submission_status: "queued",
      missing_document_types: [],
    });
    expect(await seen(hash)).toMatchObject({ claim: claimOf("filed"), expense: "filed" });
    await world.bff.advance(6 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("names a receipt that needs a password, notifies its patient, and is filed once an unlocked one comes", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut);
    const hash = await clinic.paidOrder({ rut });
    const locked = Buffer.from("%PDF-1.7\ntrailer << /Encrypt << /Filter /Adobe.PubSec /V 4 >> >>\n");
    const held = { status: "held", submission_status: "not_enqueued", missing_document_types: ["unlocked_receipt"] };
    expect(await send(hash, rut, [locked])).toMatchObject(held);
    expect(await send(hash, rut, [locked])).toMatchObject(held);
    expect(await seen(hash)).toMatchObject({ claim: claimOf("held", ["unlocked_receipt"]), expense: "held" });
    const mails = await clinic.mailTexts("Falta un documento para tu reembolso");
    expect(mails).toEqual([expect.stringContaining("un PDF que se abra sin clave")]);
    const answer = await send(hash, rut, [RECEIPT]);
    expect(answer).toMatchObject({ submission_status: "queued", missing_document_types: [] });
    expect(answer).toMatchObject({ processed_files: [{ bytes: RECEIPT.length }] });
    expect(await seen(hash)).toMatchObject({ claim: claimOf("filed"), expense: "filed" });
  });

  test("names the documents that our own rules require, before the insurer is asked", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut);
    const hash = await clinic.paidOrder({ rut });
    await send(hash, rut, [RECEIPT], { expense_subtypes: "medicine" });
    expect(await seen(hash)).toMatchObject({ claim: claimOf("held", ["prescription"]), expense: "held" });
    await send(hash, rut, [ORDER]);
    expect((await seen(hash)).claim).toEqual(claimOf("filed"));
  });

  test("names a photo that cannot be decoded", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut);
    const hash = await clinic.paidOrder({ rut });
    await send(hash, rut, [HEIC.subarray(0, 600)]);
    expect((await seen(hash)).claim).toEqual(claimOf("held", ["readable_photo"]));
  });

  test("keeps its receipt if a document has a similar name and the receipt's number and total", async () => {
    const rut = PATIENTS.held;
    await clinic.register(rut);
    const hash = await clinic.paidOrder({ rut });
    const printed = { receipt_id: "B-1", total: "40000" };
    const scan = (content: Buffer, name: string) => {
      const form = expenseForm([], { skip_pay_order_id: hash, ...printed });
      form.append("uploaded_files", new Blob([new Uint8Array(content)]), name);
      return form;
    };
    const sendScan = async (content: Buffer, name: string) => {
      const call = { as: clinic.clinic, query: { rut }, rawBody: scan(content, name) };
      const { body } = await world.bff.callSpotApi(spotEndpoints.submitExpense, call);
      await world.bff.runDue();
      return body.processed_files.map((file: { name: string }) => file.name);
    };
    expect(await sendScan(RECEIPT, "scan-1.pdf")).toEqual(["scan-1.pdf"]);
    expect(await sendScan(ORDER, "scan-2.pdf")).toEqual(["scan-1.pdf", "scan-2.pdf"]);
    expect((await seen(hash)).claim).toEqual(claimOf("filed"));
  });

  test("notifies the patient which document is missing, and that the clinic must send it", async () => {
    await clinic.claimedOrder(PATIENTS.held);
    const [mail] = await clinic.mailTexts("Falta un documento para tu reembolso");
    expect(mail).toContain("nos envió tu boleta, pero falta la orden médica. Pídele que envíe lo que falta");
  });
});
