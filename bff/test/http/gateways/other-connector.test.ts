import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reportOtherConnectors } from "../../../src/app/other-connectors.ts";
import type { PartyName } from "../../../src/app/party-connectors.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { type StartOptions, startBff, type TestBff } from "../../start-bff.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  PATIENTS,
  UNRECONCILED,
} from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";
import { type FaultyConnector, startFaultyConnector } from "./faulty-connector.ts";

/*
 * The process dies between a call that must happen once and its answer, and starts again with another connector. That
 * connector knows no earlier key: every inquiry is answered `not_found`, and every call would move the money, file the
 * claim or issue the document again.
 */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => UNRECONCILED }, (beginning) => {
  ({ world, clinic } = beginning);
});

const PERFORMED = {
  "/bank/transfer": { outcome: "sent", transferId: "again", amount: 38_800 },
  "/card-processor/charge": { outcome: "captured", chargeId: "again", amount: 12_000 },
  "/card-processor/return": { outcome: "returned", returnId: "again", amount: 12_000 },
  "/financing-provider/authorise-loan": { outcome: "authorised", loanId: "again" },
  "/financing-provider/confirm-loan": { outcome: "confirmed" },
  "/financing-provider/reduce-loan": { outcome: "reduced", remaining: 0 },
  "/insurer/file-claim": { outcome: "filed", claimId: "again" },
  "/tax-documents/issue": { outcome: "issued", number: "99", url: "https://issuer.example/99" },
} as const;

let other: FaultyConnector;
let received: string[] = [];
beforeAll(async () => {
  other = await startFaultyConnector("", async ({ path, key }) => {
    if (key === "") return { status: 200, body: { items: [], next: null } };
    received.push(`${path} ${key}`);
    const body = path.endsWith("/inquiry") ? { outcome: "not_found" } : PERFORMED[path as keyof typeof PERFORMED];
    return { status: 200, body };
  });
});
beforeEach(async () => {
  received = [];
  await reportOtherConnectors(world.bff.context);
});
afterAll(() => other.close());

/** The service, started again with the other connector for a party. Ends after `run`. */
function withOtherConnector(party: PartyName, run: Parameters<typeof startedWith>[1]): Promise<void> {
  const connector = { baseUrl: other.url, token: "a-token-of-the-other" };
  return startedWith({ callsOverNetwork: true, partyConnectors: { [party]: connector } }, run);
}

async function startedWith(
  options: StartOptions,
  run: (bff: TestBff, log: readonly string[]) => Promise<void>,
): Promise<void> {
  const log: string[] = [];
  const bff = await startBff({
    ...options,
    database: world.bff.database,
    files: world.bff.files,
    now: new Date(world.bff.clock.now().getTime() + HOUR_MS),
    logger: createLogger({ level: "warn", destination: { write: (line) => log.push(line) } }),
    ...UNRECONCILED,
  });
  try {
    await reportOtherConnectors(bff.context);
    await run(bff, log);
  } finally {
    await bff.close();
  }
}

const refunded = async () => {
  const hash = await clinic.justPaid();
  await clinic.fault("card-processor", "returnCharge", "kill_after");
  return hash;
};

/** Calls that move money, each with what makes it while the process dies. */
const CALLS = [
  {
    name: "a payout",
    of: "payout",
    path: "/bank/transfer",
    die: async () => {
      await clinic.agreeOnPayouts();
      await clinic.justPaid();
      await clinic.fault("bank", ["transfer", "inquireTransfer"], "kill_after", 1_000);
      await world.bff.advance(DAY_MS);
    },
  },
  {
    name: "a first charge",
    of: "payment",
    path: "/card-processor/charge",
    die: async () => {
      const hash = await clinic.readyOrder({ card: LATER.captured });
      await clinic.fault("card-processor", "charge", "kill_after");
      await clinic.pay(hash).catch(() => undefined);
    },
  },
  {
    name: "a later charge",
    of: "collection",
    path: "/card-processor/charge",
    die: async () => {
      const hash = await clinic.justPaid();
      await clinic.fault("card-processor", "charge", "kill_after");
      await clinic.approve(hash);
      await world.bff.runDue();
    },
  },
  {
    name: "a return to the card",
    of: "refund",
    path: "/card-processor/return",
    die: async () => void (await clinic.refund(await refunded()).catch(() => undefined)),
  },
  {
    name: "a loan",
    of: "payment",
    path: "/financing-provider/authorise-loan",
    die: async () => {
      const hash = await clinic.readyOrder({ card: LATER.captured });
      await clinic.fault("financing-provider", "authoriseLoan", "kill_after");
      await clinic.pay(hash).catch(() => undefined);
    },
  },
  {
    name: "a loan's reduction",
    of: "refund",
    path: "/financing-provider/reduce-loan",
    die: async () => {
      const hash = await clinic.justPaid();
      await clinic.fault("financing-provider", "reduceLoan", "kill_after");
      await clinic.refund(hash).catch(() => undefined);
    },
  },
] as const;

