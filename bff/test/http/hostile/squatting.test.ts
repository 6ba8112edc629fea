import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { purgeUnproven } from "../../../src/app/purge-outdated.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut, type Rut } from "../../../src/contract/vocabulary/rut.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { seal } from "../gateways/start-gateways.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { acceptedConsents } from "../orders/orders-world.ts";
import { expenseForm, pdf } from "../spot/expense-forms.ts";
import { CAMILA, given } from "../spot/people.ts";

/*
 * A stranger knows the clinic's public key and a patient's RUT, and has another mailbox. He registers her RUT before
 * she does. The patient then arrives as usual: the clinic creates an order with her address, and she uses the page.
 */

const STRANGER = "stranger@example.org";
const DAY_MS = 24 * 3_600_000;

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

/** Patients of the sandbox whose card and credit are good, one for each test. */
const ruts = [
  "11111111-1",
  "12345678-5",
  "5126663-3",
  "6543210-2",
  "7123456-8",
  "8765432-K",
  "10111222-5",
  "20123456-5",
  "27123456-2",
  "26123456-4",
  "25123456-6",
];
const nextRut = () => {
  const rut = ruts.pop();
  if (rut === undefined) throw new Error("Name one more RUT for this test.");
  return rut;
};

const call = (name: "registerPatient" | "startRecovery" | "verifyRecovery", body: object) =>
  bff.callSpotApi(spotEndpoints[name], { as: bff.clinic, body });
async function mint(body: object = {}): Promise<string> {
  return (await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: bff.clinic, body })).body.widget_token;
}
const session = async (token: string) =>
  (await bff.callSpotApi(spotEndpoints.readWidgetToken, { params: { token } })).body;
async function access(rut: string, password: string): Promise<string> {
  const key = await checkout.sandbox.insurer.sealingKey();
  return seal(key, { insurer: "colmena", rut, password, iat: Math.floor(bff.clock.now().getTime() / 1_000) });
}
/** The body of a sign-up. */
async function signUp(rut: string, email: string, widget_token: string) {
  const sealed_insurer_access = await access(rut, "clave");
  const consents = given("onboarding", "insurer_access", "marketing");
  return { ...CAMILA, rut, email, sealed_insurer_access, consents, widget_token };
}
const register = async (rut: string, email: string, token: string) =>
  call("registerPatient", await signUp(rut, email, token));
/** Newest first. */
async function sentTo(to: string) {
  await bff.runDue();
  return readNotifications({ db: bff.database.db }, { providerId: bff.clinic.provider.id, to, limit: 50 });
}
const mails = async (to: string) => (await sentTo(to)).map(({ subject }) => subject);
async function lastCode(to: string): Promise<string> {
  const mail = (await sentTo(to)).find(({ subject }) => subject.startsWith("Tu código"));
  return /\b\d{6}\b/.exec(mail?.text ?? "")?.[0] ?? "";
}
/** The stranger proves the only thing that he can: access to his own mailbox. */
async function strangerProvesHisMailbox(rut: string): Promise<void> {
  const token = await mint();
  expect((await register(rut, STRANGER, token)).status).toBe(201);
  expect((await call("startRecovery", { rut, way: "email_code", widget_token: token })).status).toBe(202);
  const code = await lastCode(STRANGER);
  expect((await call("verifyRecovery", { rut, code, widget_token: token })).status).toBe(200);
}
const records = (rut: string) =>
  bff.database.db
    .selectFrom("beneficiaries as b")
    .innerJoin("users as u", "u.id", "b.user_id")
    .select(["b.id", "u.email", "b.proof_until", "b.sealed_insurer_access", "b.proved_by"])
    .where("b.rut", "=", parseRut(rut))
    .orderBy("b.created_at")
    .execute();
const submitReceipt = (rut: string, hash: string) =>
  bff.callSpotApi(spotEndpoints.submitExpense, {
    as: bff.clinic,
    query: { rut },
    rawBody: expenseForm([pdf()], { skip_pay_order_id: hash }),
  });
const claimsOf = (hash: string) =>
  bff.database.db
    .selectFrom("claims")
    .select(["state", "beneficiary_id"])
    .where("order_id", "=", hash as OrderId)
    .execute();
const kept = async (rut: string) => (await records(rut)).filter(({ proof_until }) => proof_until === null);

