/** @module-tag both-databases */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_BANK_ACCOUNT } from "../../../sandbox/bank-account.ts";
import { requestApproval, takeApproval } from "../../../src/back-office/approvals/approvals.ts";
import { approveById } from "../../../src/back-office/approvals/two-people.ts";
import { listRequests } from "../../../src/back-office/approved-acts/approve-request.ts";
import { reseal } from "../../../src/back-office/keys/reseal.ts";
import { addOperator, type NewOperator } from "../../../src/back-office/operators/add-operator.ts";
import { changeRole } from "../../../src/back-office/operators/change-role.ts";
import { renewToken, renewTokenAct } from "../../../src/back-office/operators/renew-token.ts";
import { countOperatorChanges, identifyOperator, removeOperator } from "../../../src/back-office/operators.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { chainAudit, verifyAudit } from "../../../src/platform/audit-chain.ts";
import { recordAudit } from "../../../src/platform/audit-store.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { createFailedAuthentications } from "../../../src/platform/http/failed-authentications.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createKeyring, type Keyring } from "../../../src/platform/keyring.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { setPayoutTerms } from "../../../src/settlement/payout-terms.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { auditOf } from "../audit-of.ts";
import { checkoutOf } from "../orders/checkout.ts";
import { present } from "../orders/orders-world.ts";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

const operations = (keyring: Keyring = bff.context.keyring) => ({
  db: bff.database.db,
  clock: bff.clock,
  ids: systemIds,
  keyring,
  files: {
    put: async () => undefined,
    get: async () => Buffer.from(""),
    delete: async () => undefined,
    list: async () => [],
  },
  logger: silentLogger,
});
const acts = async (act: string) =>
  (await bff.database.db.selectFrom("audit_log").select(["actor", "details"]).where("act", "=", act).execute()).map(
    ({ actor, details }) => ({ actor, details }),
  );

const COLLEAGUE = { role: "operator", email: null } as const;
const HOLDER = "keyring:root";
const add = async (name: string, actor: string, more: Partial<NewOperator> = {}) => {
  const added = await addOperator(operations(), { ...COLLEAGUE, ...more, name, actor });
  return added.isDone ? present(added.secret).value : null;
};

describe("users of the command line", () => {
  const identify = async (token: string | null, environment: "staging" | "production" = "production") =>
    (await identifyOperator({ ...operations(), environment }, { token, machineUser: "root" })).actor;

  it("are identified by a token; in production there is no other way once an operator exists", async () => {
    expect(await identify(null)).toBe("operator:root");
    const token = present(await add("camila.rojas", HOLDER));
    expect(await identify(token)).toBe("operator:camila.rojas");
    await expect(identify(null)).rejects.toThrow("AAPD_OPERATOR_TOKEN");
    await expect(identify(`${token}x`)).rejects.toThrow("does not belong to a current operator");
    expect(await identify(null, "staging")).toBe("operator:root");
    const { rows } = await sql`select 1 from operators where operators::text like ${`%${token}%`}`.execute(
      bff.database.db,
    );
    expect(rows).toEqual([]);
  });

  it("never include a removed operator, and a name is never reused", async () => {
    const token = await add("diego", HOLDER);
    await removeOperator(operations(), { name: "diego", actor: "operator:camila.rojas" });
    await expect(identify(token)).rejects.toThrow("does not belong to a current operator");
    await expect(add("diego", HOLDER)).rejects.toThrow("this name");
    await expect(add("Diego Pérez", HOLDER)).rejects.toThrow("lower-case");
    expect(await acts("operator.ended")).toEqual([{ actor: "operator:camila.rojas", details: {} }]);
  });
});

