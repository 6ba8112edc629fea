/** @module-tag both-databases */
import { expect, test, vi } from "vitest";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { setPayoutTerms } from "../../../src/settlement/payouts/payout-terms.ts";
import { keepBackup } from "../../lost-hours.ts";
import { type AfterPaidWorld, beginEach, type Clinic, DAY_MS, PATIENTS } from "../after-paid/after-paid-world.ts";

/*
 * The database is set back to an earlier moment, as after a restore or a failover that lost its last commits, while the
 * outside parties remember what they did since. Nothing of it may happen a second time.
 */

vi.setConfig({ testTimeout: 90_000 });

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({}, (beginning) => {
  ({ world, clinic } = beginning);
});

const backup = () => keepBackup(world.bff.database.db, `backup_${systemIds.digits(12)}`);
const DECADE = [new Date("2026-01-01"), new Date("2100-01-01")] as const;
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

test("a payout is not sent again", async () => {
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
  await world.bff.runDue();
  expect(await clinic.sandbox.bank.listTransfers(providerId(), ...DECADE)).toHaveLength(1);
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