describe("an unproved registration", () => {
  it("skips no step and blocks no sign-up; the registry verifies the real patient", async () => {
    const rut = nextRut();
    expect((await register(rut, STRANGER, await mint())).status).toBe(201);
    const hash = await checkout.newOrder({ rut });
    const token = await mint({ order_token: hash });
    expect((await session(token)).event_type).toBe("SPOT_USER_NEW");
    expect((await register(rut, CAMILA.email, token)).status).toBe(201);
    expect(await kept(rut)).toEqual([]);
    expect((await checkout.identify(hash)).status).toBe(200);
    expect(await kept(rut)).toMatchObject([{ email: CAMILA.email, proved_by: "registry" }]);
    await checkout.addCard(hash);
    expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });

  it("files no claim and gets no notification, although the order was paid and its receipt came", async () => {
    const rut = nextRut();
    await register(rut, STRANGER, await mint({ long_term_token: true }));
    const hash = await checkout.paidOrder({ rut });
    expect((await submitReceipt(rut, hash)).status).toBe(200);
    await bff.runDue();
    expect(await claimsOf(hash)).toEqual([]);
    await bff.advance(2 * DAY_MS);
    expect(await mails(STRANGER)).toEqual([]);
  });

  it("does not cost the patient a claim: it is filed once she has proved her identity", async () => {
    const rut = nextRut();
    await register(rut, STRANGER, await mint({ long_term_token: true }));
    const hash = await checkout.paidOrder({ rut });
    await submitReceipt(rut, hash);
    await bff.runDue();
    expect(await claimsOf(hash)).toEqual([]);
    const next = await checkout.newOrder({ rut });
    await register(rut, CAMILA.email, await mint({ order_token: next }));
    await checkout.identify(next);
    await bff.runDue();
    const [record] = await kept(rut);
    expect(await claimsOf(hash)).toEqual([{ state: "filed", beneficiary_id: record?.id }]);
  });

  it("keeps no receipt from the patient, even one that came during the stranger's registration", async () => {
    const rut = nextRut();
    await register(rut, STRANGER, await mint({ long_term_token: true }));
    const hash = await checkout.newOrder({ rut });
    const { id } = (await submitReceipt(rut, hash)).body;
    await register(rut, CAMILA.email, await mint({ order_token: hash }));
    await checkout.identify(hash);
    await checkout.addCard(hash);
    await checkout.pay(hash);
    await bff.runDue();
    const [record] = await kept(rut);
    expect(await claimsOf(hash)).toEqual([{ state: "filed", beneficiary_id: record?.id }]);
    expect(await submitReceipt(rut, hash)).toMatchObject({ status: 200, body: { id, created: false } });
  });

  it("expires with its token, and no data of it is kept", async () => {
    const rut = nextRut();
    await register(rut, STRANGER, await mint());
    const asks = async () =>
      (await bff.callSpotApi(spotEndpoints.isUserSubscribed, { as: bff.clinic, query: { rut } })).body.is_subscribed;
    expect(await asks()).toBe(true);
    await bff.advance(3_600_001);
    expect(await asks()).toBe(false);
    const { db } = bff.database;
    const [dead] = await db.selectFrom("beneficiaries").select("tenant").where("rut", "=", parseRut(rut)).execute();
    await purgeUnproven({ ...bff.context, db, environment: "staging" });
    expect(await records(rut)).toEqual([]);
    const consents = db
      .selectFrom("consents")
      .select("id")
      .where("rut", "=", dead?.tenant as Rut);
    expect(await consents.execute()).toEqual([]);
  });

  it("is visible only to the visit that made it, which can continue", async () => {
    const rut = nextRut();
    const order_token = await checkout.newOrder({ rut });
    const token = await mint({ order_token });
    await register(rut, CAMILA.email, token);
    expect((await session(token)).event_type).toBe("REFUNDS_LEFT");
    expect((await session(await mint({ order_token }))).event_type).toBe("SPOT_USER_NEW");
    expect((await session(await mint({ rut }))).event_type).toBe("SPOT_USER_NEW");
  });
});

