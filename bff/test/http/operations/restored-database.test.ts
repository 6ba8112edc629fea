/** @module-tag both-databases */
import { afterEach, expect, test } from "vitest";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { resolveAll } from "../../../src/operations/exceptions/resolve-all.ts";
import { LOST_CHARGE_ADVICE, LOST_PAYOUT_ADVICE } from "../../../src/operations/restore/advice.ts";
import { checkRestore } from "../../../src/operations/restore/check-restore.ts";
import { openDeferredCharge, settleDeferredCharge } from "../../../src/orders/payments/deferred-charge.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { tenantOf } from "../../../src/patients/tenant.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { beginRestore, findOpenRestore } from "../../../src/platform/restore-store.ts";
import { eraseData } from "../../../src/self-service/my-data/erase-data.ts";
import { eraseUnregistered } from "../../../src/self-service/my-data/unregistered.ts";
import { setPayoutTerms } from "../../../src/settlement/payouts/payout-terms.ts";
import { keepBackup } from "../../lost-hours.ts";
import { type AfterPaidWorld, beginEach, type Clinic, DAY_MS, PATIENTS } from "../after-paid/after-paid-world.ts";
import { auditOf } from "../audit-of.ts";
import { knownPatientsOf } from "../orders/known-patients-world.ts";
import { CARDS, present } from "../orders/orders-world.ts";

/*
 * The database is set back to an earlier moment, as after a restore or a failover that lost its last commits, while the
 * outside parties remember what they did since. Nothing that they did may happen a second time.
 */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({}, async (beginning) => {
  ({ world, clinic } = beginning);
  // Every clinic of an environment is compared, and what other tests have left to look at is theirs.
  const others = world.bff.database.db.updateTable("providers").set({ environment: "production" });
  await others.where("id", "<>", clinic.clinic.provider.id).execute();
});

const backup = () => keepBackup(world.bff.database.db, `backup_${systemIds.digits(12)}`);
const DECADE = [new Date("2026-01-01"), new Date("2100-01-01")] as const;

/** What `aapd restore begin` and `aapd restore check` do, with this clinic alone in sight. */
async function begin(restoredTo = world.bff.clock.now()): Promise<void> {
  const { db } = world.bff.database;
  await inTransaction(db, (tx) =>
    beginRestore(tx, { id: systemIds.uuid(), restoredTo, at: world.bff.clock.now(), by: "operator:test" }),
  );
}
async function check() {
  const { database, clock, context, files } = world.bff;
  if ((await findOpenRestore(database.db)) === null) await begin(DECADE[0]);
  const { keyring } = context;
  const own = { db: database.db, clock, ids: systemIds, keyring, files } as const;
  const dependencies = { ...clinic.sandbox, ...own, environment: "staging" } as const;
  const checked = await checkRestore(dependencies, present(await findOpenRestore(database.db)), "operator:test");
  return { ...checked, findings: checked.findings.filter((finding) => finding.providerId === providerId()) };
}
/** An operator says of the clinic's differences of a kind that there is nothing else to do. */
function putAside(fact: string) {
  const own = { ...world.bff.context, db: world.bff.database.db, environment: "staging" } as const;
  return resolveAll(
    own,
    { kind: "difference", providerId: providerId(), fact: { name: "kind", value: fact } },
    { resolution: "handled", actor: "operator:test", note: "the patient is asked to pay again" },
  );
}
afterEach(async () => {
  await world.bff.database.db.deleteFrom("restores").execute();
});

const providerId = () => clinic.clinic.provider.id;

/** The movements that the card processor itself knows of, as `kind amount`. */
async function movements(): Promise<string[]> {
  const list = await clinic.sandbox.cardProcessor.listMovements(providerId(), ...DECADE);
  return list.map(({ kind, amount }) => `${kind} ${amount}`);
}

test("a first instalment is not charged again when the patient pays once more", async () => {
  const hash = await clinic.readyOrder();
  const restore = await backup();
  await clinic.pay(hash);
  const before = await movements();
  await restore();
  expect((await clinic.read(hash)).status).toBe("pending");
  await clinic.pay(hash);
  expect((await clinic.read(hash)).status).toBe("paid");
  expect(await movements()).toEqual(before);
  expect(before).toEqual(["charge 12000"]);
});

test("a deferred part is not charged again, also where earlier tries are lost with it", async () => {
  const hash = await clinic.justPaid("5186059550000013");
  const restore = await backup();
  await world.bff.advance(50 * DAY_MS);
  expect(await clinic.tries(hash)).toEqual(["declined", "declined", "captured"]);
  await restore();
  await world.bff.advance(10 * DAY_MS);
  expect(await clinic.tries(hash)).toEqual(["declined", "declined", "captured"]);
  expect((await movements()).filter((line) => line === "charge 30800")).toHaveLength(1);
});

