import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reportOtherConnectors } from "../../../src/app/other-connectors.ts";
import type { PartyName } from "../../../src/app/party-connectors.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  UNRECONCILED,
} from "../after-paid/after-paid-world.ts";
import { type FaultyConnector, startFaultyConnector } from "./faulty-connector.ts";

/*
 * The process dies between a call that moves money and its answer, and starts again with another connector. That
 * connector knows no earlier key: every inquiry is answered `not_found`, and every call would move the money again.
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
async function withOtherConnector(
  party: PartyName,
  run: (bff: TestBff, log: readonly string[]) => Promise<void>,
): Promise<void> {
  const log: string[] = [];
  const connector = { baseUrl: other.url, token: "a-token-of-the-other" };
  const bff = await startBff({
    database: world.bff.database,
    now: new Date(world.bff.clock.now().getTime() + HOUR_MS),
    callsOverNetwork: true,
    partyConnectors: { [party]: connector },
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
