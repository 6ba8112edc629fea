/**
 * In the short check: bff/test/http/operations/operations.test.ts:
 * is listed with its reason, accepts an operator's retry with an audit row, and is listed again afterwards.
 *
 * @module-tag long
 */
import { expect, onTestFinished, test } from "vitest";
import { SANDBOX_BANK_ACCOUNT } from "../../../sandbox/bank-account.ts";
import { CLAIM_WAITING_DAYS_MAX } from "../../../src/contract/terms.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/errors.ts";
import { setWebhook } from "../../../src/webhooks/endpoints.ts";
import { startBff } from "../../start-bff.ts";
import { troubledDatabase } from "../../troubled-database.ts";
import { accept, startReceiver } from "../../webhook-receiver.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  PATIENTS,
  START,
} from "../after-paid/after-paid-world.ts";
import { auditRows } from "../audit-of.ts";
import { CARDS, present } from "../orders/orders-world.ts";
import { type ConsoleBrowser, signedIn } from "./console-browser.ts";

/*
 * Ten incidents of a first month, each found and resolved with the console alone. The results are read from the tables
 * and the outside parties, not from a page.
 */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START }, (beginning) => {
  ({ world, clinic } = beginning);
});

const advance = (milliseconds: number) => world.bff.advance(milliseconds);
const providerId = () => clinic.clinic.provider.id;
const path = (name: string) => `/exceptions/${encodeURIComponent(name)}`;

/** Opens the start page, which lists the waiting exceptions, and then the only exception of the kind at this clinic. */
async function find(browser: ConsoleBrowser, kind: string) {
  const waiting = (await browser.read("/")).exceptions;
  expect(waiting.map((one: { kind: string }) => one.kind)).toContain(kind);
  const { exceptions } = await browser.read(`/exceptions?kind=${kind}&provider_id=${providerId()}`);
  expect(exceptions).toHaveLength(1);
  return exceptions[0];
}

async function settle(
  browser: ConsoleBrowser,
  kind: string,
  form: { readonly resolution: string; readonly amount?: string },
) {
  const { exception } = await find(browser, kind);
  const answer = await browser.send(`${path(exception)}/resolve`, { note: "as the runbook says", ...form });
  expect([kind, answer.status, answer.text.includes("Hecho")]).toEqual([kind, 200, true]);
  // The order shows the result.
  expect(answer.text).toContain("Ver la orden");
}

/** The acts of an operator on the console for this clinic, from the audit trail. */
const didOf = async (name: string) =>
  (
    await auditRows(world.bff.database.db)
      .where("actor", "=", `operator:${name}`)
      .where("provider_id", "=", providerId())
      .execute()
  ).map(({ act, subject_id, details }) => [act, subject_id, details]);

const left = async (browser: ConsoleBrowser) =>
  (await browser.read(`/exceptions?provider_id=${providerId()}`)).exceptions
    .map(({ kind }: { kind: string }) => kind)
    .filter((kind: string) => kind !== "receipt_missing");

test("1, a stuck payment: its order shows its wait and next inquiry, and an inquiry ends it", async () => {
  await clinic.fault("card-processor", "inquireCharge", "fail_before", 1_000);
  const hash = await clinic.readyOrder({ card: CARDS.answerLost });
  await clinic.pay(hash);
  const alba = await signedIn(world.bff, "alba", "support");
  await advance(5 * MINUTE_MS);
  const { exceptions, open_outcomes: open } = await alba.read("/");
  expect(exceptions.map(({ kind }: { kind: string }) => kind)).not.toContain("outcome_unknown");
  expect(open).toEqual([{ of: "payment", count: 1, oldest_seconds: expect.closeTo(300, -2) }]);
  expect((await alba.open("/")).text).toMatch(/Llamadas cuyo resultado no se conoce.*1, la más antigua hace 5 min/s);
  await advance(7 * HOUR_MS);
  const camila = await signedIn(world.bff, "sol", "support");
  const exception = await find(camila, "outcome_unknown");
  expect((await camila.open(path(exception.exception))).text).toContain(
    "procesador de tarjetas o financista (<code>payment</code>)",
  );
  const { waits, next } = await camila.read(`/orders/${exception.order_hash}`);
  expect(waits.map(({ what }: { what: string }) => what)).toContain("waits.payment");
  expect(next.map(({ what }: { what: string }) => what)).toContain("payment.settle");
  await clinic.fault("card-processor", "inquireCharge", "fail_before", 0);
  await settle(camila, "outcome_unknown", { resolution: "ask_again" });
  await world.bff.runDue();
  expect([(await camila.read(`/orders/${hash}`)).state, await left(camila)]).toEqual(["paid", []]);
});

