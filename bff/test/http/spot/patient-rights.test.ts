import { sql } from "kysely";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { RETENTION } from "../../../src/app/retention.ts";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { hashToken } from "../../../src/checkout/open-widget-token.ts";
import { mintSelfServiceToken } from "../../../src/checkout/self-service-links.ts";
import { firstPollFrom } from "../../../src/claims/claim-life.ts";
import { writeOffCollection } from "../../../src/collection/collection-resolutions.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { santiagoDay, santiagoMoment } from "../../../src/platform/santiago-time.ts";
import { showRequest } from "../../../src/self-service/operations.ts";
import { DATA_LINK_ANSWERED_AFTER_MS } from "../../../src/self-service/routes.ts";
import { seeData } from "../../../src/self-service/see-data.ts";
import { withdrawUnregistered } from "../../../src/self-service/unregistered.ts";
import { untilTestEnds } from "../../put-back.ts";
import { proveRegistrations } from "../../registered-patient.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import type { TestAnswer } from "../../test-client.ts";
import { withoutDrawnNames } from "../../without-drawn-names.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  LATER,
  PATIENTS,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { auditOf } from "../audit-of.ts";
import { another } from "../orders/known-patients-world.ts";
import { CARDS, PATIENTS as ORDER_PATIENTS, orderBody, present } from "../orders/orders-world.ts";
import { expenseForm, formInHalves, pdf } from "./expense-forms.ts";
import { memoryStorage } from "./memory-storage.ts";
import { given, MATIAS } from "./people.ts";

/* The patient's rights under the data law, from the mail with the link to the last remaining row. */

const storage = memoryStorage();
let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => ({ ...WITHOUT_CLINICS_MONEY, files: storage }) }, (beginning) => {
  ({ world, clinic } = beginning);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const RUT = PATIENTS.neverAnswered;
const MINUTE_MS = 60_000;
const NO_ACCESS = "0c0c3d4a-3f6e-4b55-8b61-0c8a6a1f0d11";
const UNKNOWN_TOKEN = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
type RightsCall =
  | "readPatientData"
  | "printOwnAgreement"
  | "withdrawConsent"
  | "makeRightsRequest"
  | "removeSavedCard"
  | "eraseData";
const RIGHTS: readonly RightsCall[] = [
  "readPatientData",
  "printOwnAgreement",
  "withdrawConsent",
  "makeRightsRequest",
  "removeSavedCard",
  "eraseData",
];
const bodyOf: Readonly<Record<RightsCall, Record<string, unknown>>> = {
  readPatientData: {},
  printOwnAgreement: { order_token: NO_ACCESS },
  withdrawConsent: { purpose: "marketing" },
  makeRightsRequest: { request: { kind: "opposition", words: "No quiero que evalúen mi forma de pagar." } },
  removeSavedCard: { saved_card: NO_ACCESS },
  eraseData: {},
};

/** The answer to a caller who passes every other check. `bodyOf` names an order of another patient. */
const ADMITTED: Readonly<Record<RightsCall, number>> = {
  readPatientData: 200,
  printOwnAgreement: 404,
  withdrawConsent: 200,
  makeRightsRequest: 200,
  removeSavedCard: 200,
  eraseData: 200,
};

const db = () => world.bff.database.db;
const now = () => world.bff.clock.now();

function call(name: RightsCall | "sendLinkCode" | "answerLinkCode", body: object, as = clinic.clinic) {
  return world.bff.callWidgetHost(spotEndpoints[name], { as, body });
}

/** Registers a RUT under an address that its owner never had: the only proof required is a code to that address. */
async function registerAsStranger(rut: string = RUT): Promise<void> {
  const { body } = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic.clinic, body: {} });
  const stranger = { ...MATIAS, rut, widget_token: body.widget_token, consents: given("onboarding") };
  const answer = await world.bff.callSpotApi(spotEndpoints.registerPatient, { as: clinic.clinic, body: stranger });
  expect(answer.status).toBe(201);
  await proveRegistrations({ ...world.bff, db: db(), keyring: world.bff.context.keyring }, clinic.clinic.provider);
}

/** A link to pay an order early, like the one in its announcement. */
async function paymentLink(hash: string): Promise<string> {
  const { provider, credentials } = clinic.clinic;
  const patient = await findBeneficiary(db(), { tenant: tenantOf(provider), rut: parseRut(RUT) });
  const { url } = await inTransaction(db(), (tx) =>
    mintSelfServiceToken({ ids: systemIds, widgetHostUrl: world.bff.widgetHost }, tx, {
      provider,
      publicKey: credentials.public_key,
      purpose: "pay_early",
      beneficiaryId: present(patient).id,
      rut: RUT,
      orderId: clinic.key(hash).orderId,
      now: now(),
      expiresAt: new Date(now().getTime() + 30 * DAY_MS),
    }),
  );
  return present(new URL(url).searchParams.get("widget_token"));
}

/** Moves the RUT to another address by identity document. Returns the token of the old address's objection. */
async function moveByIdentity(rut: string = RUT, email: string = MATIAS.email): Promise<string> {
  passTime();
  const asClinic = { as: clinic.clinic };
  const { body } = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { ...asClinic, body: {} });
  const bound = { rut, widget_token: body.widget_token };
  const proof = { way: "identity", document_serial: "123456789", email };
  await world.bff.callSpotApi(spotEndpoints.startRecovery, { ...asClinic, body: { ...bound, ...proof } });
  const code = present((await mails()).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0]);
  const moved = await world.bff.callSpotApi(spotEndpoints.verifyRecovery, { ...asClinic, body: { ...bound, code } });
  expect(moved.status).toBe(200);
  const notice = (await mails()).find(({ subject }) => subject === "El correo de tu cuenta cambió");
  const url = present(/https?:\S+widget_token=\S+/.exec(present(notice).text)?.[0]);
  return present(new URL(url).searchParams.get("widget_token"));
}

/** Keeps the pause between codes and links. */
function passTime(): void {
  world.bff.clock.set(new Date(now().getTime() + 11 * MINUTE_MS));
}

function askForLink(rut: string = RUT): Promise<TestAnswer> {
  return world.bff.callSpotApi(spotEndpoints.sendDataLink, { as: clinic.clinic, body: { rut } });
}

async function mails() {
  await world.bff.runDue();
  return readNotifications(world.bff.database, { providerId: clinic.clinic.provider.id, to: null, limit: 100 });
}

async function linkMails() {
  return (await mails()).filter(({ subject }) => subject === "Tus datos");
}

/** The token of the newest link to the patient's data. */
async function newestLink(): Promise<string> {
  const [mail] = await linkMails();
  const url = present(/https?:\S+widget_token=\S+/.exec(present(mail).text)?.[0]);
  return present(new URL(url).searchParams.get("widget_token"));
}

/** Requests the link and the code, and answers the code. */
async function opened(rut: string = RUT): Promise<{ widget_token: string; access: string }> {
  passTime();
  expect((await askForLink(rut)).status).toBe(202);
  const widget_token = await newestLink();
  expect((await call("sendLinkCode", { widget_token })).status).toBe(202);
  const code = present((await mails()).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0]);
  const { status, body } = await call("answerLinkCode", { widget_token, code });
  expect(status).toBe(200);
  return { widget_token, access: body.access };
}

/** What the clinic that minted a token can read about its patient. */
async function eventType(minted: object): Promise<string> {
  const { body } = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic.clinic, body: minted });
  const params = { token: body.widget_token };
  return (await world.bff.callWidgetHost(spotEndpoints.readWidgetToken, { params })).body.event_type;
}

async function acts(): Promise<string[]> {
  const rows = await db()
    .selectFrom("audit_log")
    .select(["act", "actor"])
    .where("provider_id", "=", clinic.clinic.provider.id)
    .where("act", "like", "patient_data.%")
    .orderBy("at")
    .execute();
  return rows.map(({ act, actor }) => `${actor} ${act}`);
}

/** The audit rows of the data actions of the clinic's one patient. */
async function ownActs(): Promise<(readonly [act: string, details: object])[]> {
  const { id } = present((await beneficiaries())[0]);
  const rows = (await auditOf(db(), id)).filter(
    ({ act, actor }) => act.startsWith("patient_data.") && actor === "patient",
  );
  const by = { provider_id: clinic.clinic.provider.id, credential_id: null, subject_kind: "beneficiary" };
  expect(rows).toEqual(rows.map((row) => ({ ...row, ...by })));
  return rows.map(({ act, details }) => [act, details]);
}

async function beneficiaries() {
  return db().selectFrom("beneficiaries").selectAll().where("tenant", "=", clinic.clinic.provider.id).execute();
}

function expensesOfClinic() {
  return db().selectFrom("expenses").select("id").where("provider_id", "=", clinic.clinic.provider.id).execute();
}

function claimsOf(hash: string) {
  return db()
    .selectFrom("claims")
    .select(["state", "reason"])
    .where("order_id", "=", clinic.key(hash).orderId)
    .execute();
}

/** The insurer's own state. */
function insurersClaims(hash: string) {
  return db().selectFrom("sandbox_claims").select("id").where("order_hash", "=", clinic.key(hash).orderId).execute();
}

async function submitPlainExpense(rut: string): Promise<void> {
  const { status } = await world.bff.callSpotApi(spotEndpoints.submitExpense, {
    as: clinic.clinic,
    query: { rut },
    rawBody: expenseForm([pdf(500)], { name: "Camila Rojas Fuentes", doctor_rut: "12.345.678-5" }),
  });
  expect(status).toBe(200);
}

/** Notifications whose address and text are still stored. */
async function undelivered(): Promise<string[]> {
  const rows = await db()
    .selectFrom("notices")
    .select("kind")
    .where("provider_id", "=", clinic.clinic.provider.id)
    .where((where) => where.or([where("sealed_email", "is not", null), where("sealed_message", "is not", null)]))
    .execute();
  return rows.map(({ kind }) => kind);
}

/** The kinds of the exceptions that operators see. */
async function exceptions(): Promise<string[]> {
  const { id: providerId, environment } = clinic.clinic.provider;
  const listed = await listExceptions({ db: db(), clock: { now }, environment }, providerId);
  return listed.map(({ kind }) => kind);
}