describe.each(CALLS)("$name whose process died before the answer", ({ of, path, die }) => {
  test("is neither sent to another connector nor asked about there, until an operator or the first one settles it", async () => {
    await die();
    const party = path.split("/")[1] as PartyName;
    await withOtherConnector(party, async (bff, log) => {
      expect(log.filter((line) => line.includes("outside.connector_changed"))).toHaveLength(1);
      await bff.advance(7 * HOUR_MS);
      world.bff.clock.set(bff.clock.now());
      const taken = { kind: "outcome_unknown", facts: { of, connector: "sandbox" } };
      expect(await clinic.exceptions()).toMatchObject([taken]);
      if (party !== "financing-provider") {
        const actor = `operator:${clinic.clinic.provider.id}`;
        await clinic.operatorDoes("outcome_unknown", "portal_done", "PT-1 in the portal", undefined, actor);
        await bff.runDue();
        expect(await clinic.exceptions()).toEqual([]);
      }
      expect(received).toEqual([]);
    });
    await reportOtherConnectors(world.bff.context);
    await clinic.fault("bank", [], "fail_before");
    world.bff.clock.set(new Date(world.bff.clock.now().getTime() + 2 * HOUR_MS));
    await world.bff.runDue();
    expect(await clinic.exceptions()).toEqual([]);
  });
});

describe.each(CALLS.filter(({ name }) => name.endsWith("charge")))(
  "$name in flight that an earlier version stored",
  ({ of, die }) => {
    test("belongs to the connector of its next inquiry", async () => {
      await die();
      const { db } = world.bff.database;
      await sql`update payment_attempts set processor_connector = null, lender_connector = null`.execute(db);
      await sql`update collection_attempts set connector = null`.execute(db);
      await clinic.fault("card-processor", "inquireCharge", "fail_before", 1_000);
      await world.bff.advance(HOUR_MS);
      await withOtherConnector("card-processor", async (bff) => {
        await bff.advance(7 * HOUR_MS);
        world.bff.clock.set(bff.clock.now());
        expect(await clinic.exceptions()).toMatchObject([{ facts: { of, connector: "sandbox" } }]);
        expect(received).toEqual([]);
      });
      await clinic.fault("card-processor", [], "fail_before");
      await world.bff.advance(7 * HOUR_MS);
      expect(await clinic.exceptions()).toEqual([]);
    });
  },
);

test("a process that starts with another connector logs how many calls an operator has to settle", async () => {
  const hash = await clinic.justPaid();
  await clinic.fault("financing-provider", "reduceLoan", "kill_after");
  await clinic.refund(hash).catch(() => undefined);
  await withOtherConnector("financing-provider", async (_bff, log) => {
    const found = log.map((line) => JSON.parse(line)).filter(({ event }) => event === "outside.calls_elsewhere");
    expect(found).toMatchObject([{ kind: "refund", connector: "sandbox", count: 1 }]);
  });
});