test.each([
  { name: "its reference", body: { amount: 4_000, refund_reference: "nota-1" } },
  { name: "its amount alone", body: { amount: 4_000 } },
])("a refund that is asked for again under $name goes back once", async ({ body }) => {
  const hash = await clinic.justPaid();
  await world.bff.advance(50 * DAY_MS);
  const restore = await backup();
  await clinic.refund(hash, body);
  await restore();
  await clinic.refund(hash, body);
  await world.bff.runDue();
  expect((await movements()).filter((line) => line.startsWith("return"))).toHaveLength(1);
});

test("a refund that is asked for again under its Idempotency-Key goes back once, though another comes first", async () => {
  const hash = await clinic.justPaid();
  await world.bff.advance(50 * DAY_MS);
  const restore = await backup();
  const again = () => clinic.refund(hash, { amount: 4_000 }, { headers: { "idempotency-key": "nota-1" } });
  await again();
  await restore();
  await clinic.refund(hash, { amount: 1_000 });
  await again();
  await world.bff.runDue();
  expect((await movements()).filter((line) => line.startsWith("return"))).toHaveLength(2);
});

test("a deferred part is not charged again where a try that never arrived is lost with it", async () => {
  const hash = await clinic.justPaid();
  const restore = await backup();
  const { database, clock } = world.bff;
  await inTransaction(database.db, async (tx) => {
    const at = clock.now();
    const { paymentId } = present(await openDeferredCharge(tx, clinic.key(hash), { card: null, at }));
    const settled = { paymentId, result: { outcome: "not_made" }, at } as const;
    await settleDeferredCharge(tx, { ids: systemIds, clock }, clinic.key(hash), settled);
  });
  await world.bff.advance(50 * DAY_MS);
  expect(await clinic.tries(hash)).toEqual(["failed", "captured"]);
  await restore();
  const { findings, isEnded } = await check();
  expect(findings.map(({ advice }) => advice)).toContainEqual(LOST_CHARGE_ADVICE.found_when_charged);
  expect(isEnded).toBe(true);
  await world.bff.advance(10 * DAY_MS);
  expect(await clinic.tries(hash)).toEqual(["failed", "captured"]);
  const payments = world.bff.database.db.selectFrom("order_payments").select("number").orderBy("number");
  const numbers = await payments.where("order_id", "=", clinic.key(hash).orderId).execute();
  expect(numbers.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect((await movements()).filter((line) => line === "charge 30800")).toHaveLength(1);
});

test("until a restored database is compared and each difference put aside, nothing is done and nobody pays", async () => {
  const [lost, kept] = [await clinic.readyOrder(), await clinic.readyOrder()];
  const paid = await clinic.justPaid();
  const restore = await backup();
  await clinic.pay(lost);
  await restore();
  await begin();
  expect(await clinic.pay(kept)).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
  world.bff.clock.advance(50 * DAY_MS);
  expect([await world.bff.runDue(), await clinic.tries(paid)]).toEqual([0, []]);
  const { id } = present(await findOpenRestore(world.bff.database.db));
  const found = await check();
  expect(found.isEnded).toBe(false);
  expect(found.findings.map(({ difference: { kind } }) => kind)).toEqual(
    expect.arrayContaining(["charge_not_booked", "loan_not_booked"]),
  );
  expect((await putAside("charge_not_booked")).resolved).toMatchObject([{ isDone: true }]);
  expect((await putAside("charge_not_booked")).resolved).toEqual([]);
  expect((await check()).isEnded).toBe(false);
  for (const { difference } of found.findings) await putAside(difference.kind);
  expect(await auditOf(world.bff.database.db, id)).toEqual([]);
  expect((await check()).isEnded).toBe(true);
  const by = { actor: "operator:test", credential_id: null, provider_id: null };
  expect(await auditOf(world.bff.database.db, id)).toEqual([
    { act: "restore.ended", ...by, subject_kind: "restore", subject_id: id, details: {} },
  ]);
  await clinic.pay(lost);
  expect((await clinic.read(lost)).status).toBe("paid");
  expect((await movements()).filter((line) => line === "charge 12000")).toHaveLength(2);
});

test("until then nobody who is back from the issuer's challenge is charged, and no code is sent", async () => {
  const known = await knownPatientsOf(world.bff);
  const hash = await clinic.readyOrder({ card: CARDS.challenge });
  await clinic.press((await clinic.pay(hash)).body.payment.action.url, "approve");
  await begin();
  expect(await clinic.pay(hash)).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
  const asked = { as: known.clinic, body: { rut: known.patient.rut } };
  await world.bff.callSpotApi(spotEndpoints.sendDataLink, asked);
  const minted = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: known.clinic, body: {} });
  const recovery = { ...asked.body, way: "email_code", widget_token: minted.body.widget_token };
  await world.bff.callSpotApi(spotEndpoints.startRecovery, { as: known.clinic, body: recovery });
  expect([await known.mails(), await movements()]).toEqual([[], []]);
  await world.bff.database.db.deleteFrom("restores").execute();
  expect((await known.mails()).map(({ subject }) => subject).toSorted()).toEqual([
    "Tu código para ver tus datos",
    "Tus datos",
  ]);
  expect((await clinic.pay(hash)).body.payment.status).toBe("succeeded");
  expect(await movements()).toEqual(["charge 12000"]);
});

