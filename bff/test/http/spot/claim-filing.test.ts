import { describe, expect, it, vi } from "vitest";
import { ClaimIncomplete, fileClaim } from "../../../src/claims/file-claim.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { findBeneficiary, replaceInsurerAccess } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { dispatchKind } from "../../../src/platform/outbox.ts";
import { scheduleTimers } from "../../../src/platform/timers/timer-store.ts";
import { untilTestEnds } from "../../put-back.ts";
import { expenseForm, HEIC, pdf } from "./expense-forms.ts";
import { CAMILA, given } from "./people.ts";
import { beginEach, type SpotFace, START, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
beginEach((beginning) => {
  ({ face, clinic } = beginning);
});

/** From the sandbox's catalogue. */
const HELD = "41064117-8";
const ACCESS_NOT_ACCEPTED = "40006217-K";
const BLOCKED_AT_ONCE = "41477310-9";
const BLOCKED_ON_DAY_2 = "41201848-6";
const PORTAL_DOWN = "41339579-8";

async function register(rut: string, withAccess: boolean) {
  const key = `public_key=${clinic.credentials.public_key}`;
  const { body } = await face.call("mintWidgetToken", `/api/spot/widget?${key}`, { body: {} });
  const sealed = withAccess ? { sealed_insurer_access: await face.sealAccess({ insurer: CAMILA.insurer, rut }) } : {};
  const consents = given("onboarding", "insurer_access");
  const answer = await face.call("registerPatient", `/api/spot/user?${key}`, {
    body: { ...CAMILA, rut, consents, widget_token: body.widget_token, ...sealed },
  });
  expect(answer.status).toBeLessThan(300);
  await face.prove(clinic);
}

/** The patient gives new access through the link that was mailed to them. */
async function giveAccessAgain(rut: string): Promise<void> {
  const { provider } = clinic;
  const { db, ids, clock } = face.dependencies;
  const patient = await findBeneficiary(db, { tenant: tenantOf(provider), rut: parseRut(rut) });
  if (patient === null) throw new Error("No patient is registered under this RUT.");
  const sealed = await face.sealAccess({ insurer: CAMILA.insurer, rut, password: "otra-clave" });
  await inTransaction(db, (tx) =>
    replaceInsurerAccess(tx, ids, patient, {
      providerId: provider.id,
      sealed,
      insurer: CAMILA.insurer,
      at: clock.now(),
    }),
  );
}

function submit(order: OrderId, rut: string, fields: Record<string, string> = {}, mark = "x") {
  const query = new URLSearchParams({ public_key: clinic.credentials.public_key, rut });
  return face.call("submitExpense", `/api/spot/gastos?${query.toString()}`, {
    form: expenseForm([pdf(500, mark)], { skip_pay_order_id: order, ...fields }),
  });
}

const statusOf = async (order: OrderId) =>
  (await face.db.selectFrom("expenses").select("status").where("order_id", "=", order).executeTakeFirst())?.status;
const claimOf = (order: OrderId) =>
  face.db.selectFrom("claims").selectAll().where("order_id", "=", order).executeTakeFirst();
const insurersClaims = (order: OrderId) =>
  face.db.selectFrom("sandbox_claims").selectAll().where("order_hash", "=", order).execute();

/** The timer of a claim's call, as its worker receives it. */
const filingTimer = (claimId: string | undefined, attempt: number) => ({
  kind: "reimbursements.file_claim",
  key: `${claimId}:${attempt}`,
  providerId: clinic.provider.id,
  dueAt: START,
  attempts: 2,
  payload: { claim_id: claimId, attempt } as unknown,
  traceparent: null,
  leaseId: "6f1f0f6e-4c5e-4c64-8f5a-0e7b4dd7a001",
});
const TIMER_CONTEXT = { finish: async () => undefined, signal: new AbortController().signal };

/** Delivers every event of the provider to its subscribers again. */
async function tellEverythingAgain(): Promise<void> {
  const { id: providerId } = clinic.provider;
  const events = await face.db.selectFrom("events").select("id").where("provider_id", "=", providerId).execute();
  const dispatch = { kind: dispatchKind, providerId, dueAt: START, payload: {} };
  const scheduled = await scheduleTimers(
    face.db,
    events.map(({ id }) => ({ ...dispatch, key: id })),
  );
  expect(scheduled).toBe(events.length);
  expect(scheduled).toBeGreaterThan(0);
}

async function paidWithExpense(rut: string, { withAccess = true } = {}) {
  await register(rut, withAccess);
  const order = await face.createOrder(clinic, { rut });
  await face.moveOrder(clinic, order, "paid");
  await submit(order, rut);
  await face.runDue();
  return order;
}

describe("the claim of an order", () => {
  it("is filed when the expense comes after the payment", async () => {
    await register(CAMILA.rut, true);
    const order = await face.createOrder(clinic);
    await face.moveOrder(clinic, order, "paid");
    await face.runDue();
    expect(await claimOf(order)).toBeUndefined();
    expect((await submit(order, CAMILA.rut)).body.submission_status).toBe("queued");
    await face.runDue();
    expect(await statusOf(order)).toBe("filed");
    expect(await insurersClaims(order)).toHaveLength(1);
  });

  it("is filed when the payment comes after the expense", async () => {
    await register(CAMILA.rut, true);
    const order = await face.createOrder(clinic);
    await submit(order, CAMILA.rut);
    await face.runDue();
    expect(await statusOf(order)).toBe("waiting_order");
    await face.moveOrder(clinic, order, "paid");
    await face.runDue();
    expect(await statusOf(order)).toBe("filed");
    expect(await claimOf(order)).toMatchObject({ state: "filed", attempt: 1, filed_at: START });
  });

  it("is filed once, even if every event is delivered again", async () => {
    const order = await paidWithExpense(CAMILA.rut);
    await tellEverythingAgain();
    await submit(order, CAMILA.rut, {}, "another file");
    await face.runDue();
    expect(await insurersClaims(order)).toHaveLength(1);
    expect(await claimOf(order)).toMatchObject({ state: "filed", attempt: 1 });
  });

  it("is held while a photo cannot be converted, and filed once another photo arrives", async () => {
    await register(CAMILA.rut, true);
    const order = await face.createOrder(clinic);
    await face.moveOrder(clinic, order, "paid");
    const query = new URLSearchParams({ public_key: clinic.credentials.public_key, rut: CAMILA.rut }).toString();
    const fields = { skip_pay_order_id: order, receipt_id: "B-77", total: "40000" };
    const send = (photo: Buffer) =>
      face.call("submitExpense", `/api/spot/gastos?${query}`, { form: expenseForm([photo], fields) });
    await send(HEIC.subarray(0, 600));
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "held", reason: "unreadable_picture" });
    expect(await insurersClaims(order)).toEqual([]);
    await send(HEIC);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "filed", attempt: 2 });
  });

  it("is never created for a plain expense or an unpaid order", async () => {
    await register(CAMILA.rut, true);
    const query = new URLSearchParams({ public_key: clinic.credentials.public_key, rut: CAMILA.rut });
    await face.call("submitExpense", `/api/spot/gastos?${query.toString()}`, { form: expenseForm([pdf()]) });
    const order = await face.createOrder(clinic);
    await submit(order, CAMILA.rut);
    await face.moveOrder(clinic, order, "cancelled");
    await face.runDue();
    const claims = await face.db
      .selectFrom("claims")
      .selectAll()
      .where("provider_id", "=", clinic.provider.id)
      .execute();
    expect(claims).toEqual([]);
  });

  it("notifies the patient once that it was filed, with the amounts paid", async () => {
    await paidWithExpense(CAMILA.rut);
    await tellEverythingAgain();
    await face.runDue();
    const mails = await face.mailbox(clinic);
    expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
      "Presentamos tu reembolso",
      "Tu pago en Clínica Los Aromos del Sur SpA",
    ]);
    expect(mails.map(({ to }) => to)).toEqual(["camila@example.com", "camila@example.com"]);
    const left = await face.db
      .selectFrom("notices")
      .select(["kind", "channel", "state", "sealed_email", "sealed_message"])
      .orderBy("kind")
      .orderBy("channel")
      .where("provider_id", "=", clinic.provider.id)
      .execute();
    const sent = { state: "sent", sealed_email: null, sealed_message: null };
    expect(left).toEqual([
      { kind: "claim_filed", channel: "email", ...sent },
      { kind: "claim_filed", channel: "message", ...sent },
      { kind: "payment_receipt", channel: "email", ...sent },
      { kind: "payment_receipt", channel: "message", ...sent },
    ]);
  });
});