describe("another connector of the isapres", () => {
  const file = async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
    return { hash, claimOf: async () => present(await clinic.claim(hash)) };
  };
  const fileAndDie = async () => {
    await clinic.fault("insurer", "fileClaim", "kill_after");
    return file();
  };

  test("does not file a claim whose filing was interrupted, which ends as the first one's portal shows", async () => {
    const { claimOf } = await fileAndDie();
    await withOtherConnector("insurer", async (bff) => {
      await bff.advance(7 * HOUR_MS);
      world.bff.clock.set(bff.clock.now());
      const facts = { of: "filing", connector: "sandbox" };
      expect(await clinic.exceptions()).toMatchObject([{ kind: "outcome_unknown", facts }]);
      await clinic.operatorDoes("outcome_unknown", "portal_done", "SOL-77 in the portal");
      await bff.runDue();
      const filed = { state: "filed", connector: "by-hand", insurerClaimId: expect.stringMatching(/^\w+:SOL-77$/) };
      expect(await claimOf()).toMatchObject(filed);
      await bff.advance(DAY_MS);
      world.bff.clock.set(bff.clock.now());
      const waiting = { insurer_claim_id: "SOL-77" };
      expect(await clinic.exceptions()).toMatchObject([{ kind: "claim_to_answer", facts: waiting }]);
      await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "prestación sin cobertura");
      await bff.runDue();
      expect(await claimOf()).toMatchObject({ state: "rejected", reason: "prestación sin cobertura" });
      expect(received).toEqual([]);
    });
  });

  test("has no part in a claim that only the portal shows: operators enter the answer of the isapre", async () => {
    const { claimOf } = await fileAndDie();
    const { updatedAt: calledAt } = await claimOf();
    await clinic.fault("insurer", "inquireFiling", "fail_before", 1_000);
    await world.bff.advance(2 * DAY_MS);
    await clinic.operatorDoes("outcome_unknown", "portal_done", "2026/77 in the portal");
    await clinic.fault("insurer", [], "fail_before");
    await world.bff.runDue();
    // It was filed by the call, and not when the operator read the portal.
    expect(await claimOf()).toMatchObject({ state: "filed", filedAt: calledAt });
    expect(await clinic.exceptions()).toMatchObject([
      { kind: "claim_to_answer", facts: { insurer_claim_id: "2026/77" } },
    ]);
    await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "prestación sin cobertura");
    await world.bff.runDue();
    expect(await claimOf()).toMatchObject({ state: "rejected", connector: "by-hand", attempt: 1 });
  });

  test("does not mix up the answers to two claims that have the same number at two isapres, once it is gone", async () => {
    const { db } = world.bff.database;
    const hashes: string[] = [];
    for (const [rut, insurer] of [
      [PATIENTS.neverAnswered, "colmena"],
      [PATIENTS.rejected, "consalud"],
    ] as const) {
      const hash = await clinic.claimedOrder(rut);
      const { id, beneficiaryId } = present(await clinic.claim(hash));
      const gone = { insurer_claim_id: "a:2024:1", connector: "https://gone.example" };
      await db.updateTable("claims").set(gone).where("id", "=", id).execute();
      await db.updateTable("beneficiaries").set({ insurer }).where("id", "=", beneficiaryId).execute();
      hashes.push(hash);
    }
    const answers = async () => {
      await world.bff.runDue();
      const found = await Promise.all(hashes.map(async (hash) => present(await clinic.claim(hash))));
      return found.map(({ reason }) => `${reason}`).toSorted();
    };
    await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "sin cobertura");
    expect(await answers()).toEqual(["null", "sin cobertura"]);
    await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "fuera de plazo");
    expect(await answers()).toEqual(["fuera de plazo", "sin cobertura"]);
  });

  test("files a claim that the first one's portal does not show, under another key", async () => {
    const { claimOf } = await fileAndDie();
    await withOtherConnector("insurer", async (bff) => {
      await bff.advance(7 * HOUR_MS);
      world.bff.clock.set(bff.clock.now());
      await clinic.operatorDoes("outcome_unknown", "portal_not_done", "not in the portal");
      await bff.advance(HOUR_MS);
      const { id, state } = await claimOf();
      expect([state, received[0]]).toEqual(["filed", `/insurer/file-claim ${id}:2`]);
    });
  });

  test("leaves a claim to the first one, which files it once when it is configured again", async () => {
    const { hash, claimOf } = await fileAndDie();
    await withOtherConnector("insurer", (bff) => bff.advance(7 * HOUR_MS));
    await reportOtherConnectors(world.bff.context);
    world.bff.clock.advance(9 * HOUR_MS);
    await world.bff.runDue();
    expect(await claimOf()).toMatchObject({ state: "filed", connector: "sandbox", attempt: 1 });
    const filed = world.bff.database.db.selectFrom("sandbox_claims").select("order_hash");
    expect(await filed.where("order_hash", "=", clinic.key(hash).orderId).execute()).toHaveLength(1);
    expect(received).toEqual([]);
  });

  test("leaves the claims in the queue to operators, who finish them", async () => {
    const hash = await clinic.justPaid();
    const { rut } = (await clinic.order(hash)).customer;
    await clinic.register(rut, undefined, "not_given");
    await startedWith({ environment: { INSURER: "by-hand" } }, async (bff) => {
      await clinic.submitReceipt(hash, rut);
      await bff.runDue();
    });
    await reportOtherConnectors(world.bff.context);
    world.bff.clock.advance(2 * HOUR_MS);
    await world.bff.runDue();
    expect((await clinic.exceptions()).map(({ kind }) => kind)).toEqual(["claim_to_file"]);
    await clinic.operatorDoes("claim_to_file", "filed_by_hand", "2026-1");
    await world.bff.runDue();
    await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "prestación sin cobertura");
    await world.bff.runDue();
    expect(await clinic.claim(hash)).toMatchObject({ state: "rejected", connector: "by-hand", attempt: 1 });
  });

  test("is not asked for the answer to its claims once operators file the new ones, who enter it", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.rejected);
    await startedWith({ environment: { INSURER: "by-hand" }, callsOverNetwork: true }, async (bff) => {
      await reportOtherConnectors(bff.context);
      await bff.advance(10 * DAY_MS);
      world.bff.clock.set(bff.clock.now());
      expect(await clinic.exceptions()).toMatchObject([{ kind: "claim_to_answer", facts: { connector: "sandbox" } }]);
      await clinic.operatorDoes("claim_to_answer", "isapre_rejected", "sin cobertura");
      await bff.runDue();
      expect(await clinic.claim(hash)).toMatchObject({ state: "rejected", reason: "sin cobertura" });
    });
  });

  test("keeps its claims when operators file the new ones, and finishes them", async () => {
    const { claimOf } = await fileAndDie();
    await startedWith(
      { environment: { INSURER: "by-hand" }, callsOverNetwork: true, partyConnectors: {} },
      async (bff) => {
        await reportOtherConnectors(bff.context);
        await clinic.fault("insurer", "inquireFiling", "fail_before", 1_000);
        await bff.advance(7 * HOUR_MS);
        world.bff.clock.set(bff.clock.now());
        expect(await clinic.exceptions()).toMatchObject([{ facts: { of: "filing", connector: "sandbox" } }]);
        await clinic.fault("insurer", [], "fail_before");
        await bff.advance(HOUR_MS);
        expect(await claimOf()).toMatchObject({ state: "filed", connector: "sandbox", attempt: 1 });
      },
    );
  });
});