test("2, a later charge whose outcome is unknown: the operator's inquiry settles it", async () => {
  const hash = await clinic.justPaid();
  await clinic.fault("card-processor", "charge", "fail_before", 1_000);
  await clinic.approve(hash);
  await advance(7 * HOUR_MS);
  const camila = await signedIn(world.bff, "camila", "finance");
  await clinic.fault("card-processor", "charge", "fail_before", 0);
  await settle(camila, "outcome_unknown", { resolution: "ask_again" });
  await world.bff.runDue();
  expect([await clinic.collectionStatus(hash), await left(camila)]).toEqual(["collected approved", []]);
});

test("3, a receiver that was down for days: events that failed since are sent again", async () => {
  const receiver = await startReceiver(world.bff.clock);
  onTestFinished(() => receiver.close());
  const { guardedFetch } = world.bff.context.console;
  await setWebhook(
    { ...world.bff.context, db: world.bff.database.db, guardedFetch, actor: "operator:camila" },
    { providerId: providerId(), url: receiver.url },
  );
  receiver.behave((response) => void response.writeHead(500).end());
  const hash = await clinic.justPaid();
  await advance(5 * DAY_MS);
  const camila = await signedIn(world.bff, "sol", "support");
  const { webhooks } = await camila.read(`/clinics/${providerId()}`);
  expect(webhooks[0].failing_since).not.toBeNull();
  const address = `/clinics/${providerId()}/webhooks/${webhooks[0].id}`;
  expect((await camila.open(address)).text).toMatch(/name="since"[^>]*value="2026-11-2\d"/);
  const failed = (await camila.read(`${address}?status=failed`)).deliveries;
  expect(
    failed.map(({ event, order_hash }: { event: string; order_hash: string }) => [event, order_hash]),
  ).toContainEqual(["order.paid", hash]);
  receiver.behave(accept);
  receiver.received.length = 0;
  const answer = await camila.send(`${address}/replay`, { since: "2026-11-20" });
  expect(await didOf("sol")).toEqual([["webhook_endpoint.replayed", webhooks[0].id, {}]]);
  expect(answer.text).toContain(failed.length === 1 ? "1 envío quedó" : `${failed.length} envíos quedaron`);
  await world.bff.runDue();
  expect(receiver.received.map(({ body }) => body.event)).toContain("order.paid");
  expect((await camila.read(`${address}?status=failed`)).deliveries).toEqual([]);
});

test("4, a clinic's closed account: two operators confirm another one, which is then paid", async () => {
  const closed = { ...SANDBOX_BANK_ACCOUNT, account_number: "1000000002" };
  await clinic.agreeOnPayouts(closed.account_number);
  await clinic.justPaid();
  await advance(2 * DAY_MS);
  const camila = await signedIn(world.bff, "camila", "finance");
  const refused = await find(camila, "payout_refused");
  const page = (await camila.open(path(refused.exception))).text;
  expect(page).toContain(`href="/clinics/${providerId()}#account"`);
  const open = { ...SANDBOX_BANK_ACCOUNT, account_number: "0011223344" };
  const changed = await camila.send(`/clinics/${providerId()}/account`, open);
  expect([changed.status, changed.text.includes("terminada en 3344")]).toEqual([200, true]);
  // The first account was set by the same operator.
  const agreed = [
    "payout_terms.set",
    providerId(),
    { fee_basis_points: 300, fee_regime: "exempt", bank_account: "changed" },
  ];
  expect(await didOf("camila")).toEqual([agreed, agreed]);
  await advance(DAY_MS);
  const next = await signedIn(world.bff, "camila", "finance");
  const { exception } = await find(next, "payee_account_changed");
  // An operator who calls the clinic must know which account to ask about.
  expect((await next.open(path(exception))).text).toContain("terminada en 3344");
  const confirm = { resolution: "confirm_account", note: "called the number of the contract" };
  expect((await next.send(`${path(exception)}/resolve`, confirm)).text).toContain("Falta otra persona");
  const diego = await signedIn(world.bff, "diego", "finance");
  expect((await diego.send(`${path(exception)}/resolve`, confirm)).text).toContain("Hecho");
  await advance(2 * DAY_MS);
  const later = await signedIn(world.bff, "camila", "finance");
  const { payouts } = await later.read(`/clinics/${providerId()}/money?month=2026-11`);
  expect(payouts.map(({ state }: { state: string }) => state)).toEqual(["refused", "paid"]);
});