test("a payout is not sent again, also where its run comes days later", async () => {
  const { context, database, clock } = world.bff;
  await setPayoutTerms(
    { db: database.db, ids: systemIds, clock, keyring: context.keyring },
    {
      providerId: providerId(),
      feePercentage: 3.5,
      bankAccount: {
        holder_name: "Clínica Demo SpA",
        holder_rut: parseRut("76.900.001-1"),
        bank: "Banco de Prueba",
        account_type: "checking",
        account_number: "1001",
      },
      actor: "operator:test",
    },
  );
  await clinic.justPaid();
  const restore = await backup();
  await world.bff.advance(DAY_MS);
  await restore();
  clock.advance(2 * DAY_MS);
  expect(await check()).toMatchObject({ isEnded: true, findings: [{ advice: LOST_PAYOUT_ADVICE }] });
  await world.bff.runDue();
  expect(await clinic.sandbox.bank.listTransfers(providerId(), ...DECADE)).toHaveLength(1);
});

test("who was erased is erased again before work begins, and who was not, is not", async () => {
  const { clock, context, database } = world.bff;
  const { db } = database;
  const { provider } = clinic.clinic;
  const [asked, unregistered, other] = [PATIENTS.neverAnswered, PATIENTS.rejected, PATIENTS.portalDown];
  await clinic.register(asked);
  await clinic.register(other);
  await clinic.readyOrder({ rut: unregistered });
  const tenant = tenantOf(provider);
  const find = (rut: string) => findBeneficiary(db, { tenant, rut: parseRut(rut) });
  const restore = await backup();
  const restoredTo = clock.now();
  world.bff.clock.advance(DAY_MS);
  const act = { providerId: provider.id, actor: "operator:test", now: clock.now() };
  const own = { db, clock, ids: systemIds, keyring: context.keyring };
  await eraseData(own, { ...act, patient: present(await find(asked)) });
  await eraseUnregistered(own, { ...act, tenant, rut: parseRut(unregistered) });
  await world.bff.runDue();
  await restore();
  expect(await find(asked)).not.toBeNull();
  await begin(restoredTo);
  expect((await check()).erasures).toEqual({ erased: 2, refused: [] });
  expect(await find(asked)).toBeNull();
  expect(await find(other)).not.toBeNull();
  expect((await check()).erasures).toMatchObject({ refused: [] });
});

test("a claim that was filed is the same claim when its receipt is sent again", async () => {
  await clinic.register(PATIENTS.neverAnswered);
  const hash = await clinic.paidOrder({ rut: PATIENTS.neverAnswered });
  const restore = await backup();
  const filed = async () => {
    await clinic.submitReceipt(hash, PATIENTS.neverAnswered);
    await world.bff.advance(60_000);
    return world.bff.database.db
      .selectFrom("claims")
      .selectAll()
      .where("provider_id", "=", providerId())
      .executeTakeFirst();
  };
  const first = await filed();
  await restore();
  const again = await filed();
  expect(first?.state).toBe("filed");
  expect(again).toMatchObject({ state: "filed", id: first?.id, insurer_claim_id: first?.insurer_claim_id });
});

test("what the processor has settled since is booked again by the comparison", async () => {
  await clinic.justPaid();
  const restore = await backup();
  await world.bff.advance(3 * DAY_MS);
  const settled = () =>
    world.bff.database.db
      .selectFrom("card_settlements")
      .select(["amount", "fee"])
      .where("provider_id", "=", providerId())
      .execute();
  const before = await settled();
  expect(before).toHaveLength(1);
  await restore();
  expect(await settled()).toEqual([]);
  await check();
  expect(await settled()).toEqual(before);
});

test("a charge whose order is lost with it is told as one that nothing will find", async () => {
  const restore = await backup();
  await clinic.pay(await clinic.readyOrder());
  await restore();
  expect((await check()).findings.map(({ advice }) => advice)).toContainEqual(LOST_CHARGE_ADVICE.never_found);
  expect((await putAside("charge_not_booked")).resolved).toMatchObject([{ isDone: true }]);
});