describe("a registration with only another person's mailbox proved", () => {
  it("conflicts with her order before anything is paid, and her document wins without his consent", async () => {
    const rut = nextRut();
    await strangerProvesHisMailbox(rut);
    const hash = await checkout.newOrder({ rut });
    const token = await mint({ order_token: hash });
    expect((await session(token)).event_type).toBe("SPOT_USER_NEW");
    const refused = await register(rut, CAMILA.email, token);
    expect([refused.status, refused.body.code]).toEqual([409, "RUT_OTHER_EMAIL"]);
    await checkout.identify(hash);
    await checkout.addCard(hash);
    const unpaid = await checkout.pay(hash);
    expect([unpaid.status, unpaid.body.code]).toEqual([409, "RUT_OTHER_EMAIL"]);

    const proof = { way: "identity", document_serial: "123.456.789", email: CAMILA.email };
    expect((await call("startRecovery", { rut, ...proof, widget_token: token })).status).toBe(202);
    const code = await lastCode(CAMILA.email);
    const typed = await signUp(rut, CAMILA.email, token);
    const { consents, insurer, sealed_insurer_access } = typed;
    const verified = { rut, code, widget_token: token, consents, insurer, sealed_insurer_access };
    expect((await call("verifyRecovery", verified)).status).toBe(200);
    expect((await session(token)).event_type).toBe("REFUNDS_LEFT");
    expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
    expect(await kept(rut)).toMatchObject([{ email: CAMILA.email, proved_by: "registry" }]);
    // He is notified that the mailbox changed, without any means to undo it.
    expect(await mails(STRANGER)).toContain("El correo de tu cuenta cambió");
    const links = bff.database.db.selectFrom("widget_tokens").select("id").where("purpose", "=", "objection");
    expect(await links.execute()).toEqual([]);
  });

  it("negative control: an order with the registered mailbox is paid without further questions", async () => {
    const rut = nextRut();
    const first = await checkout.newOrder({ rut });
    await register(rut, CAMILA.email, await mint({ order_token: first }));
    await checkout.identify(first);
    const hash = await checkout.newOrder({ rut });
    expect((await session(await mint({ order_token: hash }))).event_type).toBe("REFUNDS_LEFT");
    await checkout.identify(hash);
    await checkout.addCard(hash);
    expect((await checkout.pay(hash)).status).toBe(200);
  });
});

describe("RUT and e-mail alone", () => {
  it("change neither access nor consents until the registry matches, which notifies the owner and is audited", async () => {
    const rut = nextRut();
    const first = await checkout.newOrder({ rut });
    await register(rut, CAMILA.email, await mint({ order_token: first }));
    await checkout.identify(first);
    const [before] = await kept(rut);
    const { db } = bff.database;
    await db.updateTable("consents").set({ withdrawn_at: bff.clock.now() }).where("rut", "=", parseRut(rut)).execute();
    const valid = async () =>
      (
        await db
          .selectFrom("consents")
          .select("id")
          .where("rut", "=", parseRut(rut))
          .where("withdrawn_at", "is", null)
          .execute()
      ).length;

    const again = await register(rut, CAMILA.email, await mint());
    expect([again.status, again.body.beneficiary_id]).toEqual([200, before?.id]);
    expect(await kept(rut)).toEqual([before]);
    expect(await valid()).toBe(0);

    const hash = await checkout.newOrder({ rut });
    const token = await mint({ order_token: hash });
    expect((await session(token)).event_type).toBe("SPOT_USER_NEW");
    await register(rut, CAMILA.email, token);
    expect(await valid()).toBe(0);
    await checkout.identify(hash);
    expect((await kept(rut))[0]?.sealed_insurer_access).not.toBe(before?.sealed_insurer_access);
    expect(await valid()).toBeGreaterThan(0);
    expect(await mails(CAMILA.email)).toContain("Tu registro cambió");
    const audited = await db
      .selectFrom("audit_log")
      .select("act")
      .where("subject_id", "=", before?.id ?? "")
      .where("act", "like", "beneficiary.%")
      .orderBy("at")
      .execute();
    expect(audited.map(({ act }) => act)).toEqual(["beneficiary.registered", "beneficiary.renewed"]);
  });
});

it("a hundred registrations by strangers leave nothing for a lookup to find", async () => {
  const rut = nextRut();
  for (let times = 0; times < 25; times += 1) await register(rut, `${times}@example.org`, await mint());
  expect(await kept(rut)).toEqual([]);
  const hash = await checkout.newOrder({ rut });
  expect((await register(rut, CAMILA.email, await mint({ order_token: hash }))).status).toBe(201);
  const { status } = await bff.callOrderApi(orderEndpoints.payOrder, {
    as: bff.clinic,
    params: { hash },
    body: { consents: acceptedConsents },
    headers: { "Idempotency-Key": systemIds.uuid() },
  });
  expect(status).toBe(400);
});