test("5, lost access to the isapre: the patient gets the link from the order's page", async () => {
  const rut = PATIENTS.neverAnswered;
  await clinic.register(rut, undefined, "not_given");
  const hash = await clinic.paidOrder({ rut });
  await clinic.submitReceipt(hash, rut);
  await advance((CLAIM_WAITING_DAYS_MAX + 1) * DAY_MS);
  const paula = await signedIn(world.bff, "paula", "support");
  const exception = await find(paula, "claim_without_access");
  const page = (await paula.open(path(exception.exception))).text;
  expect(page).toContain(`href="/orders/${exception.order_hash}#link"`);
  expect((await paula.open(`/orders/${exception.order_hash}`)).text).toContain('id="link"');
  const before = (await clinic.mails()).length;
  const sent = await paula.send(`/orders/${exception.order_hash}/links`, { purpose: "insurer_access" });
  expect([sent.status, sent.text.includes("Mandamos el enlace para dar acceso a su isapre")]).toEqual([200, true]);
  const link = { purpose: "insurer_access", widget_token: expect.any(String) };
  expect(await didOf("paula")).toContainEqual(["patient_link.sent", expect.any(String), link]);
  await world.bff.runDue();
  expect((await clinic.mails()).length).toBe(before + 1);
  await clinic.giveAccessAgain(rut);
  await advance(DAY_MS);
  expect(await left(await signedIn(world.bff, "paula", "support"))).toEqual([]);
});

