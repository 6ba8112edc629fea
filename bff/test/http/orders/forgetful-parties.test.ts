import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import type { PartyMemory } from "../../../sandbox/calls/sandbox-call.ts";
import { createSandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { movableClock } from "../../../src/platform/clock.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "./checkout.ts";

/** Parties that break the protocol: after a day or a week they forget what they have done. */

const DAY_MS = 24 * 60 * 60 * 1_000;
const NOW = new Date("2026-11-21T12:00:00Z");

let database: TestDatabase;
let bff: TestBff;
let checkout: Checkout;

async function start(memory: PartyMemory): Promise<void> {
  database = await openTestDatabase();
  const parties = createSandboxGateways({
    db: database.db,
    ids: systemIds,
    clock: movableClock(NOW),
    challengeOrigin: "http://127.0.0.1",
    kill: () => undefined,
    memory,
  });
  bff = await startBff({ now: NOW, database, parties: { ...parties, close: async () => undefined } });
  checkout = checkoutOf(bff);
}

async function stop(): Promise<void> {
  await bff.close();
  await database.close();
}

/** The next call of the method takes effect without an answer. A call for a list fails. */
function loseAnswer(party: "card-processor" | "financing-provider", method: string, calls = 1): Promise<void> {
  const { id } = bff.clinic.provider;
  return inTransaction(database.db, (tx) => replaceFaults(tx, id, [{ party, method, kind: "fail_after", calls }]));
}

function answerAgain(): Promise<void> {
  return inTransaction(database.db, (tx) => replaceFaults(tx, bff.clinic.provider.id, []));
}

/** An outage of the service, during which nothing runs. */
async function standStill(days: number): Promise<void> {
  bff.clock.set(new Date(bff.clock.now().getTime() + days * DAY_MS));
}

async function charges(hash: string): Promise<number> {
  const listed = await checkout.sandbox.cardProcessor.listMovements(
    bff.clinic.provider.id,
    new Date(0),
    new Date(4e12),
  );
  return listed.filter(({ kind, orderHash }) => kind === "charge" && orderHash === hash).length;
}

async function loans(hash: string): Promise<number> {
  const listed = await checkout.sandbox.financingProvider.listLoans(
    bff.clinic.provider.id,
    new Date(0),
    new Date(4e12),
  );
  return listed.filter(({ orderHash }) => orderHash === hash).length;
}

async function unpaidAfter(party: "card-processor" | "financing-provider", method: string, days: number) {
  const hash = await checkout.readyOrder();
  await loseAnswer(party, method);
  expect((await checkout.pay(hash)).body.payment).toMatchObject({ status: "processing" });
  await standStill(days);
  return hash;
}

describe("parties that forget keys after a day", () => {
  beforeAll(() => start({ keysMs: DAY_MS }));
  afterAll(stop);

  it("a charge whose answer was lost two days ago is found in the processor's list and not repeated", async () => {
    const hash = await unpaidAfter("card-processor", "charge", 2);
    await bff.runDue();
    expect([(await checkout.read(hash)).status, await charges(hash)]).toEqual(["paid", 1]);
  });

  it("a loan whose answer was lost two days ago is found in the lender's list and not requested again", async () => {
    const hash = await unpaidAfter("financing-provider", "authoriseLoan", 2);
    await bff.runDue();
    expect([(await checkout.read(hash)).status, await loans(hash)]).toEqual(["paid", 1]);
  });

  it("a charge without an answer or a list stays unknown until an operator inquires again: one charge", async () => {
    const hash = await unpaidAfter("card-processor", "charge", 2);
    await loseAnswer("card-processor", "listMovements", 9);
    await bff.advance(1_000, { failing: ["collection.daily"] });
    await answerAgain();
    expect([(await checkout.read(hash)).status, await charges(hash)]).toEqual(["pending", 1]);
    const dependencies = { ...bff.context, db: database.db, environment: "staging" as const };
    const exceptions = await listExceptions(dependencies, bff.clinic.provider.id);
    const unknown = exceptions.find(({ kind, orderId }) => kind === "outcome_unknown" && orderId === hash);
    if (unknown === undefined) return expect.unreachable("The charge is not listed.");
    const resolution = { resolution: "ask_again", note: null, actor: "operator:test" } as const;
    await resolveException(dependencies, exceptionId(unknown), resolution);
    await bff.runDue();
    expect([(await checkout.read(hash)).status, await charges(hash)]).toEqual(["paid", 1]);
  });
});

describe("parties that forget answers after a week", () => {
  beforeAll(() => start({ answersMs: 7 * DAY_MS }));
  afterAll(stop);

  it("a charge whose answer was lost eight days ago is found in the processor's list", async () => {
    const hash = await unpaidAfter("card-processor", "charge", 8);
    await bff.runDue();
    expect([(await checkout.read(hash)).status, await charges(hash)]).toEqual(["paid", 1]);
  });
});