describe("a claim that cannot be filed yet", () => {
  it("is held for the medical order that its kind of service requires, and filed when it comes", async () => {
    await register(CAMILA.rut, true);
    const order = await face.createOrder(clinic);
    await submit(order, CAMILA.rut, { expense_subtypes: "exam" });
    await face.moveOrder(clinic, order, "paid");
    await face.runDue();
    expect(await statusOf(order)).toBe("held");
    expect(await claimOf(order)).toBeUndefined();
    // Delivering events again does not change the start of the wait.
    face.clock.advance(1_000);
    await tellEverythingAgain();
    await face.runDue();
    const updated = face.db.selectFrom("expenses").select("updated_at").where("order_id", "=", order);
    expect(await updated.execute()).toEqual([{ updated_at: START }]);
    await submit(order, CAMILA.rut, {}, "the medical order");
    await face.runDue();
    expect(await statusOf(order)).toBe("filed");
  });

  it("is held when the insurer asks for a document, and filed again with it", async () => {
    const order = await paidWithExpense(HELD);
    expect(await statusOf(order)).toBe("held");
    expect(await claimOf(order)).toMatchObject({ state: "held", reason: "medical_order" });
    await submit(order, HELD, { expense_subtypes: "exam" });
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "held", attempt: 1 });
    await submit(order, HELD, {}, "the medical order");
    await face.runDue();
    expect(await statusOf(order)).toBe("filed");
    expect(await claimOf(order)).toMatchObject({ state: "filed", attempt: 2, reason: null });
  });

  it("waits for access that was never given, and is filed once it is", async () => {
    const order = await paidWithExpense(CAMILA.rut, { withAccess: false });
    expect(await claimOf(order)).toMatchObject({ state: "access_missing" });
    expect(await statusOf(order)).toBe("received");
    face.clock.advance(60_000);
    await register(CAMILA.rut, true);
    await face.runDue();
    expect(await statusOf(order)).toBe("filed");
  });

  it("is not tried again until something changes", async () => {
    const order = await paidWithExpense(ACCESS_NOT_ACCEPTED);
    face.clock.advance(10 * 24 * 3_600_000);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "access_missing", attempt: 1 });
  });

  it("is not filed repeatedly if the clock that stamped the receipt is ahead", async () => {
    const ahead = new Date(START.getTime() + 60_000);
    face.clock.set(ahead);
    await register(HELD, true);
    const order = await face.createOrder(clinic, { rut: HELD });
    await face.moveOrder(clinic, order, "paid");
    await submit(order, HELD);
    face.clock.set(START);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "ready", attempt: 1, reason: null });
    face.clock.set(ahead);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "held", attempt: 2 });
  });

  it("keeps the time since which access has been blocked through every new attempt", async () => {
    const order = await paidWithExpense(BLOCKED_AT_ONCE);
    expect(await statusOf(order)).toBe("access_blocked");
    face.clock.advance(6 * 3_600_000);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "access_blocked", attempt: 2, blocked_since: START });
    // An outage of the portal does not prove that the access works.
    const filing = untilTestEnds(vi.spyOn(face.dependencies.insurer, "fileClaim"));
    filing.mockResolvedValueOnce({ outcome: "portal_down" });
    face.clock.advance(6 * 3_600_000);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "ready", attempt: 3, blocked_since: START });
    expect(await statusOf(order)).toBe("received");
    face.clock.advance(3_600_000);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "access_blocked", attempt: 4, blocked_since: START });
  });

  it("accepts the medical order while access is blocked, and is filed with it", async () => {
    const order = await paidWithExpense(BLOCKED_AT_ONCE);
    const { status, body } = await submit(order, BLOCKED_AT_ONCE, {}, "the medical order");
    expect([status, body]).toMatchObject([200, { created: false, status: "access_blocked" }]);
    expect(body.processed_files).toHaveLength(2);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "access_blocked", attempt: 1, filed_at: null });
    await giveAccessAgain(BLOCKED_AT_ONCE);
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "filed", blocked_since: null });
    expect(await statusOf(order)).toBe("filed");
    expect(await insurersClaims(order)).toMatchObject([{ documents: 2 }]);
  });

  it("is filed with documents received while access was blocked, also when access returns by itself", async () => {
    const order = await paidWithExpense(BLOCKED_AT_ONCE);
    await submit(order, BLOCKED_AT_ONCE, {}, "the medical order");
    const stored = face.db.selectFrom("expense_files").select("storage_name");
    const files = await stored.where("provider_id", "=", clinic.provider.id).execute();
    const read = vi.spyOn(face.storage, "get");
    face.clock.advance(6 * 3_600_000);
    await face.runDue();
    expect(files).toHaveLength(2);
    for (const { storage_name } of files) expect(read).toHaveBeenCalledWith(storage_name);
    read.mockRestore();
  });

  it("does not count a portal outage for all patients as blocked access", async () => {
    const order = await paidWithExpense(PORTAL_DOWN);
    expect(await claimOf(order)).toMatchObject({ state: "ready", reason: "portal_down", blocked_since: null });
    expect(await statusOf(order)).toBe("received");
    for (let hours = 0; hours < 52; hours += 4) {
      face.clock.advance(4 * 3_600_000);
      await face.runDue();
    }
    expect(await statusOf(order)).toBe("filed");
  });

  it("is queried again when another worker took up the call at the same moment", async () => {
    const order = await paidWithExpense(PORTAL_DOWN);
    const claim = await claimOf(order);
    const takeUp = face.db.updateTable("claims").set({ state: "filing", attempt: 2 }).where("order_id", "=", order);
    const db = face.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await takeUp.execute();
        return result;
      },
    });
    const outcome = await fileClaim({ ...face.dependencies, db }, filingTimer(claim?.id, 2), TIMER_CONTEXT);
    expect(outcome).toEqual({ again: new Date(START.getTime() + 60_000) });
  });

  it("is neither filed nor queried by a repeated timer of an earlier call", async () => {
    const order = await paidWithExpense(PORTAL_DOWN);
    const claim = await claimOf(order);
    const { insurer } = face.dependencies;
    const calls = [vi.spyOn(insurer, "fileClaim"), vi.spyOn(insurer, "inquireFiling")].map(untilTestEnds);
    const again = () => fileClaim(face.dependencies, filingTimer(claim?.id, 1), TIMER_CONTEXT);
    expect(await again()).toBe("done");
    for (const call of calls) expect(call).not.toHaveBeenCalled();
    await face.fault(clinic, { party: "insurer", method: "fileClaim", kind: "fail_before", calls: 1 });
    face.clock.advance(15 * 60_000);
    await face.runDue();
    const underWay = await claimOf(order);
    expect(underWay).toMatchObject({ state: "filing", attempt: 2 });
    for (const call of calls) call.mockClear();
    expect(await again()).toBe("done");
    for (const call of calls) expect(call).not.toHaveBeenCalled();
    expect(await claimOf(order)).toEqual(underWay);
  });

  it("is not filed if its order was just refunded and the refund event has not arrived yet", async () => {
    const order = await paidWithExpense(PORTAL_DOWN);
    const claim = await claimOf(order);
    await face.moveOrder(clinic, order, "refunded");
    const filed = untilTestEnds(vi.spyOn(face.dependencies.insurer, "fileClaim"));
    expect(await fileClaim(face.dependencies, filingTimer(claim?.id, 2), TIMER_CONTEXT)).toBe("done");
    expect(filed).not.toHaveBeenCalled();
    expect(await claimOf(order)).toMatchObject({ state: "ready", attempt: 1 });
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "stopped", reason: "order_refunded" });
  });

  it.each([null, "claim", {}, { attempt: 1 }, { claim_id: 1, attempt: 1 }, { claim_id: "a", attempt: "1" }])(
    "is not looked up by a timer that does not name it: %j",
    async (payload) => {
      const timer = { ...filingTimer(undefined, 1), payload };
      await expect(fileClaim(face.dependencies, timer, TIMER_CONTEXT)).rejects.toThrow(ClaimIncomplete);
    },
  );

  it("is stopped when the order is refunded in full before it is filed", async () => {
    const order = await paidWithExpense(CAMILA.rut, { withAccess: false });
    await face.moveOrder(clinic, order, "refunded");
    await face.runDue();
    expect(await claimOf(order)).toMatchObject({ state: "stopped", reason: "order_refunded" });
    face.clock.advance(60_000);
    await register(CAMILA.rut, true);
    await face.runDue();
    expect(await insurersClaims(order)).toEqual([]);
  });
});

