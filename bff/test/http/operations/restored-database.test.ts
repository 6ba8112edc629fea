/** @module-tag both-databases */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runCommand } from "../../../src/app/run-command.ts";
import { shownCheck } from "../../../src/back-office/cli/restore-steps.ts";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import { resolveAll } from "../../../src/back-office/exceptions/resolve-all.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import {
  ADVICE,
  LOST_CHARGE_ADVICE,
  LOST_LOAN_ADVICE,
  LOST_PAYOUT_ADVICE,
} from "../../../src/back-office/restore/advice.ts";
import { checkRestore } from "../../../src/back-office/restore/check-restore.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { openDeferredCharge, settleDeferredCharge } from "../../../src/orders/deferred-charge.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { beginRestore, findOpenRestore } from "../../../src/platform/restore-store.ts";
import { eraseData } from "../../../src/self-service/erase-data.ts";
import { eraseUnregistered } from "../../../src/self-service/unregistered.ts";
import { setPayoutTerms } from "../../../src/settlement/payout-terms.ts";
import { testDatabaseKind } from "../../database.ts";
import { keepBackup } from "../../lost-hours.ts";
import { TEST_SECRET } from "../../start-bff.ts";
import { type AfterPaidWorld, beginEach, type Clinic, DAY_MS, PATIENTS } from "../after-paid/after-paid-world.ts";
import { auditOf } from "../audit-of.ts";
import { knownPatientsOf } from "../orders/known-patients-world.ts";
import { CARDS, present } from "../orders/orders-world.ts";

/*
 * The database is restored to an earlier moment, after a backup restore or a failover that lost its last commits, while
 * the outside parties keep their later state. None of their effects may be repeated.
 */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({}, async (beginning) => {
  ({ world, clinic } = beginning);
  // Every clinic of an environment is compared. Differences left by other tests are resolved there.
  const others = world.bff.database.db.updateTable("providers").set({ environment: "production" });
  await others.where("id", "<>", clinic.clinic.provider.id).execute();
});

const backup = () => keepBackup(world.bff.database.db, `backup_${systemIds.digits(12)}`);
const DECADE = [new Date("2026-01-01"), new Date("2100-01-01")] as const;

/** Runs `aapd restore begin` and `aapd restore check` for this clinic alone. */
async function begin(restoredTo = world.bff.clock.now()): Promise<void> {
  const { db } = world.bff.database;
  await inTransaction(db, (tx) =>
    beginRestore(tx, { id: systemIds.uuid(), restoredTo, at: world.bff.clock.now(), by: "operator:test" }),
  );
}
async function check() {
  const { database, clock, context, files } = world.bff;
  if ((await findOpenRestore(database.db)) === null) await begin(DECADE[0]);
  const { keyring, paymentPage, consultationDay } = context;
  const own = { db: database.db, clock, ids: systemIds, keyring, files, paymentPage, consultationDay } as const;
  const dependencies = { ...clinic.sandbox, ...own, environment: "staging" } as const;
  const checked = await checkRestore(dependencies, present(await findOpenRestore(database.db)), "operator:test");
  return { ...checked, findings: checked.findings.filter((finding) => finding.providerId === providerId()) };
}
/** An operator resolves the clinic's first difference that accepts the resolution. */
async function resolveListed(resolution: "return_charge" | "cancel_loan"): Promise<void> {
  const kind = resolution === "return_charge" ? "charge_not_booked" : "loan_not_booked";
  const listed = (await clinic.exceptions()).find(({ facts }) => facts.kind === kind);
  const own = { ...world.bff.context, db: world.bff.database.db, environment: "staging" } as const;
  await resolveException(own, exceptionId(present(listed)), { resolution, actor: "operator:test", note: null });
}

/** An operator dismisses the clinic's differences of a kind. */
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

/** The card processor's own movements, as `kind amount`. */
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

test("a deferred part is not charged again, even if earlier tries are lost with it", async () => {
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
])("a repeated refund under $name is returned once", async ({ body }) => {
  const hash = await clinic.justPaid();
  await world.bff.advance(50 * DAY_MS);
  const restore = await backup();
  await clinic.refund(hash, body);
  await restore();
  await clinic.refund(hash, body);
  await world.bff.runDue();
  expect((await movements()).filter((line) => line.startsWith("return"))).toHaveLength(1);
});