describe("adding an operator", () => {
  const DAY_MS = 86_400_000;
  const camila = "operator:camila.rojas";
  const sofia = "operator:sofia";
  const rotation = { act: "credential.rotate", subject: "clinic", request: { kind: "secret_key" } } as const;
  const ask = (actor: string) =>
    inTransaction(bff.database.db, (tx) =>
      requestApproval(tx, rotation, { id: systemIds.uuid(), actor, at: bff.clock.now() }),
    );
  const approveAs = (actor: string) =>
    inTransaction(bff.database.db, (tx) => takeApproval(tx, rotation, { actor, at: bff.clock.now() }));
  const forget = () => bff.database.db.deleteFrom("approval_requests").where("state", "=", "open").execute();

  it("is refused to a lone operator, and allowed to the keyring's holder until there are two", async () => {
    await expect(add("sofia", camila)).rejects.toThrow("fewer than two operators");
    expect(await add("sofia", HOLDER)).not.toBeNull();
    await expect(add("tomas", HOLDER)).rejects.toThrow("There are two operators");
    const keyring = identifyOperator(
      { ...operations(), environment: "production" },
      { token: null, machineUser: "root", managesOperators: "adds" },
    );
    await expect(keyring).rejects.toThrow("AAPD_OPERATOR_TOKEN");
    expect((await acts("operator.added_by_keyring")).map(({ actor }) => actor)).toContain(HOLDER);
  });

  it("needs a second operator with the same request, who was added more than 24 hours ago", async () => {
    expect(await add("tomas", camila)).toBeNull();
    expect(await add("tomas", camila)).toBeNull();
    await expect(add("tomas", sofia)).rejects.toThrow("You are new");
    bff.clock.set(new Date(bff.clock.now().getTime() + DAY_MS));
    expect(await add("tomas", sofia, { role: "finance" })).toBeNull();
    const token = await add("tomas", sofia);
    const identified = identifyOperator({ ...operations(), environment: "production" }, { token, machineUser: "x" });
    expect((await identified).actor).toBe("operator:tomas");
    expect(await acts("operator.added")).toEqual([
      { actor: sofia, details: { role: "operator", requested_by: camila } },
    ]);
  });

  it("is done once when two operators request it at the same time", async () => {
    expect(await add("ulises", camila)).toBeNull();
    const added = await Promise.allSettled([add("ulises", sofia), add("ulises", sofia)]);
    expect(added.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("creates an operator who can approve nothing for 24 hours, and never the requests of those who added them", async () => {
    await ask(camila);
    await expect(approveAs("operator:tomas")).rejects.toThrow("You are new");
    bff.clock.set(new Date(bff.clock.now().getTime() + DAY_MS));
    for (const maker of [camila, sofia]) {
      await forget();
      await ask(maker);
      await expect(approveAs("operator:tomas")).rejects.toThrow("operators who added you");
    }
    await forget();
    await ask("operator:tomas");
    await expect(approveAs(sofia)).rejects.toThrow("whom you added");
    expect(await approveAs(camila)).toEqual({ askedBy: "operator:tomas" });
  });

  it("is refused by the database without an approval by another operator", async () => {
    const { id } = await ask("operator:tomas");
    const row = {
      ...{ id: systemIds.uuid(), name: "forged", token_hash: "x", added_at: bff.clock.now(), ended_at: null },
      ...({ made_by: "approval", approves_from: new Date(bff.clock.now().getTime() + 1) } as const),
    };
    const { db } = bff.database;
    await expect(db.insertInto("operators").values(row).execute()).rejects.toThrow("operators_made_by_approval");
    const approval = { approval_id: id, approval_act: "operator.add", approval_state: "approved" };
    await expect(
      db
        .insertInto("operators")
        .values({ ...row, ...approval })
        .execute(),
    ).rejects.toThrow("operators_approval_fkey");
  });
});

describe("a token of the command line", () => {
  const NINETY_DAYS_MS = 90 * 86_400_000;
  const [rita, saul] = ["operator:rita", "operator:saul"];
  const identify = (token: string | null, managesOperators: "adds" | "renews" | null = null) =>
    identifyOperator({ ...operations(), environment: "production" }, { token, machineUser: "root", managesOperators });
  const renew = (name: string, actor: string) => renewToken(operations(), { name, actor });
  const approveAs = (actor: string, id: string | null) =>
    approveById(operations(), renewTokenAct(operations()), { id: present(id), actor });
  const pass = (milliseconds: number) => bff.clock.set(new Date(bff.clock.now().getTime() + milliseconds));
  let first: string;

  it("identifies its operator for 90 days, and afterwards only to renew it", async () => {
    await bff.database.db.updateTable("operators").set({ ended_at: bff.clock.now() }).execute();
    first = present(await add("rita", HOLDER));
    await add("saul", HOLDER);
    pass(NINETY_DAYS_MS - 1);
    const tokenEndsAt = new Date(bff.clock.now().getTime() + 1);
    expect(await identify(first)).toEqual({ actor: rita, tokenEndsAt });
    pass(1);
    await expect(identify(first)).rejects.toThrow(`Your token expired at ${tokenEndsAt.toISOString()}`);
    await expect(identify(first, "adds")).rejects.toThrow("expired");
    expect((await identify(first, "renews")).actor).toBe(rita);
    const console = await fetch(`${bff.operatorConsole}/operators`, {
      headers: { accept: "application/json", authorization: `Bearer ${first}` },
    });
    expect([console.status, await console.json()]).toMatchObject([401, { code: "token_expired" }]);
  });

  it("is renewed by the keyring's holder while fewer than two operators have a valid one, and audited", async () => {
    await expect(renew("rita", rita)).rejects.toThrow("fewer than two operators with a valid token");
    expect((await identify(null, "renews")).actor).toBe(HOLDER);
    const [ofRita, ofSaul] = [await renew("rita", HOLDER), await renew("saul", HOLDER)];
    await expect(renew("rita", HOLDER)).rejects.toThrow("There are two operators");
    await expect(identify(first)).rejects.toThrow("does not belong to a current operator");
    first = ofRita.token;
    expect([(await identify(ofSaul.token)).actor, ofSaul.requestId]).toEqual([saul, null]);
    expect(await acts("operator.token_renewed_by_keyring")).toHaveLength(2);
  });

  it("is renewed by its operator once another one approves, who never sees it", async () => {
    await expect(renew("saul", rita)).rejects.toThrow("only their own token");
    const replaced = await renew("rita", rita);
    const { token, requestId } = await renew("rita", rita);
    await expect(approveAs(saul, replaced.requestId)).rejects.toThrow("no open request");
    await expect(approveAs(rita, requestId)).rejects.toThrow("yourself");
    await expect(identify(token)).rejects.toThrow("does not belong to a current operator");
    const dependencies = { ...operations(), environment: "staging" as const };
    const [shown] = await listRequests(dependencies, { actor: saul, role: "operator" });
    expect(shown).toMatchObject({ id: requestId, request: { ending: token.slice(-4) }, mayApprove: true });
    expect(JSON.stringify(shown)).not.toContain("token_hash");
    expect(await approveAs(saul, requestId)).toMatchObject({ secret: null });
    expect((await identify(token)).actor).toBe(rita);
    await expect(identify(first)).rejects.toThrow("does not belong to a current operator");
  });

  it("ends with the operator's role; a new operator gets another token and approves nothing for 24 hours", async () => {
    const change = (actor: string, role: "finance" | "operator") =>
      changeRole(operations(), { name: "rita", role, actor });
    // The role of one of only two operators can change once there is a third.
    await addOperator(operations(), { name: "tina", role: "operator", email: null, actor: saul });
    const added = await addOperator(operations(), { name: "tina", role: "operator", email: null, actor: rita });
    expect(added.isDone).toBe(true);
    pass(86_400_000);
    expect((await change(saul, "finance")).isDone).toBe(false);
    await expect(change("operator:tina", "finance")).rejects.toThrow("operators who added you");
    expect(await change(rita, "finance")).toMatchObject({ isDone: true, secret: null });
    expect(await change(saul, "operator")).toMatchObject({ isDone: false });
    expect(await acts("operator.role_changed")).toEqual([
      { actor: rita, details: { role: "finance", requested_by: saul } },
    ]);
  });

  it("is counted for the alert when operators are added, changed, renewed by the keyring or removed", async () => {
    const counted = await countOperatorChanges(operations());
    expect(Object.fromEntries(counted)).toMatchObject({ "operator.role_changed": 1, "operator.ended": 0 });
    pass(86_400_001);
    expect([...(await countOperatorChanges(operations())).values()]).toEqual([0, 0, 0, 0, 0]);
  });
});

describe("the audit trail", () => {
  it("records sign-ups, identity checks and failed authentications, the last ones summed and without addresses", async () => {
    const checkout = checkoutOf(bff);
    const order = await checkout.newOrder();
    const params = { hash: order };
    await bff.callOrderApi(orderEndpoints.validateIdentity, {
      as: bff.clinic,
      using: "client_id",
      params,
      body: { document_serial: "100.000.001" },
    });
    const noCaller = { credential_id: null, provider_id: null };
    const ofPatient = { actor: "patient", ...noCaller, provider_id: bff.clinic.provider.id };
    expect(await auditOf(bff.database.db, order)).toEqual([
      {
        act: "identity.checked",
        ...ofPatient,
        subject_kind: "order",
        subject_id: order,
        details: { outcome: "no_match" },
      },
    ]);
    const failures = createFailedAuthentications(operations());
    await failures.write();
    for (const address of ["203.0.113.9", "203.0.113.9", "203.0.113.10"]) failures.count(address);
    await failures.write();
    await failures.write();
    expect(await auditOf(bff.database.db, "unknown")).toEqual([
      {
        act: "authentication.failed",
        actor: "unknown",
        ...noCaller,
        subject_kind: "credential",
        subject_id: "unknown",
        details: { count: 3, networks: 2 },
      },
    ]);
  });

  const note = (act: string) =>
    recordAudit(bff.database.db, {
      id: systemIds.uuid(),
      providerId: null,
      actor: "test",
      credentialId: null,
      act,
      subject: { kind: "test", id: "x" },
      details: { b: 1, a: "ñ" },
      at: bff.clock.now(),
    });
  /** Breaks the trail, verifies it, and repairs it. */
  async function brokenBy(change: string): Promise<number | null> {
    const { db } = bff.database;
    await sql`create table before as select * from audit_log`.execute(db);
    await sql.raw(change).execute(db);
    const { brokenAt } = await verifyAudit(operations(), null);
    await sql`delete from audit_log`.execute(db);
    await sql`insert into audit_log select * from before`.execute(db);
    await sql`drop table before`.execute(db);
    return brokenAt;
  }

  it("is unbroken, and reveals a changed, removed, inserted or moved row", async () => {
    for (const act of ["one", "two", "three", "four"]) await note(act);
    await Promise.all([chainAudit(operations()), chainAudit(operations()), chainAudit(operations())]);
    await chainAudit(operations());
    const { head, brokenAt, notChained } = await verifyAudit(operations(), null);
    expect([brokenAt, notChained]).toEqual([null, 0]);
    const last = head?.number ?? 0;
    expect(last).toBeGreaterThan(4);
    expect(await brokenBy(`update audit_log set actor = 'another' where chain_number = 3`)).toBe(3);
    expect(await brokenBy(`update audit_log set details = '{"count": 0}' where chain_number = ${last}`)).toBe(last);
    expect(await brokenBy("delete from audit_log where chain_number = 2")).toBe(2);
    expect(await brokenBy("delete from audit_log where chain_number = 1")).toBe(1);
    expect(await brokenBy("update audit_log set chain_number = chain_number + 1000 where chain_number >= 3")).toBe(3);
    expect((await verifyAudit(operations(), null)).brokenAt).toBeNull();
  });

  it("detects a truncated end by comparing it with an end that was logged before", async () => {
    const { head } = await verifyAudit(operations(), null);
    await note("five");
    await chainAudit(operations());
    expect((await verifyAudit(operations(), head)).brokenAt).toBeNull();
    const cut = `delete from audit_log where chain_number >= ${head?.number}`;
    await sql`create table before as select * from audit_log`.execute(bff.database.db);
    await sql.raw(cut).execute(bff.database.db);
    expect((await verifyAudit(operations(), null)).brokenAt).toBeNull();
    expect((await verifyAudit(operations(), head)).brokenAt).toBe(head?.number);
    await sql`delete from audit_log`.execute(bff.database.db);
    await sql`insert into audit_log select * from before`.execute(bff.database.db);
    await sql`drop table before`.execute(bff.database.db);
  });
});

it("retiring a key reseals its values and lists those that only use or time replaces", async () => {
  const { id: providerId } = bff.clinic.provider;
  const fee = { percentage: 3, regime: "exempt" } as const;
  await setPayoutTerms(operations(), { providerId, fee, bankAccount: SANDBOX_BANK_ACCOUNT, actor: "operator:test" });
  await chainAudit(operations());
  const keys = [
    { id: "next", secret: Buffer.alloc(32, 2) },
    { id: "test", secret: Buffer.alloc(32, 1) },
  ];
  const both = createKeyring({ keys, environment: "staging" });
  const { values, left } = await reseal(operations(both), "operator:test");
  // The webhook secret and the account.
  expect(values).toBeGreaterThanOrEqual(2);
  const places = left.map(({ table, column }) => `${table}.${column}`);
  expect(places).toContain("credentials.lookup");
  expect(places.filter((place) => place.includes("sealed") || place.startsWith("audit_log"))).toEqual([]);
  const newest = createKeyring({ keys: keys.slice(0, 1), environment: "staging" });
  expect((await verifyAudit(operations(newest), null)).brokenAt).toBeNull();
  const { sealed_bank_account } = await bff.database.db
    .selectFrom("payout_terms")
    .select("sealed_bank_account")
    .executeTakeFirstOrThrow();
  expect(newest.open(sealed_bank_account ?? "", "payout.bank_account")).toContain(SANDBOX_BANK_ACCOUNT.account_number);
  expect((await reseal(operations(both), "operator:test")).values).toBe(0);
});