test("6, a chargeback: its bearer is booked, and the collection continues", async () => {
  const hash = await clinic.justPaid();
  const { db } = world.bff.database;
  const charge = await db
    .selectFrom("sandbox_movements")
    .selectAll()
    .where("order_hash", "=", clinic.key(hash).orderId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("sandbox_movements")
    .values({ ...charge, id: `back ${charge.id}`, kind: "chargeback", idempotency_key: "none" })
    .execute();
  await advance(2 * DAY_MS);
  const camila = await signedIn(world.bff, "camila", "finance");
  await settle(camila, "collection_stopped", { resolution: "chargeback_lost" });
  await settle(camila, "collection_stopped", { resolution: "release" });
  const { balances } = await camila.read(`/clinics/${providerId()}/money`);
  expect(balances).toContainEqual({ account: "chargeback_loss", balance: 12_000 });
  await advance(45 * DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
});

test("7, a second charge that no card pays: a transfer is booked in full", async () => {
  const hash = await clinic.justPaid(LATER.stolen);
  await clinic.approve(hash);
  await world.bff.runDue();
  const camila = await signedIn(world.bff, "camila", "finance");
  const { exception } = await find(camila, "collection_failed");
  const wrong = { resolution: "paid_otherwise", note: "statement of 24-11", amount: "30.799" };
  const answer = await camila.send(`${path(exception)}/resolve`, wrong);
  expect([answer.status, answer.text.includes(`href="${path(exception)}"`)]).toEqual([409, true]);
  await settle(camila, "collection_failed", { resolution: "paid_otherwise", amount: "30.800" });
  expect([await clinic.collectionStatus(hash), await left(camila)]).toEqual(["collected approved", []]);
});

test("8, books that do not agree: the unbooked charge is returned to its card", async () => {
  const hash = await clinic.justPaid();
  const { card, orderId } = await clinic.order(hash);
  const call = { providerId: providerId(), idempotencyKey: "a-lost-charge:charge", at: world.bff.clock.now() };
  await clinic.sandbox.cardProcessor.charge(call, {
    cardId: present(card).id,
    amount: clp(12_000),
    orderHash: orderId,
    initiator: "patient",
    authenticationId: null,
    initialChargeId: null,
  });
  await advance(DAY_MS);
  const camila = await signedIn(world.bff, "camila", "finance");
  const compared = await camila.send(`/clinics/${providerId()}/reconciliation`, {});
  expect([compared.status, compared.text.includes("charge_not_booked")]).toEqual([200, true]);
  await settle(camila, "difference", { resolution: "return_charge" });
  await advance(DAY_MS);
  const later = await signedIn(world.bff, "camila", "finance");
  expect((await later.send(`/clinics/${providerId()}/reconciliation`, {})).text).toContain("los libros cuadran");
  expect(await left(later)).toEqual([]);
});

test("9, a leaked credential: one operator revokes it, two replace it, and everything works again", async () => {
  const camila = await signedIn(world.bff, "omar");
  const ask = (secret: string) =>
    fetch(`${world.bff.orderApi}/orders`, {
      headers: { authorization: `Bearer ${secret}` },
      method: "POST",
      body: "{}",
    });
  await camila.send("/switches", { what: "charges", state: "off", provider_id: providerId() });
  expect((await camila.read("/switches")).off).toMatchObject([{ what: "charges", provider_id: providerId() }]);
  await camila.send(`/clinics/${providerId()}/credentials/revoke`, { kind: "client_secret" });
  expect((await ask(clinic.clinic.credentials.client_secret)).status).toBe(401);
  await camila.send(`/clinics/${providerId()}/credentials`, { kind: "client_secret", overlap_hours: "0" });
  const paula = await signedIn(world.bff, "paula.rojas");
  const [{ approval }] = (await paula.read("/approvals")).approvals;
  const { text } = await paula.send(`/approvals/${approval}/approve`, {});
  const [, secret = ""] = />(cs_[^<]+)</.exec(text) ?? [];
  expect((await ask(secret)).status).toBe(400);
  await camila.send("/switches", { what: "charges", state: "on", provider_id: providerId() });
  expect((await camila.read("/switches")).off).toEqual([]);
  expect((await camila.open("/audit?act=credential.rotated")).text).toContain("paula.rojas");
  expect(await didOf("omar")).toEqual([
    ["approval.requested", approval, { act: "credential.rotate", about: providerId() }],
    ["credential.revoked", providerId(), { kind: "client_secret", ended: 1 }],
    ["switch.off", "charges", {}],
    ["switch.on", "charges", {}],
  ]);
});

test("10, a database with a full disk: nothing is reported as done, and it is done once there is room", async () => {
  await clinic.approve(await clinic.justPaid(LATER.stolen));
  await world.bff.runDue();
  const { database, clock } = world.bff;
  let isFull = false;
  const db = troubledDatabase(database.db, (query) => {
    if (isFull && /"kind":"(?:Insert|Update|Delete)QueryNode"/.test(query))
      throw new DatabaseUnavailable("No space is left.");
  });
  const bff = await startBff({ database: { ...database, db }, now: clock.now() });
  onTestFinished(() => bff.close());
  const camila = await signedIn(bff, "camila", "finance");
  const { exception } = await find(camila, "collection_failed");
  isFull = true;
  const form = { resolution: "write_off", note: "as the runbook says" };
  const answer = await camila.send(`${path(exception)}/resolve`, form);
  expect([answer.status, answer.text.includes("mira si quedó hecho antes de repetirlo")]).toEqual([503, true]);
  isFull = false;
  await settle(camila, "collection_failed", { resolution: "write_off" });
});