test("a repeated refund under its Idempotency-Key is returned once, even if another comes first", async () => {
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

test("a deferred part is not charged again if a try that never arrived is lost with it", async () => {
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

test("a restored database does no work and takes no payment until every difference is resolved", async () => {
  const kept = await clinic.readyOrder();
  const paid = await clinic.justPaid();
  const restore = await backup();
  await clinic.pay(await clinic.readyOrder());
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
});

test("a charge and a loan that the patient's next payment will reuse block nothing, and stay listed until then", async () => {
  const hash = await clinic.readyOrder();
  const restore = await backup();
  await clinic.pay(hash);
  await restore();
  const { findings, isEnded } = await check();
  expect([isEnded, findings.map(({ advice }) => advice)]).toEqual([
    true,
    expect.arrayContaining([LOST_CHARGE_ADVICE.found_when_paid, LOST_LOAN_ADVICE.found_when_paid]),
  ]);
  const kinds = async () => (await clinic.exceptions()).map(({ facts }) => String(facts.kind)).toSorted();
  expect(await kinds()).toEqual(["charge_not_booked", "loan_not_booked"]);
  for (const resolution of ["return_charge", "cancel_loan"] as const)
    await expect(resolveListed(resolution)).rejects.toThrow("will then find it");
  await clinic.pay(hash);
  expect((await clinic.read(hash)).status).toBe("paid");
  expect(await movements()).toEqual(["charge 12000"]);
  world.bff.clock.advance(1_000);
  await check();
  expect(await kinds()).toEqual([]);
});

test("a patient back from the issuer's challenge is not charged, and gets no code, until differences are resolved", async () => {
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
    "Tu código para confirmar tus datos",
    "Tus datos",
  ]);
  expect((await clinic.pay(hash)).body.payment.status).toBe("succeeded");
  expect(await movements()).toEqual(["charge 12000"]);
});

test("a payout is not sent again, even if its run comes days later", async () => {
  const { context, database, clock } = world.bff;
  await setPayoutTerms(
    { db: database.db, ids: systemIds, clock, keyring: context.keyring },
    {
      providerId: providerId(),
      fee: { percentage: 3.5, regime: "taxed_service" },
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

test("erasures are repeated before work begins, and other patients are not erased", async () => {
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
  const { keyring, paymentPage, consultationDay } = context;
  const own = { db, clock, ids: systemIds, keyring, paymentPage, consultationDay };
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

test("the comparison books the processor's later settlements", async () => {
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

test("a charge whose order is lost too is reported as one that no order will find", async () => {
  const restore = await backup();
  await clinic.pay(await clinic.readyOrder());
  await restore();
  expect((await check()).findings.map(({ advice }) => advice)).toContainEqual(LOST_CHARGE_ADVICE.never_found);
  expect((await putAside("charge_not_booked")).resolved).toMatchObject([{ isDone: true }]);
});

/** The lender's own loans, as `status amount`. */
async function loans(): Promise<string[]> {
  const list = await clinic.sandbox.financingProvider.listLoans(providerId(), ...DECADE);
  return list.map(({ status, amount }) => `${status} ${amount}`);
}

test.each([{ fault: null }, { fault: "fail_before" }, { fault: "fail_after" }] as const)(
  "a loan whose order is lost is cancelled once (fault of the lender: $fault)",
  async ({ fault }) => {
    const restore = await backup();
    await clinic.pay(await clinic.readyOrder());
    await restore();
    await begin();
    expect((await check()).findings.map(({ advice }) => advice)).toContainEqual(LOST_LOAN_ADVICE.never_found);
    await resolveListed("cancel_loan");
    await resolveListed("return_charge");
    expect(await loans()).toEqual(["confirmed 28000"]);
    // A call in progress is no difference. The loan and the charge have the same id, but neither hides the other.
    expect(await check()).toMatchObject({ isEnded: true, findings: [] });
    if (fault !== null) await clinic.fault("financing-provider", "reduceLoan", fault);
    await world.bff.advance(DAY_MS);
    expect([await loans(), (await movements()).toSorted()]).toEqual([
      ["cancelled 0"],
      ["charge 12000", "return 12000"],
    ]);
    await world.bff.advance(DAY_MS);
    expect(await clinic.exceptions()).toEqual([]);
  },
);

test("returning a lost charge does not hide the lost loan of the same payment, nor the reverse", async () => {
  const restore = await backup();
  await clinic.pay(await clinic.readyOrder());
  await restore();
  await begin();
  await check();
  await resolveListed("return_charge");
  expect((await check()).findings.map(({ difference: { kind } }) => kind)).toEqual(["loan_not_booked"]);
  await resolveListed("cancel_loan");
  expect((await check()).isEnded).toBe(true);
});

test("a loan that has changed at the lender is listed again, and not touched", async () => {
  const restore = await backup();
  await clinic.pay(await clinic.readyOrder());
  await restore();
  await begin();
  await check();
  await resolveListed("cancel_loan");
  const { db } = world.bff.database;
  await db.updateTable("sandbox_loans").set({ remaining: 1_000 }).where("provider_id", "=", providerId()).execute();
  await world.bff.database.db.deleteFrom("restores").execute();
  await world.bff.runDue();
  expect(await loans()).toEqual(["confirmed 1000"]);
  await check();
  expect((await clinic.exceptions()).map(({ facts }) => facts)).toContainEqual(
    expect.objectContaining({ kind: "loan_not_booked", cancellation: "refused" }),
  );
  await expect(resolveListed("cancel_loan")).rejects.toThrow("Agree with the lender");
});

describe.runIf(testDatabaseKind === "postgres")("each command that the check prints", () => {
  /** Runs a line of the check's output, as an operator would type it. */
  async function type(line: string): Promise<string> {
    const [program, ...args] = line.trim().split(" ");
    expect(program).toBe("aapd");
    const folder = await mkdtemp(join(tmpdir(), "aapd-restore-"));
    const keyring = join(folder, "keyring.json");
    await writeFile(keyring, JSON.stringify({ keys: [{ id: "test", secret: TEST_SECRET.toString("base64") }] }));
    const { url } = world.bff.database;
    const variables = { ENVIRONMENT: "staging", DATABASE_URL: url, KEYRING_FILE: keyring, DATA_DIR: folder };
    const wrote: string[] = [];
    const terminal = {
      environment: { ...variables, LOG_LEVEL: "silent" },
      clock: world.bff.clock,
      write: (text: string) => void wrote.push(text),
      writeError: (text: string) => void wrote.push(text),
    };
    const code = await runCommand(terminal, args);
    await rm(folder, { recursive: true });
    expect([code, wrote.join("")]).toEqual([0, expect.any(String)]);
    return wrote.join("");
  }
  const printed = async () => {
    const { lines } = shownCheck(await check());
    return { lines, commands: lines.filter((line) => line.trim().startsWith("aapd ")) };
  };

  test("returns a lost order's money and cancels its loan, when typed one by one", async () => {
    const restore = await backup();
    await clinic.pay(await clinic.readyOrder());
    await restore();
    await begin();
    const { commands } = await printed();
    expect(commands.map((line) => line.split(" ").at(-1) ?? "").toSorted()).toEqual(["cancel_loan", "return_charge"]);
    for (const command of commands) await type(command);
    expect((await check()).isEnded).toBe(true);
    await world.bff.advance(DAY_MS);
    expect([(await movements()).toSorted(), await loans()]).toEqual([
      ["charge 12000", "return 12000"],
      ["cancelled 0"],
    ]);
  });

  test("returns money and cancels loans of all lost orders at once, except orders that their patient may still pay", async () => {
    const [unpaid] = [await clinic.readyOrder()];
    const restore = await backup();
    for (let count = 0; count < 3; count += 1) await clinic.pay(await clinic.readyOrder());
    await clinic.pay(unpaid);
    await restore();
    await begin();
    const { lines, commands } = await printed();
    expect(lines).toContain("All 3 of charge_not_booked together:");
    const together = commands.filter((line) => line.includes("resolve-all"));
    expect(together.map((line) => line.trim())).toEqual(
      expect.arrayContaining([
        "aapd exceptions resolve-all difference return_charge --fact kind=charge_not_booked",
        "aapd exceptions resolve-all difference cancel_loan --fact kind=loan_not_booked",
      ]),
    );
    for (const command of together) expect(await type(command)).toContain("3 settled, 1 not.");
    expect((await check()).isEnded).toBe(true);
    await world.bff.advance(DAY_MS);
    expect((await movements()).filter((line) => line === "return 12000")).toHaveLength(3);
    expect((await loans()).toSorted()).toEqual(["cancelled 0", "cancelled 0", "cancelled 0", "confirmed 28000"]);
    await clinic.pay(unpaid);
    expect((await clinic.read(unpaid)).status).toBe("paid");
    expect((await movements()).filter((line) => line === "charge 12000")).toHaveLength(4);
  });

  test("dismisses nothing that may be a patient's money", () => {
    const ofPatients = ["charge_not_booked", "charge_amount_differs", "return_missing", "return_amount_differs"];
    const ofOrders = ["loan_not_booked", "loan_amount_differs", "order_price_differs", "order_collection_differs"];
    const putAside = Object.entries(ADVICE).flatMap(([kind, { resolution }]) => (resolution === "handled" ? kind : []));
    expect(putAside.filter((kind) => [...ofPatients, ...ofOrders, "commission_held"].includes(kind))).toEqual([]);
  });
});