test("a tax document whose request was interrupted is issued by another connector only after the portal was read", async () => {
  const hash = await clinic.justPaid();
  await clinic.fault("tax-documents", "issueDocument", "kill_after");
  await clinic.approve(hash);
  await world.bff.runDue();
  await withOtherConnector("tax-documents", async (bff) => {
    await bff.advance(25 * HOUR_MS);
    world.bff.clock.set(bff.clock.now());
    const facts = { document: "boleta", why: "no_answer", connector: "sandbox" };
    expect(await clinic.exceptions()).toMatchObject([{ kind: "tax_document_missing", facts }]);
    expect(received).toEqual([]);
    await clinic.operatorDoes("tax_document_missing", "portal_not_done", "not in the portal");
    await bff.runDue();
    expect(received).toEqual([]);
    await bff.advance(HOUR_MS);
    expect((await clinic.read(hash)).tax_documents).toMatchObject([{ kind: "boleta", number: "99" }]);
    expect(received).toEqual([expect.stringMatching(/^\/tax-documents\/issue .+:boleta:2$/)]);
  });
});

test("a tax document is issued once by its first connector after a change there and back", async () => {
  const hash = await clinic.justPaid();
  await clinic.fault("tax-documents", "issueDocument", "kill_after");
  await clinic.approve(hash);
  await world.bff.runDue();
  await withOtherConnector("tax-documents", (bff) => bff.advance(2 * HOUR_MS));
  world.bff.clock.advance(4 * HOUR_MS);
  await world.bff.runDue();
  expect((await clinic.read(hash)).tax_documents).toMatchObject([{ kind: "boleta", number: "1" }]);
  expect(received).toEqual([]);
});