describe("a claim that has been filed", () => {
  it("accepts no more files once access to the insurer is blocked afterwards", async () => {
    const order = await paidWithExpense(BLOCKED_ON_DAY_2);
    expect(await statusOf(order)).toBe("filed");
    face.clock.advance(2 * 24 * 3_600_000);
    await face.runDue();
    expect(await statusOf(order)).toBe("access_blocked");
    const { body } = await submit(order, BLOCKED_ON_DAY_2, {}, "the medical order");
    expect(body).toMatchObject({ created: false, status: "access_blocked", processed_files: [{ bytes: 500 }] });
  });
});

describe("a filing whose answer is lost", () => {
  it.each(["fail_before", "fail_after", "slow", "twice"] as const)(
    "(%s) is settled by inquiry, and filed once",
    async (kind) => {
      await register(CAMILA.rut, true);
      const order = await face.createOrder(clinic);
      await face.moveOrder(clinic, order, "paid");
      await face.fault(clinic, { party: "insurer", method: "fileClaim", kind, calls: 1 });
      await submit(order, CAMILA.rut);
      await face.runDue();
      for (const seconds of [10, 30, 120]) {
        face.clock.advance(seconds * 1_000);
        await face.runDue();
      }
      expect(await claimOf(order)).toMatchObject({ state: "filed", attempt: 1 });
      expect(await insurersClaims(order)).toHaveLength(1);
      expect((await face.mailbox(clinic)).filter(({ subject }) => subject === "Presentamos tu reembolso")).toHaveLength(
        1,
      );
    },
  );
});