/** Every row of the database, one per line, without the tables of the sandbox parties. */
async function everything(): Promise<string[]> {
  const rows: string[] = [];
  for (const table of Object.keys(RETENTION)) {
    const all = sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(table)} as t`;
    rows.push(...(await all.execute(db())).rows.map(({ row }) => `${table} ${row}`));
  }
  return rows;
}

/**
 * The patient of a test below does everything that leaves nothing owed, but has no row in these tables, for the given
 * reasons. List a new table here, or let that patient leave a row in it.
 */
const WITHOUT_A_ROW: Readonly<Record<string, readonly (keyof typeof RETENTION)[]>> = {
  "of the service": [
    "deployment",
    "restores",
    "switches",
    "sealing_keys",
    "party_connectors",
    "gateway_states",
    "legal_texts",
    "consent_texts",
    "maximum_rates",
  ],
  "of a provider": [
    ...(["centers", "credentials", "provider_origins", "providers", "webhook_endpoints"] as const),
    ...(["lender_accounts", "payee_accounts", "payees", "payout_terms"] as const),
  ],
  "of operators": [
    ...(["handled_matters", "operator_links_used", "operator_profiles", "operator_sessions", "operators"] as const),
    ...([
      "approval_requests",
      "resolution_approvals",
      "resolution_job_items",
      "resolution_jobs",
      "solo_amounts",
    ] as const),
  ],
  "of an order from which money moved, which is kept by law": [
    ...(["ledger_transfers", "ledger_balance_differences", "ledger_balances", "ledger_closings"] as const),
    ...(["order_refunds", "payments_otherwise", "refund_movements", "tax_documents", "chargebacks"] as const),
    ...(["collection_attempts", "collection_triggers", "collections", "card_attempts", "loan_reports"] as const),
    ...([
      "claims",
      "hand_worked_claims",
      "missing_receipts",
      "saved_cards",
      "saved_card_uses",
      "charge_returns",
      "loan_cancellations",
      "collected_orders",
    ] as const),
    ...(["card_settlement_lines", "card_settlements", "payable_orders", "payout_items", "payouts"] as const),
    ...(["reconciliation_differences", "reconciliation_runs", "portal_readings"] as const),
  ],
  "of an order, by its id or sealed, at clinics that work otherwise": [
    ...(["idempotency_keys", "webhook_attempts", "webhook_deliveries"] as const),
  ],
  "of the erasure": ["erasures"],
};

const withoutARow: ReadonlySet<string> = new Set(Object.values(WITHOUT_A_ROW).flat());

/** The number of rows of each table. */
async function rowsOfTables(): Promise<ReadonlyMap<string, number>> {
  const counted = new Map<string, number>();
  for (const row of await everything()) {
    const table = row.slice(0, row.indexOf(" "));
    counted.set(table, (counted.get(table) ?? 0) + 1);
  }
  return new Map(Object.keys(RETENTION).map((table) => [table, counted.get(table) ?? 0]));
}

/** When new access to an order's claim was last sent to the insurer, or null. */
async function accessRenewedAt(hash: string): Promise<Date | null> {
  const claims = db().selectFrom("sandbox_claims").select("access_renewed_at");
  const { access_renewed_at } = await claims
    .where("order_hash", "=", clinic.key(hash).orderId)
    .executeTakeFirstOrThrow();
  return access_renewed_at;
}

/** Advances to shortly before the poll that hears the insurer's approval. `inMs`: when the insurer approves. */
async function advanceToPollOfApproval(hash: string, inMs: number): Promise<void> {
  const claims = db().selectFrom("claims").select("id").where("order_id", "=", clinic.key(hash).orderId);
  const { id } = await claims.executeTakeFirstOrThrow();
  const untilPoll = firstPollFrom(id, new Date(now().getTime() + inMs - 1)).getTime() - now().getTime();
  // Opening the page by its link takes 11 minutes; the page stays open for 30.
  const untilOpened = untilPoll - 15 * MINUTE_MS;
  // The clock jumps: the overdue poll runs before the approval, and the next one after it.
  const first = Math.min(inMs - 1, untilOpened);
  await world.bff.advance(first);
  await world.bff.advance(untilOpened - first);
}

/** Runs something once between an insurer's answer to this clinic and the recording of that answer. */
function meanwhile(method: "inquireClaim" | "fileClaim", happens: () => Promise<unknown>): void {
  const { insurer } = world.bff.context.parties;
  const ask = insurer[method].bind(insurer) as (call: GatewayCall, input: never) => Promise<never>;
  let isAhead = true;
  untilTestEnds(vi.spyOn(insurer, method)).mockImplementation(async (call: GatewayCall, input: unknown) => {
    const answer = await ask(call, input as never);
    const isNow = isAhead && call.providerId === clinic.clinic.provider.id;
    if (isNow) {
      isAhead = false;
      await happens();
    }
    return answer;
  });
}

describe("the link to a patient's data", () => {
  test("202: is mailed to the registered address once, despite concurrent requests, with an audit row", async () => {
    await clinic.register(RUT);
    const answers = await Promise.all(Array.from({ length: 8 }, () => askForLink()));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 8 }, () => [202, { status: "accepted" }]),
    );
    expect((await linkMails()).map(({ to }) => to)).toEqual(["camila@example.com"]);
    const link = await db()
      .selectFrom("widget_tokens")
      .select("id")
      .where("provider_id", "=", clinic.clinic.provider.id)
      .where("purpose", "=", "my_data")
      .executeTakeFirstOrThrow();
    expect(await ownActs()).toEqual([["patient_data.link_sent", { widget_token: link.id }]]);
  });

  test("202 is the same for an unregistered RUT, and sends nothing", async () => {
    const { status, body } = await askForLink();
    expect([status, body]).toEqual([202, { status: "accepted" }]);
    expect(await mails()).toEqual([]);
  });

  test("202 from the widget's own host too, after the same time for an unregistered RUT", async () => {
    await clinic.register(RUT);
    const sent = [];
    for (const rut of [RUT, PATIENTS.held]) {
      const asked = performance.now();
      const answer = await world.bff.callWidgetHost(spotEndpoints.sendDataLink, { as: clinic.clinic, body: { rut } });
      sent.push([answer.status, answer.body, performance.now() - asked >= DATA_LINK_ANSWERED_AFTER_MS - 1]);
    }
    expect(sent).toEqual([RUT, PATIENTS.held].map(() => [202, { status: "accepted" }, true]));
    expect((await linkMails()).map(({ to }) => to)).toEqual(["camila@example.com"]);
  });

  test("422 raw_card_refused", async () => {
    const body = { rut: "4051 8856 0044 6623" };
    const answer = await world.bff.callWidgetHost(spotEndpoints.sendDataLink, { as: clinic.clinic, body });
    expect([answer.status, answer.body.code]).toEqual([422, "raw_card_refused"]);
  });

  test("401 invalid_public_key", async () => {
    const answer = await world.bff.callSpotApi(spotEndpoints.sendDataLink, {
      query: { public_key: "PK_nobody" },
      body: { rut: RUT },
    });
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_public_key"]);
  });

  test("429 rate_limited after ten requests for one RUT in an hour", async () => {
    for (let asked = 0; asked < 10; asked += 1) await askForLink();
    const { status, body } = await askForLink();
    expect([status, body.code]).toEqual([429, "rate_limited"]);
  });

  test("is mailed to a patient at most five times a day, by any requester, and again the next day", async () => {
    await clinic.register(RUT);
    const sentInADay = async () => {
      const before = (await linkMails()).length;
      for (let asked = 0; asked < 12; asked += 1) {
        expect((await askForLink()).status).toBe(202);
        passTime();
      }
      return (await linkMails()).length - before;
    };
    expect(await sentInADay()).toBe(5);
    await world.bff.advance(DAY_MS);
    expect(await sentInADay()).toBe(5);
  });

  test("is mailed to a mailbox at most ten times a day, for all RUTs registered with it", async () => {
    const ruts = [RUT, PATIENTS.held, PATIENTS.rejected, PATIENTS.portalDown];
    for (const rut of ruts) await clinic.register(rut);
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(ruts.map((rut) => askForLink(rut)));
      passTime();
    }
    expect(await linkMails()).toHaveLength(10);
  });

  test("opens no exception if its mail fails: it is valid for a day and easily requested again", async () => {
    await clinic.register(RUT, "rebota@example.com");
    expect((await askForLink()).status).toBe(202);
    await world.bff.advance(2 * DAY_MS);
    expect(await undelivered()).toEqual([]);
    expect(await exceptions()).toEqual([]);
  });

  test("422 recovery_code_invalid is audited for the patient, but not as the patient's act", async () => {
    await clinic.register(RUT);
    const { id } = present((await beneficiaries())[0]);
    await askForLink();
    const widget_token = await newestLink();
    await call("sendLinkCode", { widget_token });
    const code = present((await mails()).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0]);
    const { body } = await call("answerLinkCode", { widget_token, code: another(code) });
    expect(body.code).toBe("recovery_code_invalid");
    expect((await auditOf(db(), id)).filter(({ act }) => act.startsWith("one_time_code"))).toEqual([
      {
        act: "one_time_code.wrong",
        actor: "unknown",
        credential_id: null,
        provider_id: clinic.clinic.provider.id,
        subject_kind: "beneficiary",
        subject_id: id,
        details: { try: 1 },
      },
    ]);
  });

  test("works for a day", async () => {
    await clinic.register(RUT);
    const held = await opened();
    await world.bff.advance(DAY_MS);
    const { status, body } = await call("sendLinkCode", { widget_token: held.widget_token });
    expect([status, body.code]).toEqual([410, "widget_token_expired"]);
  });
});

describe.each(RIGHTS)("%s", (name) => {
  test("401 invalid_public_key", async () => {
    const body = { ...bodyOf[name], widget_token: UNKNOWN_TOKEN, access: NO_ACCESS };
    const answer = await world.bff.callWidgetHost(spotEndpoints[name], { query: { public_key: "PK_nobody" }, body });
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_public_key"]);
  });

  test("404 for a token that is unknown, of another purpose, or of another clinic", async () => {
    await clinic.register(RUT);
    const { widget_token, access } = await opened();
    const minted = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic.clinic, body: {} });
    for (const token of [UNKNOWN_TOKEN, minted.body.widget_token]) {
      const answer = await call(name, { ...bodyOf[name], access, widget_token: token });
      expect([answer.status, answer.body.code]).toEqual([404, "widget_token_not_found"]);
    }
    const other = await world.bff.createProvider();
    const foreign = await call(name, { ...bodyOf[name], access, widget_token }, other);
    expect([foreign.status, foreign.body.code]).toEqual([404, "widget_token_not_found"]);
  });

  test("400 patient_code_required without a code, with another's access, and after half an hour", async () => {
    await clinic.register(RUT);
    const { widget_token, access } = await opened();
    const bare = await call(name, { ...bodyOf[name], widget_token, access: NO_ACCESS });
    expect([bare.status, bare.body.code]).toEqual([400, "patient_code_required"]);
    await world.bff.advance(30 * MINUTE_MS);
    const late = await call(name, { ...bodyOf[name], widget_token, access });
    expect([late.status, late.body.code]).toEqual([400, "patient_code_required"]);
  });

  test("410 for a used or expired link", async () => {
    await clinic.register(RUT);
    const { widget_token, access } = await opened();
    const row = db().updateTable("widget_tokens").where("token_hash", "=", hashToken(widget_token));
    await row.set({ used_at: now() }).execute();
    const used = await call(name, { ...bodyOf[name], widget_token, access });
    expect([used.status, used.body.code]).toEqual([410, "widget_token_used"]);
    await row.set({ used_at: null, created_at: new Date(0), expires_at: now() }).execute();
    const expired = await call(name, { ...bodyOf[name], widget_token, access });
    expect([expired.status, expired.body.code]).toEqual([410, "widget_token_expired"]);
  });

  test("409 email_change_unsettled for 48 hours after the RUT moved to another address; the objection stays valid", async () => {
    await clinic.register(RUT);
    const objection = await moveByIdentity();
    const early = await call(name, { ...bodyOf[name], ...(await opened()) });
    expect([early.status, early.body.code]).toEqual([409, "email_change_unsettled"]);
    expect(Number(early.headers.get("retry-after"))).toBeGreaterThan(47 * 3_600);
    const body = { widget_token: objection };
    const objected = await world.bff.callWidgetHost(spotEndpoints.objectToEmailChange, { as: clinic.clinic, body });
    expect(objected.status).toBe(200);
    expect((await call(name, { ...bodyOf[name], ...(await opened()) })).status).toBe(ADMITTED[name]);
  });

  test("400 patient_code_required with a proof from an address that an objection took the RUT from", async () => {
    await clinic.register(RUT);
    const objection = await moveByIdentity();
    const thiefs = await opened();
    passTime();
    expect((await call("sendLinkCode", { widget_token: thiefs.widget_token })).status).toBe(202);
    const code = present((await mails()).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0]);
    const body = { widget_token: objection };
    const objected = await world.bff.callWidgetHost(spotEndpoints.objectToEmailChange, { as: clinic.clinic, body });
    expect(objected.status).toBe(200);
    const after = await call(name, { ...bodyOf[name], ...thiefs });
    expect([after.status, after.body.code]).toEqual([400, "patient_code_required"]);
    // An unanswered code to the former address does not open it either, but a code to the owner's address does.
    const late = await call("answerLinkCode", { widget_token: thiefs.widget_token, code });
    expect([late.status, late.body.code]).toEqual([410, "recovery_code_expired"]);
    expect((await call(name, { ...bodyOf[name], ...(await opened()) })).status).toBe(ADMITTED[name]);
  });

  test("200 once the time for an objection is over", async () => {
    await clinic.register(RUT);
    await moveByIdentity();
    await world.bff.advance(2 * DAY_MS);
    expect((await call(name, { ...bodyOf[name], ...(await opened()) })).status).toBe(ADMITTED[name]);
  });

  test("422 raw_card_refused", async () => {
    const body = { ...bodyOf[name], widget_token: UNKNOWN_TOKEN, access: NO_ACCESS, note: "4051885600446623" };
    await clinic.register(RUT);
    const { widget_token } = await opened();
    const answer = await call(name, { ...body, widget_token });
    expect([answer.status, answer.body.code]).toEqual([422, "raw_card_refused"]);
  });
});

describe("reading one's data", () => {
  test("200: everything stored, with an audit row; of the sealed access only its existence", async () => {
    await clinic.register(RUT);
    const hash = await clinic.paidOrder({ rut: RUT });
    await clinic.submitReceipt(hash, RUT, 2);
    await world.bff.runDue();
    const held = await opened();
    const { status, body } = await call("readPatientData", held);
    expect(status).toBe(200);
    expect(body.patient).toMatchObject({ rut: RUT, first_name: "Camila", email: "camila@example.com" });
    expect(body.insurer_access).toEqual({ kept: true, since: expect.any(String) });
    const purposes = body.consents.map(({ purpose }: { purpose: string }) => purpose);
    for (const { purpose } of [...consentTexts("es-CL", "onboarding"), ...consentTexts("es-CL", "payment")])
      expect(purposes).toContain(purpose);
    expect(body.orders).toMatchObject([
      { order_token: hash, status: "paid", customer: { rut: RUT }, charges: [{ kind: "first", status: "captured" }] },
    ]);
    expect(body.orders[0].claim).toMatchObject({ status: "filed", reimbursed_amount: null });
    const pdfs = [1, 2].map((count) => ({ name: `boleta-${count}.pdf`, type: "application/pdf" }));
    expect(body.expenses).toMatchObject([{ order_token: hash, files: pdfs }]);
    expect(body.owed).toBe(30_800);
    const [row] = await beneficiaries();
    expect(JSON.stringify(body)).not.toContain(present(row?.sealed_insurer_access));
    expect((await ownActs()).filter(([act]) => act.endsWith("read"))).toEqual([["patient_data.read", {}]]);
  });

  test("200: the agreement of a payment, as a file, only for the patient's own orders", async () => {
    const hash = await clinic.claimedOrder(RUT);
    world.bff.clock.advance(60_000);
    const second = await clinic.readyOrder({ rut: RUT, card: CARDS.declined });
    expect((await clinic.pay(second)).body.code).toBe("card_declined");
    await clinic.addCard(second);
    expect((await clinic.pay(second)).status).toBe(200);
    const held = await opened();
    const { body } = await call("readPatientData", held);
    const agreed = body.orders.map(({ order_token, agreement }: Record<string, unknown>) => [order_token, agreement]);
    const texts = ["contract", "summary_sheet", "withdrawal", "privacy_notice"].map((kind) =>
      expect.objectContaining({ kind }),
    );
    expect(agreed).toEqual([
      [hash, texts],
      [second, texts],
    ]);
    const printed = await call("printOwnAgreement", { ...held, order_token: hash });
    expect([printed.status, printed.body.type]).toEqual([200, "application/pdf"]);
    await clinic.register(PATIENTS.approvedAfter5Days);
    const others = await call("printOwnAgreement", {
      ...(await opened(PATIENTS.approvedAfter5Days)),
      order_token: hash,
    });
    expect([others.status, others.body.code]).toEqual([404, "order_not_found"]);
  });

  test("shows no data of others: neither a family at the same address nor another clinic's staging patients", async () => {
    await clinic.claimedOrder(RUT);
    await clinic.register(PATIENTS.approvedAfter5Days);
    const { body } = await call("readPatientData", await opened(PATIENTS.approvedAfter5Days));
    expect(body.patient.rut).toBe(PATIENTS.approvedAfter5Days);
    expect([body.orders, body.expenses]).toEqual([[], []]);
    expect(JSON.stringify(body)).not.toContain(RUT);
  });
});

/* The first registration of a RUT needs no proof, so it must not open data that clinics keep about the RUT's owner. */
describe("a stranger who registered another person's RUT", () => {
  /** The victim has one order with its receipt, one cancelled order, and a receipt without an order. */
  async function victim(): Promise<{ paid: string; cancelled: string }> {
    const paid = await clinic.paidOrder({ rut: RUT });
    const cancelled = await clinic.newOrder({ rut: RUT });
    await clinic.call("cancelOrder", cancelled);
    await registerAsStranger();
    // The clinic submits every receipt with the RUT alone.
    await clinic.submitReceipt(paid, RUT);
    await submitPlainExpense(RUT);
    await world.bff.runDue();
    return { paid, cancelled };
  }

  test("sees no order, receipt, contact, card or consent of the owner; an operator who verified the requester sees all", async () => {
    const { paid, cancelled } = await victim();
    const { status, body } = await call("readPatientData", await opened());
    expect([status, body.orders, body.expenses, body.owed]).toEqual([200, [], [], 0]);
    const text = JSON.stringify(body);
    for (const secret of ["camila", "Camila", "12345678-5", "terms_and_credit", "later_charge", paid, cancelled])
      expect(text).not.toContain(secret);
    expect(withoutDrawnNames(text)).not.toContain("6623");
    const { provider } = clinic.clinic;
    const patient = present(await findBeneficiary(db(), { tenant: tenantOf(provider), rut: parseRut(RUT) }));
    const act = { patient, providerId: provider.id, actor: "operator:ana", now: now() };
    const everything = await seeData({ db: db(), ids: systemIds }, act);
    expect(everything.orders.map(({ order_token }) => String(order_token)).toSorted()).toEqual(
      [paid, cancelled].toSorted(),
    );
    expect(everything.expenses).toHaveLength(2);
    expect(everything.owed).toBe(30_800);
    expect(everything.consents.map(({ purpose }) => purpose)).toContain("later_charge");
  });

  test("withdraws nothing that the owner accepted, and learns nothing about debts or pending work", async () => {
    await victim();
    const held = await opened();
    const later = await call("withdrawConsent", { ...held, purpose: "later_charge" });
    expect([later.status, later.body]).toEqual([200, { withdrawn: "later_charge", effects: [], owed: 0 }]);
    const rows = await db()
      .selectFrom("consents")
      .select("withdrawn_at")
      .where("provider_id", "=", clinic.clinic.provider.id)
      .where("purpose", "=", "later_charge")
      .execute();
    expect(rows).toEqual([{ withdrawn_at: null }]);
    const mandate = await call("withdrawConsent", { ...held, purpose: "claim_mandate" });
    expect(mandate.body).toEqual({ withdrawn: "claim_mandate", effects: ["no_more_claims"], owed: 0 });
  });

  test("erases only the registration: the owner's orders stay and keep their links", async () => {
    const { paid, cancelled } = await victim();
    const link = await paymentLink(paid);
    const { body } = await call("eraseData", await opened());
    expect(body).toEqual({ status: "erased", kept: [{ what: "consents", because: "proof" }] });
    for (const hash of [paid, cancelled])
      expect((await clinic.order(hash)).customer).toMatchObject({ rut: RUT, email: "camila@example.com" });
    await world.bff.advance(MINUTE_MS);
    const sent = await call("sendLinkCode", { widget_token: link });
    expect([sent.status, sent.body.sent_to]).toEqual([202, "c•••@e•••.com"]);
  });

  test("inherits nothing of an owner who was erased, not even records with a legal retention period", async () => {
    const hash = await clinic.claimedOrder(RUT);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect((await call("eraseData", await opened())).body.status).toBe("erased");
    await registerAsStranger();
    const { body } = await call("readPatientData", await opened());
    expect([body.orders, body.expenses]).toEqual([[], []]);
    expect(JSON.stringify(body)).not.toMatch(/camila|6623/i);
    expect(new Set(body.consents.map(({ accepted_at }: { accepted_at: string }) => accepted_at)).size).toBe(1);
  });

  test("sees the orders that a clinic itself addressed to their mailbox", async () => {
    await registerAsStranger();
    const created = orderBody({ total: 40_000, rut: RUT, reference: systemIds.uuid() });
    const addressed = { ...created, customer: { ...created.customer, email: MATIAS.email.toUpperCase() } };
    const order = await world.bff.callOrderApi(orderEndpoints.createOrder, { as: clinic.clinic, body: addressed });
    const { body } = await call("readPatientData", await opened());
    expect(body.orders).toMatchObject([{ order_token: order.body.hash }]);
  });
});

describe("withdrawing a consent", () => {
  test("insurer_access: destroys the sealed access and leaves the debt; repeating it changes nothing", async () => {
    await clinic.claimedOrder(RUT);
    const held = await opened();
    const { status, body } = await call("withdrawConsent", { ...held, purpose: "insurer_access" });
    expect([status, body]).toEqual([
      200,
      { withdrawn: "insurer_access", effects: ["insurer_access_destroyed"], owed: 30_800 },
    ]);
    expect((await beneficiaries()).map((row) => row.sealed_insurer_access)).toEqual([null]);
    const again = await call("withdrawConsent", { ...held, purpose: "insurer_access" });
    expect(again.body).toEqual({ withdrawn: "insurer_access", effects: [], owed: 30_800 });
    expect((await ownActs()).filter(([act]) => act.endsWith("consent_withdrawn"))).toEqual([
      ["patient_data.consent_withdrawn", { purpose: "insurer_access", effects: ["insurer_access_destroyed"] }],
    ]);
  });

  test("insurer_access: the portal is not entered again until new access reaches the insurer", async () => {
    const rut = PATIENTS.approvedOnDay12;
    const hash = await clinic.claimedOrder(rut);
    await call("withdrawConsent", { ...(await opened(rut)), purpose: "insurer_access" });
    const asked = vi.spyOn(world.bff.context.parties.insurer, "inquireClaim");
    await world.bff.advance(14 * DAY_MS);
    // Claims of other patients continue.
    expect(asked.mock.calls.filter(([{ providerId }]) => providerId === clinic.clinic.provider.id)).toEqual([]);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    await clinic.giveAccessAgain(rut);
    await world.bff.advance(60 * MINUTE_MS);
    const insurers = db().selectFrom("sandbox_claims").select("access_renewed_at");
    expect(await insurers.where("order_hash", "=", clinic.key(hash).orderId).execute()).toEqual([
      { access_renewed_at: expect.any(Date) },
    ]);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("insurer_access that was blocked: the 72 hours stop counting", async () => {
    const rut = PATIENTS.blockedOnDay2;
    const hash = await clinic.claimedOrder(rut);
    await world.bff.advance(2 * DAY_MS);
    expect((await clinic.read(hash)).expense?.status).toBe("access_blocked");
    await call("withdrawConsent", { ...(await opened(rut)), purpose: "insurer_access" });
    await world.bff.advance(4 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
  });

  test.each(["claim_mandate", "health_data"])(
    "%s: waiting claims are stopped, and none is filed again",
    async (purpose) => {
      const waiting = PATIENTS.held;
      const hash = await clinic.claimedOrder(waiting);
      const otherOrder = clinic.key(await clinic.claimedOrder(PATIENTS.blockedAtOnce)).orderId;
      const held = await opened(waiting);
      const otherRows = await rowsOfOrder(db(), otherOrder);
      const { body } = await call("withdrawConsent", { ...held, purpose });
      expect(await rowsOfOrder(db(), otherOrder)).toEqual(otherRows);
      expect(body.effects).toContain("no_more_claims");
      expect(body.owed).toBe(30_800);
      const claims = () =>
        db()
          .selectFrom("claims")
          .select(["state", "reason"])
          .where("order_id", "=", clinic.key(hash).orderId)
          .execute();
      expect((await claims()).map(({ state }) => state)).not.toContain("filed");
      const later = await clinic.paidOrder({ rut: waiting });
      await clinic.submitReceipt(later, waiting);
      await world.bff.runDue();
      const [claim] = await db()
        .selectFrom("claims")
        .select(["state", "reason", "attempt", "inquiries"])
        .where("order_id", "=", clinic.key(later).orderId)
        .execute();
      expect(claim).toEqual({ state: "stopped", reason: "mandate_withdrawn", attempt: 0, inquiries: 0 });
    },
  );

  test("claim_mandate: a filed claim is no longer followed, and day 45 still applies", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
    await call("withdrawConsent", { ...(await opened(PATIENTS.approvedOnDay12)), purpose: "claim_mandate" });
    await world.bff.advance(20 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toContain("scheduled");
    await world.bff.advance(26 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
  });

  test("claim_mandate accepted again: the filed claim is followed again and its approval is heard", async () => {
    const rut = PATIENTS.approvedOnDay12;
    const hash = await clinic.claimedOrder(rut);
    const held = await opened(rut);
    for (let pressed = 0; pressed < 2; pressed += 1)
      expect((await call("withdrawConsent", { ...held, purpose: "claim_mandate" })).status).toBe(200);
    expect((await ownActs()).filter(([act]) => act.endsWith("consent_withdrawn"))).toHaveLength(1);
    await world.bff.advance(14 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    await clinic.register(rut);
    await world.bff.advance(2 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test.each(["claim_mandate", "health_data"])(
    "%s while the filing call is lost: a call that never arrived is not repeated",
    async (purpose) => {
      await clinic.register(RUT);
      const hash = await clinic.paidOrder({ rut: RUT });
      const held = await opened();
      await clinic.fault("insurer", "fileClaim", "fail_before");
      await clinic.submitReceipt(hash, RUT);
      await world.bff.runDue();
      expect(await claimsOf(hash)).toEqual([{ state: "filing", reason: null }]);
      await call("withdrawConsent", { ...held, purpose });
      await world.bff.advance(DAY_MS);
      expect(await claimsOf(hash)).toEqual([{ state: "stopped", reason: "mandate_withdrawn" }]);
      expect(await insurersClaims(hash)).toEqual([]);
    },
  );

  test("claim_mandate while the filing call arrived but its answer is lost: the claim is filed", async () => {
    await clinic.register(RUT);
    const hash = await clinic.paidOrder({ rut: RUT });
    const held = await opened();
    await clinic.fault("insurer", "fileClaim", "fail_after");
    await clinic.submitReceipt(hash, RUT);
    await world.bff.runDue();
    await call("withdrawConsent", { ...held, purpose: "claim_mandate" });
    await world.bff.advance(DAY_MS);
    expect(await claimsOf(hash)).toEqual([{ state: "filed", reason: null }]);
    expect(await insurersClaims(hash)).toHaveLength(1);
  });

  test("claim_mandate before new access reached the insurer: the access is no longer sent", async () => {
    const rut = PATIENTS.blockedOnDay2;
    const hash = await clinic.claimedOrder(rut);
    await world.bff.advance(2 * DAY_MS + 4 * 60 * MINUTE_MS);
    const held = await opened(rut);
    await clinic.fault("insurer", "inquireFiling", "fail_before");
    await clinic.giveAccessAgain(rut);
    await world.bff.runDue();
    await call("withdrawConsent", { ...held, purpose: "claim_mandate" });
    await world.bff.advance(DAY_MS);
    const sent = await db()
      .selectFrom("sandbox_calls")
      .select("idempotency_key")
      .where("idempotency_key", "like", "%:access:%")
      .where("provider_id", "=", clinic.clinic.provider.id)
      .execute();
    expect(sent).toEqual([]);
    expect(await claimsOf(hash)).toMatchObject([{ state: "filed" }]);
  });

  test("claim_mandate: the next order requires it again, and accepting it restores it", async () => {
    await clinic.register(RUT);
    const order_token = await clinic.newOrder({ rut: RUT });
    expect(await eventType({ order_token })).not.toBe("SPOT_USER_NEW");
    await call("withdrawConsent", { ...(await opened()), purpose: "claim_mandate" });
    expect(await eventType({ order_token })).toBe("SPOT_USER_NEW");
    await clinic.register(RUT);
    expect(await eventType({ order_token })).not.toBe("SPOT_USER_NEW");
  });

  test("claim_mandate: a person who knows only the RUT cannot see the withdrawal", async () => {
    await clinic.register(RUT);
    const before = await eventType({ rut: RUT });
    await call("withdrawConsent", { ...(await opened()), purpose: "claim_mandate" });
    expect(await eventType({ rut: RUT })).toBe(before);
    expect(await eventType({ user_data: { rut: RUT } })).toBe(before);
  });

  test("marketing: stops offers", async () => {
    await clinic.register(RUT);
    const { body } = await call("withdrawConsent", { ...(await opened()), purpose: "marketing" });
    expect(body).toEqual({ withdrawn: "marketing", effects: ["no_more_offers"], owed: 0 });
  });

  test("409 consent_not_withdrawable for a contract", async () => {
    await clinic.claimedOrder(RUT);
    const { status, body } = await call("withdrawConsent", { ...(await opened()), purpose: "terms_and_credit" });
    expect([status, body.code]).toEqual([409, "consent_not_withdrawable"]);
  });

  const revoke = async (held?: Awaited<ReturnType<typeof opened>>) =>
    call("withdrawConsent", { ...(held ?? (await opened())), purpose: "later_charge" });
  const OWED = "Retiraste la autorización para cobrar tu tarjeta";
  const DUE = "Ya corresponde pagar el resto de tu atención";
  /** Whether the checkout shows that the rest is not charged. */
  const showsRevoked = async (hash: string): Promise<boolean | undefined> =>
    (await clinic.call("getOrder", hash, { using: "client_id" })).body.mandate_revoked;

  test.each([
    ["before it is heard that the order is paid", CARDS.approved],
    ["while the patient is at their issuer's", CARDS.challenge],
  ])(
    "the later charge, %s: that card is not charged, another order's is, and the patient is notified of the debt",
    async (_when, card) => {
      await clinic.register(RUT);
      const [hash, other] = [await clinic.readyOrder({ rut: RUT, card }), await clinic.readyOrder({ rut: RUT })];
      // An unpaid order shows nothing about it.
      expect(await showsRevoked(hash)).toBeUndefined();
      const held = await opened();
      const { payment } = (await clinic.pay(hash)).body;
      const { body } = await call("withdrawConsent", { ...held, purpose: "later_charge" });
      expect(body).toMatchObject({ withdrawn: "later_charge", effects: ["card_not_charged"] });
      if (payment.status === "requires_action") await clinic.press(payment.action.url, "approve");
      for (const each of [hash, other]) await clinic.pay(each);
      const shown = () => Promise.all([hash, other].map(showsRevoked));
      expect(await shown()).toEqual([true, false]);
      await world.bff.runDue();
      expect(await shown()).toEqual([true, false]);
      const receipts = await clinic.mailTexts(`Tu pago en ${clinic.clinic.provider.name}`);
      const isOfWithdrawn = (text: string) => text.includes("El resto no se cobrará en tu tarjeta");
      expect(receipts.filter(isOfWithdrawn)).toHaveLength(1);
      expect(receipts.filter((text) => text.includes("se hará en la misma tarjeta"))).toHaveLength(1);
      for (const each of [hash, other]) await clinic.approve(each);
      await world.bff.advance(2 * DAY_MS);
      expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual(["failed approved", []]);
      expect(await clinic.collectionStatus(other)).toBe("collected approved");
      expect(await clinic.mailTexts(OWED)).toEqual([expect.stringContaining("$30.800")]);
    },
  );

  test("the later charge while it is owed: no trigger charges the card, the debt stays, and the patient is notified", async () => {
    const hash = await clinic.claimedOrder(RUT);
    expect(await showsRevoked(hash)).toBe(false);
    const { status, body } = await revoke();
    expect(await showsRevoked(hash)).toBe(true);
    expect([status, body]).toEqual([200, { withdrawn: "later_charge", effects: ["card_not_charged"], owed: 30_800 }]);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    expect((await call("withdrawConsent", { ...(await opened()), purpose: "later_charge" })).body.owed).toBe(30_800);
    await world.bff.runDue();
    const [notice, ...again] = await clinic.mailTexts(OWED);
    expect(again).toEqual([]);
    for (const phrase of ["$30.800", "$2.800", "terminada en 6623", "Todavía debes"]) expect(notice).toContain(phrase);
    await world.bff.advance(45 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("failed day_45");
    expect(await clinic.tries(hash)).toEqual([]);
    expect(await clinic.mailTexts(DUE)).toHaveLength(1);
    expect((await clinic.mails()).filter((subject) => /cobraremos|segundo cobro/.test(subject))).toEqual([]);
    const [exception] = await listExceptions(
      { db: db(), clock: world.bff.clock, environment: "staging" },
      clinic.clinic.provider.id,
    );
    expect(exception).toMatchObject({ kind: "collection_failed", facts: { why: "mandate_revoked" } });
    await clinic.refund(hash, { amount: 10_000 });
    await world.bff.runDue();
    expect(await clinic.mailTexts(`Devolución de tu pago en ${clinic.clinic.provider.name}`)).toEqual([
      expect.stringContaining("Te queda por pagar: $20.100"),
    ]);
    await clinic.refund(hash);
    expect(await showsRevoked(hash)).toBe(false);
  });

  test("the later charge, then another card: the new mandate alone charges the amount due", async () => {
    const rut = PATIENTS.approvedAfter5Days;
    const hash = await clinic.claimedOrder(rut, LATER.declined);
    await revoke(await opened(rut));
    await world.bff.advance(6 * DAY_MS);
    expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual(["failed approved", []]);
    const [approved] = await clinic.mailTexts("Aprobaron tu reembolso");
    expect(approved).toContain("Te queda por pagar: $30.800");
    expect(approved).not.toContain("Segundo cobro");
    expect(await showsRevoked(hash)).toBe(true);
    await clinic.giveCard(hash);
    expect(await showsRevoked(hash)).toBe(false);
    await world.bff.runDue();
    expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual([
      "collected approved",
      ["captured"],
    ]);
  });

  test("the later charge a second time, after another card: both withdrawals are audited once", async () => {
    const hash = await clinic.claimedOrder(RUT);
    for (const _again of [1, 2]) await revoke();
    await clinic.giveCard(hash);
    for (const _again of [1, 2]) await revoke();
    const withdrawal = { purpose: "later_charge", effects: ["card_not_charged"] };
    expect((await ownActs()).filter(([act]) => act.endsWith("consent_withdrawn"))).toEqual([
      ["patient_data.consent_withdrawn", withdrawal],
      ["patient_data.consent_withdrawn", withdrawal],
    ]);
  });

  test("the later charge again for an unregistered patient: each withdrawal is audited once", async () => {
    const hash = await clinic.paidOrder({ rut: RUT });
    await world.bff.runDue();
    const { provider } = clinic.clinic;
    const dependencies = { db: db(), ids: systemIds, clock: world.bff.clock };
    const about = { providerId: provider.id, tenant: tenantOf(provider), rut: parseRut(RUT) };
    const withdraw = () =>
      withdrawUnregistered(dependencies, { ...about, actor: "operator:ana", now: now() }, "later_charge");
    for (const _again of [1, 2]) await withdraw();
    await clinic.giveCard(hash);
    for (const _again of [1, 2]) await withdraw();
    const rows = (await auditOf(db(), provider.id)).filter(({ act }) => act.startsWith("patient_data."));
    const withdrawal = { act: "patient_data.consent_withdrawn", actor: "operator:ana" };
    expect(rows).toMatchObject([withdrawal, withdrawal]);
  });

  test("the later charge while an attempt is pending or in doubt: no attempt follows it", async () => {
    const hash = await clinic.claimedOrder(RUT, LATER.declined);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual([
      "scheduled approved",
      ["declined"],
    ]);
    const held = await opened();
    await revoke(held);
    expect(await clinic.collectionStatus(hash)).toBe("failed approved");
    const busy = await clinic.claimedOrder(RUT);
    await clinic.fault("card-processor", "charge", "fail_before");
    await clinic.approve(busy);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(busy)).toBe("processing approved");
    expect((await revoke(held)).body.owed).toBe(61_600);
    await world.bff.advance(12 * DAY_MS);
    expect([await clinic.tries(hash), await clinic.collectionStatus(busy)]).toEqual([["declined"], "failed approved"]);
    expect(await clinic.mailTexts(DUE)).toHaveLength([hash, busy].length);
    const { body } = await call("readPatientData", await opened());
    expect(body.owed).toBe(61_600);
  });

  test("the later charge while a refund of the whole debt fails: the debt returns and is not charged", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const held = await opened();
    await clinic.fault("financing-provider", "reduceLoan", "fail_before");
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    expect((await revoke(held)).body.effects).toEqual(["card_not_charged"]);
    await world.bff.advance(MINUTE_MS);
    expect((await clinic.order(hash)).refunds).toMatchObject([{ status: "succeeded" }]);
    expect(await clinic.mailTexts(OWED)).toEqual([]);
  });

  test("the later charge of a debt that was written off can be withdrawn, and an erasure completes", async () => {
    const hash = await clinic.claimedOrder(RUT, LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    const held = await opened();
    expect((await call("readPatientData", held)).body.owed).toBe(30_800);
    await inTransaction(db(), (tx) => writeOffCollection(tx, clinic.resolving(), clinic.key(hash)));
    expect((await call("readPatientData", held)).body.owed).toBe(0);
    const { status, body } = await call("withdrawConsent", { ...held, purpose: "later_charge" });
    expect([status, body.owed]).toEqual([200, 0]);
    expect((await call("eraseData", held)).body.status).toBe("erased");
  });
});

// In the short check: here: an erasure includes the documents of requests, and ends a blocking.
describe("erasing a patient", { tags: ["long"] }, () => {
  test("200 erased: only the proof of consents and withdrawals is left of a patient without orders", async () => {
    const rut = PATIENTS.approvedOnDay46;
    await clinic.register(rut);
    await submitPlainExpense(rut);
    const held = await opened(rut);
    const { status, body } = await call("eraseData", held);
    expect([status, body]).toEqual([200, { status: "erased", kept: [{ what: "consents", because: "proof" }] }]);
    // A page that repeats the request after a lost answer treats 410 as success.
    expect(["widget_token_used", "widget_token_not_found"]).toContain((await call("eraseData", held)).body.code);
    await world.bff.runDue();
    const [row] = await beneficiaries();
    expect(row).toMatchObject({ first_name: "", last_name: "", phone_number: "", sealed_insurer_access: null });
    expect(row?.rut).not.toContain(rut.slice(0, 8));
    expect(
      await db()
        .selectFrom("consents")
        .select("rut")
        .where("rut", "=", rut)
        .where("withdrawn_at", "is", null)
        .execute(),
    ).toEqual([]);
    expect((await mails()).map(({ subject }) => subject)).toContain("Borramos tus datos");
    expect((await ownActs()).filter(([act]) => /eras/.test(act))).toEqual([
      ["patient_data.erased", {}],
      ["patient_data.erasure_requested", {}],
    ]);
    const gone = await call("readPatientData", held);
    expect([gone.status, gone.body.code]).toEqual([410, "widget_token_used"]);
  });

  test("410 for a repeated request shows the state of the erasure, only after the code was answered", async () => {
    await clinic.claimedOrder(RUT);
    const held = await opened();
    expect((await call("eraseData", held)).body.status).toBe("waiting");
    // The first answer may have been lost, so a repeat must not claim that everything is erased.
    const lost = await call("eraseData", held);
    expect([lost.status, lost.body]).toMatchObject([410, { code: "widget_token_used", erasure_status: "waiting" }]);
    const stranger = await call("eraseData", { ...held, access: NO_ACCESS });
    expect(stranger.body).toMatchObject({ code: "patient_code_required" });
    expect(stranger.body).not.toHaveProperty("erasure_status");
    await clinic.register(PATIENTS.approvedAfter5Days);
    const free = await opened(PATIENTS.approvedAfter5Days);
    expect((await call("eraseData", free)).body.status).toBe("erased");
    expect((await call("eraseData", free)).body).toMatchObject({
      code: "widget_token_used",
      erasure_status: "erased",
    });
  });

  test("deletes rows and files: no name, address, RUT or document of that person remains", async () => {
    const alone = await world.newClinic();
    clinic = alone;
    const rut = "40237731-3";
    await clinic.register(rut);
    await submitPlainExpense(rut);
    const names = await db()
      .selectFrom("expense_files")
      .select("storage_name")
      .where("provider_id", "=", clinic.clinic.provider.id)
      .execute();
    expect(names).toHaveLength(1);
    await db()
      .updateTable("widget_tokens")
      .set({ user_data: JSON.stringify({ name: "Nombre-Propio", rut }) })
      .where("provider_id", "=", clinic.clinic.provider.id)
      .execute();
    await call("eraseData", await opened(rut));
    await world.bff.runDue();
    for (const { storage_name } of names) expect(storage.files.has(storage_name)).toBe(false);
    const left = (await everything()).filter((row) => row.includes(rut) || row.includes("Nombre-Propio"));
    // The consents themselves are kept as proof.
    expect(left.filter((row) => !row.startsWith("consents "))).toEqual([]);
  });

  test("leaves no RUT, name, mailbox or telephone in any table, whatever the patient did before", async () => {
    clinic = await world.newClinic({ knownPatients: true });
    const rut = PATIENTS.approvedOnDay46;
    const [mailbox, phone, name] = ["ximena.quilodran@example.com", "+56955501234", "Quilodrán"];
    const earlier = "ximena.antes@example.com";
    const readOtherRows = await rowsOfAnother(PATIENTS.approvedOnDay12);
    const before = await rowsOfTables();
    await clinic.register(rut, earlier);
    await moveByIdentity(rut, mailbox);
    await world.bff.advance(3 * DAY_MS);
    const plan = { as: clinic.clinic, params: { rut }, body: { plan: "anual", status: "active" } };
    expect((await world.bff.callSpotApi(spotEndpoints.setSubscription, plan)).status).toBe(200);
    const customer = { email: mailbox, phone_number: phone, last_name: name };
    const declined = await clinic.newOrder({ rut, customer });
    await clinic.identify(declined);
    await clinic.addCard(declined, CARDS.declined);
    await clinic.pay(declined);
    await clinic.call("startRecognition", declined, { body: {} });
    await clinic.call("cancelOrder", declined);
    await submitPlainExpense(rut);
    await clinic.call("cancelOrder", await clinic.newOrder({ rut, customer }));
    const asked = { request: { kind: "opposition", words: `Soy ${name}, ${mailbox}` } };
    expect((await call("makeRightsRequest", { ...(await opened(rut)), ...asked })).status).toBe(200);
    const now = await rowsOfTables();
    const untouched = [...now].filter(([table, rows]) => rows <= (before.get(table) ?? 0)).map(([table]) => table);
    expect(untouched.filter((table) => !withoutARow.has(table))).toEqual([]);
    const values = [rut.slice(0, 8), earlier, mailbox, phone, phone.slice(3), name];
    const named = async () => (await everything()).filter((row) => values.some((value) => row.includes(value)));
    const tables = async () => [...new Set((await named()).map((row) => row.slice(0, row.indexOf(" "))))].toSorted();
    expect(await tables()).toEqual(
      expect.arrayContaining(["beneficiaries", "events", "orders", "payment_attempts", "rights_requests", "users"]),
    );
    const otherRows = await readOtherRows();
    expect(otherRows.map(([table]) => table)).toEqual(
      expect.arrayContaining(["beneficiaries", "claims", "collections", "expenses", "expense_files", "orders"]),
    );
    expect((await call("eraseData", await opened(rut))).body.status).toBe("erased");
    expect(await readOtherRows()).toEqual(otherRows);
    await world.bff.advance(3 * DAY_MS);
    expect(await tables()).toEqual(["consents"]);
  });

  /** Creates a patient who paid and whose receipt arrived. Returns a function that reads all their rows, by table. */
  async function rowsOfAnother(rut: string): Promise<() => Promise<readonly (readonly [string, string])[]>> {
    const hash = await clinic.claimedOrder(rut);
    const expenses = await db()
      .updateTable("expenses")
      .set({ name: "Consulta", total: clp(40_000) })
      .where("order_id", "=", clinic.key(hash).orderId)
      .returningAll()
      .execute();
    const ids = expenses.flatMap(({ id, beneficiary_id }) => [id, present(beneficiary_id)]);
    const values = [rut.slice(0, 8), clinic.key(hash).orderId, ...ids];
    return async () =>
      (await everything())
        .filter((row) => values.some((value) => row.includes(value)))
        .map((row) => [row.slice(0, row.indexOf(" ")), row] as const);
  }

  test("keeps no address of a patient whose notice of erasure could not be sent", async () => {
    await clinic.register(RUT);
    const held = await opened();
    await clinic.fault("messenger", "sendEmail", "fail_before", 100);
    await askForLink();
    expect((await call("eraseData", held)).body.status).toBe("erased");
    await world.bff.advance(5 * DAY_MS);
    expect(await undelivered()).toEqual([]);
    expect(await exceptions()).toEqual([]);
  });

  test("deletes notifications that wait for the morning, unsent", async () => {
    const hash = await clinic.claimedOrder(RUT);
    world.bff.clock.set(new Date(santiagoMoment(santiagoDay(now()), 22)));
    const held = await opened();
    await clinic.approve(hash);
    await world.bff.runDue();
    const sent = (await clinic.messages()).length;
    expect(await undelivered()).toEqual(["charged"]);
    expect((await call("eraseData", held)).body.status).toBe("erased");
    await world.bff.runDue();
    expect(await undelivered()).toEqual([]);
    await world.bff.advance(DAY_MS);
    expect(await clinic.messages()).toHaveLength(sent);
    expect(await exceptions()).toEqual([]);
  });

  test.each(["claim_filed", "claim_unfiled"])(
    "deletes an unsent claim notification of an order that was addressed to another mailbox: %s",
    async (kind) => {
      const hash = await clinic.paidOrder({ rut: RUT });
      await clinic.register(RUT, MATIAS.email);
      const held = await opened();
      if (kind === "claim_unfiled") await call("withdrawConsent", { ...held, purpose: "insurer_access" });
      await clinic.fault("messenger", "sendEmail", "fail_before", 100);
      await clinic.submitReceipt(hash, RUT);
      await world.bff.runDue();
      expect(await undelivered()).toContain(kind);
      expect((await call("eraseData", held)).body.status).toBe("erased");
      expect(await undelivered()).toEqual(["data_erased"]);
    },
  );

  test("stops reminders about a missing receipt of an erased patient's order", async () => {
    await clinic.register(RUT);
    const hash = await clinic.paidOrder({ rut: RUT });
    await world.bff.runDue();
    await clinic.approve(hash);
    await world.bff.runDue();
    expect((await call("eraseData", await opened())).body.status).toBe("erased");
    const sent = (await mails()).length;
    await world.bff.advance(31 * DAY_MS);
    expect([(await mails()).length, await exceptions()]).toEqual([sent, []]);
  });

  test("frees the RUT: a later registration is a new record and inherits nothing", async () => {
    await clinic.register(RUT);
    await call("eraseData", await opened());
    await clinic.register(RUT);
    const ruts = (await beneficiaries()).map(({ rut }) => rut);
    expect(ruts).toHaveLength(2);
    expect(ruts.filter((rut) => rut === RUT)).toHaveLength(1);
  });

  test("refuses and stores nothing that is still under way for a patient erased meanwhile", async () => {
    await clinic.register(RUT);
    const held = await opened();
    const before = [...storage.files.keys()];
    const { sendRest, ...halves } = await formInHalves(expenseForm([pdf(20_000)], { name: "Camila Rojas Fuentes" }));
    const sent = { as: clinic.clinic, query: { rut: RUT }, ...halves };
    const submitted = world.bff.callSpotApi(spotEndpoints.submitExpense, sent);
    await expect.poll(() => storage.files.size).toBe(before.length + 1);
    expect((await call("eraseData", held)).body.status).toBe("erased");
    sendRest();
    const { status, body } = await submitted;
    expect([status, body.code]).toEqual([404, "beneficiary_not_found"]);
    expect([...storage.files.keys()]).toEqual(before);
    expect(await expensesOfClinic()).toEqual([]);
  });

  test("the receipt of an erased patient's order takes nothing from a later registration of the RUT", async () => {
    const rut = PATIENTS.approvedAfter5Days;
    const hash = await clinic.claimedOrder(rut);
    await world.bff.advance(6 * DAY_MS);
    expect((await call("eraseData", await opened(rut))).body.status).toBe("erased");
    await clinic.register(rut);
    await world.bff.runDue();
    const before = [...storage.files.keys()];
    const { status, body } = await world.bff.callSpotApi(spotEndpoints.submitExpense, {
      as: clinic.clinic,
      query: { rut },
      rawBody: expenseForm([pdf(500, "again")], { skip_pay_order_id: hash }),
    });
    expect([status, body]).toMatchObject([400, { code: "processing_error", errors: [{ path: "skip_pay_order_id" }] }]);
    expect([...storage.files.keys()]).toEqual(before);
    const files = db().selectFrom("expense_files").select("name").where("provider_id", "=", clinic.clinic.provider.id);
    expect(await files.execute()).toEqual([]);
  });

  test("keeps a family's shared address for the others", async () => {
    await clinic.register(RUT);
    await clinic.register(PATIENTS.approvedAfter5Days);
    await call("eraseData", await opened());
    await world.bff.advance(MINUTE_MS);
    const { body } = await call("readPatientData", await opened(PATIENTS.approvedAfter5Days));
    expect(body.patient.email).toBe("camila@example.com");
  });

  test("200 waiting while a debt is open: documents and access go at once, name and address after the charge", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const held = await opened();
    const { status, body } = await call("eraseData", held);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: "waiting",
      kept: [
        { what: "contact", because: "charge_owed" },
        { what: "orders", because: "accounting_law" },
        { what: "consents", because: "proof" },
      ],
    });
    const [waiting] = await beneficiaries();
    expect(waiting).toMatchObject({ rut: RUT, first_name: "Camila", sealed_insurer_access: null });
    expect(
      await db()
        .selectFrom("expense_files")
        .select("name")
        .where("provider_id", "=", clinic.clinic.provider.id)
        .execute(),
    ).toEqual([]);
    await world.bff.runDue();
    expect((await mails()).map(({ subject }) => subject)).toContain("Estamos borrando tus datos");
    await clinic.approve(hash);
    await world.bff.advance(2 * DAY_MS);
    const [erased] = await beneficiaries();
    expect(erased).toMatchObject({ first_name: "", last_name: "", phone_number: "" });
    expect((await clinic.order(hash)).customer.rut).toBe(RUT);
    expect((await mails()).filter(({ subject }) => subject === "Borramos tus datos")).toHaveLength(1);
    // Recorded as an act of the patient, who requested it, at the time it was done.
    expect((await ownActs()).filter(([act]) => /eras/.test(act))).toEqual([
      ["patient_data.erasure_requested", {}],
      ["patient_data.erased", {}],
    ]);
  });

  test("200 waiting while an order can still be paid; once cancelled, it and its events hold no name", async () => {
    const order = await clinic.newOrder({
      rut: RUT,
      items: [{ description: "Ecografía abdominal", amount: 40_000 }],
    });
    await clinic.register(RUT);
    expect((await call("readPatientData", await opened())).body.orders[0].items).toEqual([
      { description: "Ecografía abdominal", quantity: 1, amount: 40_000 },
    ]);
    const { body } = await call("eraseData", await opened());
    expect(body).toMatchObject({
      status: "waiting",
      kept: [{ what: "contact", because: "order_open" }, expect.anything()],
    });
    await clinic.call("cancelOrder", order);
    await world.bff.advance(2 * DAY_MS);
    const emptied = await clinic.order(order);
    expect(emptied).toMatchObject({ details: {}, customer: { rut: "", firstName: "", email: "" } });
    const events = await db()
      .selectFrom("events")
      .select("payload")
      .where("order_id", "=", clinic.key(order).orderId)
      .execute();
    expect(events.length).toBeGreaterThan(0);
    expect(JSON.stringify(events)).not.toContain(RUT);
    expect(JSON.stringify(events)).not.toContain("Ecografía");
  });

  test("removes the names from an order cancelled after a decline, since no money moved, and from no other order", async () => {
    const hash = await clinic.readyOrder({ rut: RUT, card: CARDS.declined });
    const cancelled = await clinic.readyOrder({ rut: PATIENTS.approvedAfter5Days, card: CARDS.declined });
    for (const each of [hash, cancelled]) {
      expect((await clinic.pay(each)).body.code).toBe("card_declined");
      await clinic.call("cancelOrder", each);
    }
    const paid = await clinic.paidOrder({ rut: PATIENTS.approvedAfter5Days });
    const refused = await clinic.readyOrder({ rut: ORDER_PATIENTS.creditRefused });
    expect((await clinic.pay(refused)).body.code).toBe("credit_declined");
    const elsewhere = await world.newClinic();
    const theirs = await elsewhere.newOrder({ rut: RUT });
    await elsewhere.call("cancelOrder", theirs);
    await clinic.register(RUT);
    const held = await opened();
    const rowsOfOthers = () => Promise.all([cancelled, paid, refused, theirs].map((each) => rowsOfOrder(db(), each)));
    const before = await rowsOfOthers();
    const { body } = await call("eraseData", held);
    expect(body).toEqual({ status: "erased", kept: [{ what: "consents", because: "proof" }] });
    expect(await rowsOfOthers()).toEqual(before);
    const { customer, payments } = await clinic.order(hash);
    expect(customer).toMatchObject({ rut: "", firstName: "", email: "" });
    expect(payments).toMatchObject([{ status: "declined", card: { id: "", holderName: "" } }]);
    const events = await db()
      .selectFrom("events")
      .select("payload")
      .where("order_id", "=", clinic.key(hash).orderId)
      .execute();
    expect(events.length).toBeGreaterThan(0);
    expect(JSON.stringify(events)).not.toMatch(/camila/i);
    expect((await clinic.read(hash)).status).toBe("cancelled");
  });

  test.each([
    ["and stays so", "failed", () => Promise.resolve()],
    ["and was cancelled since", "cancelled", (hash: string) => clinic.call("cancelOrder", hash)],
  ])(
    "keeps a credit refused %s and says so: its reasons stay available; telephone and card are deleted",
    async (_, last, since) => {
      const rut = ORDER_PATIENTS.creditRefused;
      await clinic.register(rut);
      const hash = await clinic.readyOrder({ rut });
      const refused = await clinic.pay(hash);
      expect(refused.body.code).toBe("credit_declined");
      await since(hash);
      const others = await clinic.readyOrder({ rut: ORDER_PATIENTS.reviewRefused });
      await clinic.pay(others);
      await world.bff.advance(60_000);
      expect((await clinic.order(others)).state).toBe("payment_failed");
      const elsewhere = await world.newClinic();
      const theirs = await elsewhere.readyOrder({ rut });
      await elsewhere.pay(theirs);
      const held = await opened(rut);
      const rowsOfOthers = () => Promise.all([others, theirs].map((each) => rowsOfOrder(db(), each)));
      const before = await rowsOfOthers();
      const { body } = await call("eraseData", held);
      expect(await rowsOfOthers()).toEqual(before);
      expect(body).toEqual({
        status: "erased",
        kept: [
          { what: "credit_decisions", because: "consumer_law" },
          { what: "consents", because: "proof" },
        ],
      });
      const { customer, card, payments } = await clinic.order(hash);
      expect([customer, card]).toMatchObject([{ rut, email: "camila@example.com", phoneNumber: "" }, null]);
      expect(payments).toMatchObject([{ status: "failed", card: { id: "", holderName: "" } }]);
      const events = db().selectFrom("events").select("payload").where("order_id", "=", clinic.key(hash).orderId);
      expect(JSON.stringify(await events.execute())).not.toMatch(/56912345678|CAMILA ROJAS/);
      expect((await clinic.read(hash)).plan.data.installments[0]?.status).toBe(last);
      // A patient who signs up again with the mailbox of the clinic's order gets it back.
      await clinic.register(rut);
      const seen = (await call("readPatientData", await opened(rut))).body.orders;
      expect(seen).toMatchObject([{ order_token: hash, credit_refusal: { reasons: refused.body.reasons } }]);
    },
  );

  test("keeps a credit refused after the capture with its order", async () => {
    clinic = await world.newClinic({ captureFirst: true });
    const rut = ORDER_PATIENTS.creditRefused;
    await clinic.register(rut);
    const hash = await clinic.readyOrder({ rut });
    expect((await clinic.pay(hash)).body.code).toBe("credit_declined");
    await world.bff.runDue();
    const { body } = await call("eraseData", await opened(rut));
    expect(body.kept).toEqual([
      { what: "orders", because: "accounting_law" },
      { what: "credit_decisions", because: "consumer_law" },
      { what: "consents", because: "proof" },
    ]);
    expect((await clinic.order(hash)).customer).toMatchObject({ rut, phoneNumber: expect.stringContaining("569") });
  });

  test("deletes the insurer's answers and payments, shown until then; the approval stays as reason of the charge", async () => {
    const { rejected, approvedAfter5Days } = PATIENTS;
    const refused = await clinic.claimedOrder(rejected);
    const approved = await clinic.claimedOrder(approvedAfter5Days);
    await world.bff.advance(6 * DAY_MS);
    const [claim] = await claimsOf(refused);
    const reason = present(claim?.reason);
    const shown = (await call("readPatientData", await opened(rejected))).body.orders[0].claim;
    expect(shown).toMatchObject({ status: "rejected", reason });
    expect((await call("eraseData", await opened(rejected))).body.status).toBe("waiting");
    const approval = db().selectFrom("collection_triggers").select("evidence");
    const ofApproved = approval.where("order_id", "=", clinic.key(approved).orderId);
    expect((await ofApproved.executeTakeFirstOrThrow()).evidence).toHaveProperty("reimbursed");
    expect((await call("eraseData", await opened(approvedAfter5Days))).body.status).toBe("erased");
    expect(await claimsOf(refused)).toEqual([{ state: "rejected", reason: null }]);
    const ids = [refused, approved].map((hash) => clinic.key(hash).orderId);
    const rows = db().selectFrom("claims").select("reimbursed").where("order_id", "in", ids);
    expect(await rows.execute()).toEqual([{ reimbursed: null }, { reimbursed: null }]);
    const receipts = db().selectFrom("expenses").select("total").where("order_id", "in", ids);
    expect(await receipts.execute()).toEqual([{ total: null }, { total: null }]);
    const triggers = db().selectFrom("collection_triggers").select(["reason", "evidence"]).where("order_id", "in", ids);
    expect(await triggers.execute()).toEqual([
      {
        reason: "approved",
        evidence: {
          claim_id: expect.any(String),
          insurer_claim_id: expect.any(String),
          approved_at: expect.any(String),
        },
      },
    ]);
  });

  test("discards the insurer's answer about a claim whose patient is being erased, and notifies no one", async () => {
    const rut = PATIENTS.approvedAfter5Days;
    const hash = await clinic.claimedOrder(rut);
    await clinic.approve(hash);
    await advanceToPollOfApproval(hash, 5 * DAY_MS);
    const held = await opened(rut);
    meanwhile("inquireClaim", async () => expect((await call("eraseData", held)).body.status).toBe("erased"));
    await world.bff.advance(DAY_MS);
    const rows = db()
      .selectFrom("claims")
      .select(["state", "reimbursed"])
      .where("order_id", "=", clinic.key(hash).orderId);
    expect(await rows.execute()).toEqual([{ state: "filed", reimbursed: null }]);
    expect((await mails()).filter(({ to }) => to.endsWith("erased.invalid"))).toEqual([]);
  });

  test.each([
    ["filed", RUT, { state: "filed", reason: null }],
    ["held", PATIENTS.held, { state: "stopped", reason: "mandate_withdrawn" }],
  ])(
    "discards that a claim is %s while its patient is erased: no notification, nothing pending",
    async (_, rut, left) => {
      await clinic.register(rut);
      const hash = await clinic.paidOrder({ rut });
      await world.bff.runDue();
      await clinic.approve(hash);
      await world.bff.runDue();
      const open = await opened(rut);
      await clinic.submitReceipt(hash, rut);
      meanwhile("fileClaim", async () => expect((await call("eraseData", open)).body.status).toBe("erased"));
      await world.bff.runDue();
      expect(await claimsOf(hash)).toEqual([left]);
      expect((await mails()).filter(({ to }) => to.endsWith("erased.invalid"))).toEqual([]);
      expect(await exceptions()).toEqual([]);
    },
  );

  test("refuses the repeated creation of an order whose patient was erased", async () => {
    await clinic.register(RUT);
    const body = orderBody({ total: 40_000, rut: RUT, reference: systemIds.uuid() });
    const create = () => {
      const headers = { "Idempotency-Key": body.reference };
      return world.bff.callOrderApi(orderEndpoints.createOrder, { as: clinic.clinic, body, headers });
    };
    const first = await create();
    expect((await create()).body).toEqual(first.body);
    await clinic.call("cancelOrder", first.body.hash);
    expect((await call("eraseData", await opened())).body.status).toBe("erased");
    expect((await clinic.order(first.body.hash)).customer.rut).toBe("");
    const repeat = await create();
    expect([repeat.status, repeat.body.code]).toEqual([409, "duplicate_reference"]);
  });

  test("answers all of ten concurrent requests and erases once", async () => {
    await clinic.register(RUT);
    const held = await opened();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call("eraseData", held)));
    expect(answers.filter(({ body }) => body.status === "erased").length).toBeGreaterThan(0);
    for (const { status } of answers) expect([200, 404, 410]).toContain(status);
    expect((await acts()).filter((act) => act.endsWith("patient_data.erased"))).toHaveLength(1);
  });

  test("while waiting, changes nothing more: payment links stay valid until nothing is owed", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const link = await paymentLink(hash);
    await call("eraseData", await opened());
    await world.bff.advance(2 * DAY_MS);
    const widget_token = link;
    expect((await call("sendLinkCode", { widget_token })).status).toBe(202);
    const code = present((await mails()).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0]);
    const { body } = await call("answerLinkCode", { widget_token, code });
    const { access } = body;
    const paid = await world.bff.callWidgetHost(spotEndpoints.payEarly, {
      as: clinic.clinic,
      body: { widget_token, access },
    });
    expect([paid.status, paid.body]).toEqual([200, { status: "collected" }]);
    await world.bff.advance(2 * DAY_MS);
    expect((await beneficiaries())[0]).toMatchObject({ first_name: "" });
  });

  test("is revoked by signing up again: new data and consents stay, and the patient is notified", async () => {
    await clinic.claimedOrder(RUT);
    await call("eraseData", await opened());
    await world.bff.advance(DAY_MS);
    const hash = await clinic.claimedOrder(RUT);
    await world.bff.advance(3 * DAY_MS);
    const [claim] = await db()
      .selectFrom("claims")
      .select("state")
      .where("order_id", "=", clinic.key(hash).orderId)
      .execute();
    expect(claim).toEqual({ state: "filed" });
    expect((await beneficiaries())[0]).toMatchObject({
      first_name: "Camila",
      sealed_insurer_access: expect.any(String),
    });
    const { body } = await call("readPatientData", await opened());
    expect(body.erasure).toBeNull();
    expect(body.expenses).toMatchObject([{ files: [] }, { files: [{ type: "application/pdf" }] }]);
    expect((await mails()).filter(({ subject }) => subject === "Ya no borraremos tus datos")).toHaveLength(1);
    expect((await ownActs()).filter(([act]) => act.endsWith("erasure_ended"))).toEqual([
      ["patient_data.erasure_ended", {}],
    ]);
    // They may also request it again.
    expect((await call("eraseData", await opened())).body.status).toBe("waiting");
    expect((await mails()).filter(({ subject }) => subject === "Estamos borrando tus datos")).toHaveLength(2);
  });

  test("holds the claim of a patient who signs up again and pays, until the clinic sends the receipt again", async () => {
    await clinic.register(RUT);
    const hash = await clinic.readyOrder({ rut: RUT });
    await clinic.submitReceipt(hash, RUT);
    expect((await call("eraseData", await opened())).body.status).toBe("waiting");
    await clinic.register(RUT);
    expect((await clinic.pay(hash)).status).toBe(200);
    await world.bff.runDue();
    expect((await clinic.read(hash)).expense?.status).toBe("held");
    expect(await insurersClaims(hash)).toEqual([]);
    await clinic.submitReceipt(hash, RUT);
    await world.bff.runDue();
    expect((await clinic.read(hash)).expense?.status).toBe("filed");
  });

  test("the timer that completes the erasure waits for an objection, which stays valid", async () => {
    const hash = await clinic.claimedOrder(RUT);
    await call("eraseData", await opened());
    const objection = await moveByIdentity();
    await clinic.approve(hash);
    await world.bff.advance(DAY_MS + 60 * MINUTE_MS);
    expect((await beneficiaries())[0]).toMatchObject({ first_name: "Camila" });
    const body = { widget_token: objection };
    const objected = await world.bff.callWidgetHost(spotEndpoints.objectToEmailChange, { as: clinic.clinic, body });
    expect(objected.status).toBe(200);
    await world.bff.advance(2 * DAY_MS);
    expect((await beneficiaries())[0]).toMatchObject({ first_name: "" });
  });
});

describe("requests to a person", () => {
  const ask = async (request: object, rut: string = RUT) =>
    call("makeRightsRequest", { ...(await opened(rut)), request });
  const listed = async () =>
    (
      await listExceptions({ db: db(), clock: world.bff.clock, environment: "staging" }, clinic.clinic.provider.id)
    ).filter(({ kind }) => kind.startsWith("rights_request"));
  const resolve = async (resolution: "grant_request" | "refuse_request", note: string | null) =>
    resolveException(
      { db: db(), clock: world.bff.clock, environment: "staging", ids: systemIds },
      exceptionId(present((await listed())[0])),
      { resolution, actor: "operator:ana", note },
    );
  const ASKED = "Recibimos tu solicitud";
  const ANSWERED = "Respondimos tu solicitud";

  test("correction: with its deadline, read by an operator, corrected, answered by mail, and shown to the patient", async () => {
    await clinic.register(RUT);
    const { status, body } = await ask({ kind: "rectification", field: "last_name", words: "Rojas Fuenzalida" });
    expect([status, body]).toEqual([
      200,
      { kind: "rectification", answer_by: new Date(now().getTime() + 30 * DAY_MS).toISOString() },
    ]);
    // A repeat is the same request.
    await ask({ kind: "rectification", field: "last_name", words: "Rojas Fuenzálida" });
    await world.bff.runDue();
    expect(await clinic.mailTexts(ASKED)).toHaveLength(1);
    const [exception, ...others] = await listed();
    expect(others).toEqual([]);
    expect(exception).toMatchObject({ kind: "rights_request", orderId: null, facts: { asked: "rectification" } });
    const shown = await showRequest(
      { db: db(), ids: systemIds, clock: world.bff.clock },
      present(exception).subject,
      "operator:ana",
    );
    expect(shown).toMatchObject({ rut: RUT, kind: "rectification", about: "last_name", words: "Rojas Fuenzálida" });

    await expect(resolve("grant_request", null)).rejects.toThrow("cannot be left out");
    const { outcome } = await resolve("grant_request", "Corregimos tu apellido.");
    expect([outcome, await listed()]).toEqual(["Corrected; the patient was notified.", []]);
    await world.bff.runDue();
    const [answer] = await clinic.mailTexts(ANSWERED);
    for (const phrase of ["Aceptamos tu solicitud", "Corregimos tu apellido."]) expect(answer).toContain(phrase);
    const seen = (await call("readPatientData", await opened())).body;
    expect(seen.patient.last_name).toBe("Rojas Fuenzálida");
    expect(seen.requests).toMatchObject([{ status: "granted", answer: "Corregimos tu apellido." }]);
    const made = { request: present(exception).subject, kind: "rectification" };
    expect((await ownActs()).filter(([act]) => act.endsWith("request_made"))).toEqual([
      ["patient_data.request_made", made],
      ["patient_data.request_made", made],
    ]);
  });

  test("correction: an invalid name is not written to the record, and the request stays open", async () => {
    await clinic.register(RUT);
    await ask({ kind: "rectification", field: "phone_number", words: "el que te di por correo" });
    await expect(resolve("grant_request", "Listo.")).rejects.toThrow("more than the corrected value");
    expect(await listed()).toHaveLength(1);
    expect((await beneficiaries())[0]?.phone_number).toMatch(/^\+569/);
  });

  test("a pending request is listed as late ten days before its deadline", async () => {
    await clinic.register(RUT);
    await ask({ kind: "opposition", words: "No quiero que evalúen mi forma de pagar." });
    await world.bff.advance(19 * DAY_MS);
    expect((await listed()).map(({ kind }) => kind)).toEqual(["rights_request"]);
    await world.bff.advance(DAY_MS + MINUTE_MS);
    expect((await listed()).map(({ kind }) => kind).toSorted()).toEqual(["rights_request", "rights_request_late"]);
    await resolve("refuse_request", "La ley nos obliga a evaluarlo.");
    await world.bff.runDue();
    const [answer] = await clinic.mailTexts(ANSWERED);
    for (const phrase of ["No aceptamos tu solicitud", "Agencia de Protección de Datos Personales"])
      expect(answer).toContain(phrase);
  });

  test("blocking: no claim is filed and no later charge made until it is answered, then both", async () => {
    await clinic.register(RUT);
    const hash = await clinic.readyOrder({ rut: RUT });
    await clinic.pay(hash);
    await ask({ kind: "blocking", words: "No reconozco esta atención." });
    await clinic.submitReceipt(hash, RUT);
    await world.bff.runDue();
    expect(await insurersClaims(hash)).toEqual([]);
    await world.bff.advance(47 * DAY_MS);
    expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual(["scheduled day_45", []]);
    expect(await insurersClaims(hash)).toEqual([]);
    await resolve("refuse_request", "La clínica confirmó la atención.");
    await world.bff.advance(DAY_MS);
    // A collection that resumes is announced first.
    expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual(["scheduled day_45", []]);
    expect((await clinic.mails()).filter((subject) => subject.endsWith("haremos el segundo cobro"))).toHaveLength(1);
    await world.bff.advance(4 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
    expect(await insurersClaims(hash)).toHaveLength(1);
    expect((await clinic.mailTexts(ANSWERED))[0]).toContain("termina el bloqueo de tus datos");
  });

  describe("while the data is blocked", () => {
    const HOUR_MS = 60 * MINUTE_MS;
    const block = async (held: Awaited<ReturnType<typeof opened>>) => {
      const request = { kind: "blocking", words: "No reconozco esta atención." };
      expect((await call("makeRightsRequest", { ...held, request })).status).toBe(200);
    };
    const answer = () => resolve("refuse_request", "La clínica confirmó la atención.");

    test("a later charge that never arrived is not repeated; it is made once, after the answer", async () => {
      await clinic.register(RUT);
      const hash = await clinic.paidOrder({ rut: RUT });
      const held = await opened();
      await clinic.fault("card-processor", "charge", "fail_before");
      await clinic.approve(hash);
      await world.bff.runDue();
      expect(await clinic.collectionStatus(hash)).toBe("processing approved");
      await block(held);
      await world.bff.advance(2 * HOUR_MS);
      expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual([
        "scheduled approved",
        ["failed"],
      ]);
      await world.bff.advance(3 * DAY_MS);
      expect(await clinic.tries(hash)).toEqual(["failed"]);
      await answer();
      await world.bff.advance(DAY_MS);
      expect(await clinic.tries(hash)).toEqual(["failed"]);
      expect((await clinic.mails()).some((subject) => subject.endsWith("haremos el segundo cobro"))).toBe(true);
      await world.bff.advance(2 * DAY_MS);
      expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual([
        "collected approved",
        ["failed", "captured"],
      ]);
    });

    test("a later charge that the patient requests is made even if its first call never arrived", async () => {
      await clinic.register(RUT);
      const hash = await clinic.paidOrder({ rut: RUT });
      await world.bff.runDue();
      await block(await opened());
      await clinic.fault("card-processor", "charge", "fail_before");
      const pay = { provider: clinic.clinic.provider, key: clinic.key(hash), now: now() };
      expect(await payEarly(world.collection, pay)).toEqual({ outcome: "processing" });
      await world.bff.advance(MINUTE_MS);
      expect(await clinic.tries(hash)).toEqual(["captured"]);
    });

    test("a claim whose call never arrived is not filed, nor the insurer queried; it is filed once, after the answer", async () => {
      await clinic.register(RUT);
      const hash = await clinic.paidOrder({ rut: RUT });
      const held = await opened();
      await clinic.fault("insurer", "fileClaim", "fail_before");
      await clinic.submitReceipt(hash, RUT);
      await world.bff.runDue();
      expect(await claimsOf(hash)).toEqual([{ state: "filing", reason: null }]);
      await block(held);
      const asked = vi.spyOn(world.bff.context.parties.insurer, "inquireFiling");
      await world.bff.advance(3 * DAY_MS);
      expect(await insurersClaims(hash)).toEqual([]);
      expect(asked.mock.calls.filter(([{ providerId }]) => providerId === clinic.clinic.provider.id)).toEqual([]);
      await answer();
      await world.bff.advance(DAY_MS);
      expect(await claimsOf(hash)).toEqual([{ state: "filed", reason: null }]);
      expect(await insurersClaims(hash)).toHaveLength(1);
    });

    test("a withdrawal whose only effect is on a waiting claim is audited too", async () => {
      await clinic.register(RUT);
      const hash = await clinic.paidOrder({ rut: RUT });
      const held = await opened();
      const withdraw = () => call("withdrawConsent", { ...held, purpose: "claim_mandate" });
      await withdraw();
      await block(held);
      await clinic.submitReceipt(hash, RUT);
      await world.bff.runDue();
      expect(await claimsOf(hash)).toEqual([{ state: "ready", reason: null }]);
      expect((await withdraw()).body.effects).toContain("open_claims_stopped");
      expect(await claimsOf(hash)).toEqual([{ state: "stopped", reason: "mandate_withdrawn" }]);
      const acts = (await ownActs()).map(([act]) => act);
      expect(acts.filter((act) => act === "patient_data.consent_withdrawn")).toHaveLength(2);
    });

    test("a claim is not filed if the data is blocked while the insurer is queried about the lost call", async () => {
      await clinic.register(RUT);
      const hash = await clinic.paidOrder({ rut: RUT });
      const held = await opened();
      await clinic.fault("insurer", "fileClaim", "fail_before");
      await clinic.submitReceipt(hash, RUT);
      await world.bff.runDue();
      const { insurer } = world.bff.context.parties;
      vi.spyOn(insurer, "inquireFiling").mockImplementationOnce(async () => {
        await block(held);
        return { outcome: "not_found" };
      });
      await world.bff.advance(2 * DAY_MS);
      expect(await insurersClaims(hash)).toEqual([]);
      await answer();
      await world.bff.advance(DAY_MS);
      expect(await insurersClaims(hash)).toHaveLength(1);
    });

    test("the insurer's answer about a claim is discarded if the data is blocked meanwhile, and heard after the answer", async () => {
      const rut = PATIENTS.approvedAfter5Days;
      const hash = await clinic.claimedOrder(rut);
      await advanceToPollOfApproval(hash, 5 * DAY_MS);
      const held = await opened(rut);
      meanwhile("inquireClaim", () => block(held));
      await world.bff.advance(HOUR_MS);
      expect([await claimsOf(hash), await clinic.collectionStatus(hash)]).toEqual([
        [{ state: "filed", reason: null }],
        "scheduled null",
      ]);
      await answer();
      await world.bff.advance(2 * DAY_MS);
      expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    });

    test("a filed claim is not polled for weeks; its access is sent again before the first poll", async () => {
      const rut = PATIENTS.approvedOnDay12;
      const hash = await clinic.claimedOrder(rut);
      await world.bff.advance(DAY_MS);
      const held = await opened(rut);
      await block(held);
      await world.bff.advance(8 * DAY_MS);
      // The insurer calls back meanwhile. No poll follows, and the time of the last poll stays.
      const settled = { as: clinic.clinic, params: { hash }, body: { outcome: "unblock", callback: true } };
      expect((await world.bff.callOrderApi(sandboxEndpoints.settleSandboxClaim, settled)).status).toBe(200);
      await world.bff.advance(DAY_MS);
      await answer();
      await world.bff.advance(2 * HOUR_MS);
      await world.bff.advance(DAY_MS);
      expect([await claimsOf(hash), (await clinic.read(hash)).expense?.status]).toEqual([
        [{ state: "filed", reason: null }],
        "filed",
      ]);
      await world.bff.advance(3 * DAY_MS);
      expect(await clinic.mailTexts("No podemos entrar a tu isapre")).toEqual([]);
      expect([await clinic.collectionStatus(hash), await insurersClaims(hash)]).toEqual([
        "collected approved",
        [expect.anything()],
      ]);
    });

    test("blocked access does not count for an unfiled claim: its days start over after the answer", async () => {
      const rut = PATIENTS.blockedAtOnce;
      const hash = await clinic.claimedOrder(rut);
      await block(await opened(rut));
      await world.bff.advance(5 * DAY_MS);
      await answer();
      await world.bff.advance(DAY_MS);
      expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
      const claims = db().selectFrom("claims").select(["state", "blocked_since"]);
      const [claim] = await claims.where("order_id", "=", clinic.key(hash).orderId).execute();
      expect(claim?.state).toBe("access_blocked");
      expect(now().getTime() - present(claim?.blocked_since).getTime()).toBeLessThan(DAY_MS);
      expect(await clinic.mailTexts("No podemos entrar a tu isapre")).toHaveLength(2);
      await world.bff.advance(3 * DAY_MS);
      expect(await clinic.collectionStatus(hash)).toBe("collected access_blocked");
    });

    test("access given for a filed claim is sent after the answer, and the insurer is not polled before", async () => {
      const rut = PATIENTS.blockedOnDay2;
      const hash = await clinic.claimedOrder(rut);
      await world.bff.advance(2 * DAY_MS);
      expect((await clinic.read(hash)).expense?.status).toBe("access_blocked");
      await block(await opened(rut));
      const asked = vi.spyOn(world.bff.context.parties.insurer, "inquireFiling");
      await clinic.giveAccessAgain(rut);
      await world.bff.advance(5 * DAY_MS);
      expect(await accessRenewedAt(hash)).toBeNull();
      expect(asked.mock.calls.filter(([{ providerId }]) => providerId === clinic.clinic.provider.id)).toEqual([]);
      await answer();
      await world.bff.advance(2 * DAY_MS);
      expect(await accessRenewedAt(hash)).toEqual(expect.any(Date));
      await world.bff.advance(6 * DAY_MS);
      expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    });

    test("access is sent after the answer even if the data is blocked while the insurer is queried about it", async () => {
      const rut = PATIENTS.blockedOnDay2;
      const hash = await clinic.claimedOrder(rut);
      await world.bff.advance(2 * DAY_MS);
      const held = await opened(rut);
      vi.spyOn(world.bff.context.parties.insurer, "inquireFiling").mockImplementationOnce(async () => {
        await block(held);
        return { outcome: "not_found" };
      });
      await clinic.giveAccessAgain(rut);
      await world.bff.advance(DAY_MS);
      expect(await accessRenewedAt(hash)).toBeNull();
      await answer();
      await world.bff.advance(DAY_MS);
      expect(await accessRenewedAt(hash)).toEqual(expect.any(Date));
    });
  });

  test("review of a refused credit: accepted only for the patient's own order with a refused credit", async () => {
    const rut = ORDER_PATIENTS.creditRefused;
    await clinic.register(rut);
    const hash = await clinic.readyOrder({ rut });
    const review = { kind: "credit_review", order_token: hash, words: "El atraso que aparece no es mío." };
    expect((await ask(review, rut)).body.code).toBe("order_not_found");
    expect((await clinic.pay(hash)).body.code).toBe("credit_declined");
    expect((await ask(review, rut)).status).toBe(200);
    await resolve("refuse_request", "La financiera mantiene su decisión.");
    const { requests } = (await call("readPatientData", await opened(rut))).body;
    expect(requests).toMatchObject([{ kind: "credit_review", about: hash, status: "refused" }]);
  });

  test("an erasure includes the documents of requests, and ends a blocking", async () => {
    await clinic.register(RUT);
    await ask({ kind: "blocking", words: "No reconozco esta atención." });
    expect(await listed()).toHaveLength(1);
    await call("eraseData", await opened());
    expect(await listed()).toEqual([]);
    expect((await beneficiaries()).map(({ blocked_at }) => blocked_at)).toEqual([null]);
  });
});
