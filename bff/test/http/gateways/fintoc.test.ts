import { readFile } from "node:fs/promises";
import { Fintoc as FintocSdk } from "fintoc";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBodySigner } from "../../../connectors/fintoc/jws.ts";
import { PART_MAX } from "../../../connectors/fintoc/part.ts";
import { readFintocSettings } from "../../../connectors/fintoc/settings.ts";
import { findCounterparty, settlePart } from "../../../connectors/fintoc/transfer-store.ts";
import { checkConnector } from "../../../connectors/kit/check/check-connector.ts";
import { testValuesSchema } from "../../../connectors/kit/check/test-values.ts";
import { createProbe } from "../../../connectors/kit/probe.ts";
import type { FaultKind } from "../../../connectors/kit/stand-in/faults.ts";
import { transferIdOf } from "../../../connectors/kit/transfer-id.ts";
import type { BankCode } from "../../../src/contract/vocabulary/banks.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import {
  ACCOUNT_ID,
  CONNECTOR_TOKEN,
  type FintocWorld,
  PRIVATE_KEY_PEM,
  SECRET_KEY,
  startFintoc,
} from "./start-fintoc.ts";

/* The official SDK, unmodified but for the host it calls, is the oracle: the connector sends the same requests. */

let world: FintocWorld;
/** Its transfers are pending for a minute. */
let later: FintocWorld;
beforeAll(async () => {
  world = await startFintoc();
  later = await startFintoc({ pendingMs: MINUTE_MS });
});
afterAll(async () => {
  await world.stop();
  await later.stop();
});

function sdkOf(url: string): FintocSdk {
  const sdk = new FintocSdk(SECRET_KEY, PRIVATE_KEY_PEM);
  const client: unknown = Reflect.get(sdk.v2.transfers, "_client");
  Object.assign(client as object, { baseUrl: url });
  return sdk;
}

function inputOf({ amount = 25_000, number = "12345678", bankCode = "001" as BankCode | null } = {}) {
  return {
    account: {
      bank: "Banco de Chile",
      account_type: "checking" as const,
      account_number: number,
      holder_name: "Clínica de prueba",
      holder_rut: parseRut("76901112-9"),
    },
    ...(bankCode !== null && { bankCode }),
    amount: clp(amount),
    reference: "AAPD 2026-11-28",
  };
}

/** What Fintoc got from now on: its transfers, and the sum that it paid or will pay. */
function fromNow({ standIn }: FintocWorld) {
  const before = standIn.transfers().length;
  const transfers = () => standIn.transfers().slice(before);
  const isPaid = ({ status }: { status: string }) => status === "succeeded" || status === "pending";
  const paid = () =>
    transfers()
      .filter(isPaid)
      .reduce((sum, { amount }) => sum + amount, 0);
  return { transfers, paid };
}

describe("the official SDK", () => {
  it("creates, reads and lists a transfer at the stand-in, which verifies its signature", async () => {
    const sdk = sdkOf(later.standInUrl);
    const { call, bank } = later;
    const before = later.standIn.requests.length;
    const under = call();
    expect(await bank.transfer(under, inputOf())).toMatchObject({ outcome: "pending" });
    const own = later.standIn.requests.slice(before).find(({ method }) => method === "POST");
    const body = own?.body as { account_id: string; amount: number; comment: string };
    const created = await sdk.v2.transfers.create({ ...body, comment: "SDK" });
    const sent = later.standIn.requests.at(-1);
    expect(sent).toMatchObject({ method: "POST", path: own?.path });
    expect(sent?.body).toEqual({ ...body, comment: "SDK" });
    expect(created).toMatchObject({ status: "pending", amount: 25_000 });
    const listed = [];
    for await (const each of await sdk.v2.transfers.list({ account_id: ACCOUNT_ID, since: "2020-01-01" }))
      listed.push(each);
    expect(listed).toHaveLength(2);
  });
});

describe("the connector's signature", () => {
  it("is refused if the body differs by one peso, is old, or is used twice", async () => {
    await world.bank.transfer(world.call(), inputOf());
    const key = readFintocSettings(SETTINGS).party.privateKey;
    const clock = world.clock;
    const post = async (body: string, headers: Record<string, string>) =>
      (
        await fetch(`${world.standInUrl}/v2/transfers`, {
          method: "POST",
          headers: { authorization: SECRET_KEY, "idempotency-key": systemIds.uuid(), ...headers },
          body,
        })
      ).json();
    const body = JSON.stringify({ account_id: ACCOUNT_ID, amount: 1_000 });
    const headers = createBodySigner({ key, clock, ids: systemIds })(body);
    const invalid = { error: { code: "invalid_jws_signature" } };
    expect(await post(body.replace("1000", "1001"), headers)).toMatchObject(invalid);
    expect(await post(body, headers)).toMatchObject({ error: { code: "invalid_parameter" } });
    expect(await post(body, headers)).toMatchObject(invalid);
    const old = createBodySigner({
      key,
      clock: { now: () => new Date(clock.now().getTime() - HOUR_MS) },
      ids: systemIds,
    })(body);
    expect(await post(body, old)).toMatchObject(invalid);
  });
});

const SETTINGS = {
  CONNECTOR_PORT: "0",
  CONNECTOR_TOKEN,
  CONNECTOR_DATABASE_URL: "memory://",
  FINTOC_SECRET_KEY: SECRET_KEY,
  FINTOC_ACCOUNT_ID: ACCOUNT_ID,
  FINTOC_JWS_PRIVATE_KEY: PRIVATE_KEY_PEM.replaceAll("\n", "\\n"),
};

describe("the settings", () => {
  it("are refused by name, without their values", () => {
    const wrong = { ...SETTINGS, FINTOC_JWS_PRIVATE_KEY: "clave-que-no-es", FINTOC_SECRET_KEY: "pk_test_publica" };
    expect(() => readFintocSettings(wrong)).toThrow(/FINTOC_SECRET_KEY: .*\nFINTOC_JWS_PRIVATE_KEY: /);
    expect(() => readFintocSettings(wrong)).not.toThrow(/clave-que-no-es|pk_test_publica/);
  });
});

describe("the Fintoc connector", () => {
  it("passes the connector check", async () => {
    const { clock, connectorUrl } = world;
    const probe = createProbe({ baseUrl: connectorUrl, deadlineMs: 30_000, answerBytesMax: 1024 * 1024 });
    const report = await checkConnector(
      {
        ...{ probe, clock, token: CONNECTOR_TOKEN, ids: systemIds },
        values: testValuesSchema.parse({ account: inputOf().account, returned_account_number: "1000000006" }),
        wait: async (milliseconds) => clock.advance(milliseconds),
        returnWaitMs: 10 * DAY_MS,
        giveCard: null,
      },
      { url: connectorUrl, parties: ["bank"], callbacks: null, callbackWaitMs: 0 },
    );
    await probe.close();
    expect(report.findings.filter(({ result }) => result !== "passed")).toEqual([]);
    expect(report.verdict).toBe("conforms");
    expect(report.passed).toBeGreaterThan(20);
  });
});

describe("a transfer", () => {
  it("is pending until Fintoc reports its end, and is listed only then", async () => {
    const call = world.call();
    const input = inputOf({ number: "1000000005" });
    const pending = await world.bank.transfer(call, input);
    expect(pending).toMatchObject({ outcome: "pending", endsBy: new Date(call.at.getTime() + 2 * DAY_MS) });
    const range = [call.at, new Date(call.at.getTime() + DAY_MS)] as const;
    const listed = async () =>
      (await world.bank.listTransfers(call.providerId, ...range)).filter(
        ({ idempotencyKey }) => idempotencyKey === call.idempotencyKey,
      );
    expect(await listed()).toEqual([]);
    world.clock.advance(6 * HOUR_MS);
    const transferId = transferIdOf(call);
    expect(await world.bank.inquireTransfer(call)).toEqual({ outcome: "sent", transferId, amount: 25_000 });
    expect(await listed()).toMatchObject([
      { id: transferId, reference: input.reference, amount: 25_000, accountEnding: "0005", at: world.clock.now() },
    ]);
  });

  it.each([
    ["1000000001", "account_unknown"],
    ["1000000003", "holder_differs"],
    ["1000000004", "bank_unavailable"],
  ])("to the account %s is refused: %s", async (number, reason) => {
    const call = world.call();
    const refused = { outcome: "refused", reason };
    expect(await world.bank.transfer(call, inputOf({ number }))).toEqual(refused);
    expect(await world.bank.inquireTransfer(call)).toEqual(refused);
  });

  it("to a bank that Fintoc does not know is refused, and nothing is sent", async () => {
    const before = world.standIn.requests.length;
    const answer = await world.bank.transfer(world.call(), inputOf({ bankCode: null }));
    expect(answer).toEqual({ outcome: "refused", reason: "bank_unknown" });
    expect(world.standIn.requests).toHaveLength(before);
  });

  it("is reported as returned, in the list and by an inquiry, once the bank sends it back", async () => {
    const [listedCall, inquiredCall] = [world.call(), world.call()];
    for (const call of [listedCall, inquiredCall])
      expect(await world.bank.transfer(call, inputOf({ number: "1000000006" }))).toMatchObject({ outcome: "sent" });
    world.clock.advance(21 * HOUR_MS);
    const returned = { outcome: "returned", amount: 25_000, reason: "account_closed" };
    expect(await world.bank.inquireTransfer(inquiredCall)).toMatchObject(returned);
    const to = new Date(world.clock.now().getTime() + 1);
    const listed = await world.bank.listTransfers(listedCall.providerId, listedCall.at, to);
    expect(listed.filter(({ idempotencyKey }) => idempotencyKey === listedCall.idempotencyKey)).toMatchObject([
      { amount: 25_000, at: listedCall.at },
      { kind: "return", amount: 25_000, reason: "account_closed", at: world.clock.now() },
    ]);
  });

  it("leaves no account in the database once it is paid", async () => {
    const call = world.call();
    await world.bank.transfer(call, inputOf());
    expect(await findCounterparty(world.fintoc.db, transferIdOf(call))).toBeNull();
  });
});

describe("a transfer above Fintoc's limit", () => {
  const amount = 2 * PART_MAX + 1;

  it("is sent in parts, one after the other, and is one transfer in the list", async () => {
    const call = later.call();
    const input = inputOf({ amount });
    const seen = fromNow(later);
    for (const sent of [1, 2, 3]) {
      expect(await later.bank.transfer(call, input)).toMatchObject({ outcome: "pending" });
      expect(seen.transfers()).toHaveLength(sent);
      later.clock.advance(MINUTE_MS);
    }
    expect(await later.bank.inquireTransfer(call)).toMatchObject({ outcome: "sent", amount });
    expect(seen.paid()).toBe(amount);
    const to = new Date(later.clock.now().getTime() + 1);
    expect(await later.bank.listTransfers(call.providerId, call.at, to)).toMatchObject([{ amount }]);
  });

  it("pays nothing if its first part is refused", async () => {
    const seen = fromNow(world);
    const answer = await world.bank.transfer(world.call(), inputOf({ amount, number: "1000000002" }));
    expect(answer).toEqual({ outcome: "refused", reason: "account_closed" });
    expect(seen.transfers()).toHaveLength(1);
    expect(seen.paid()).toBe(0);
  });

  it("sends a failed part again until the whole is paid, or an operator paid it", async () => {
    const [call, seen] = [later.call(), fromNow(later)];
    const input = inputOf({ amount });
    await later.bank.transfer(call, input);
    later.clock.advance(MINUTE_MS);
    await later.bank.transfer(call, input);
    later.standIn.end(seen.transfers()[1]?.id ?? "", "failed", "recipient_institution_timeout");
    expect(await later.bank.inquireTransfer(call)).toMatchObject({ outcome: "pending" });
    expect(later.log.join("")).toContain("fintoc.partly_paid");
    expect(seen.transfers()).toHaveLength(2);
    later.clock.advance(HOUR_MS);
    await later.bank.inquireTransfer(call);
    expect(seen.transfers()).toHaveLength(3);
    later.standIn.end(seen.transfers()[2]?.id ?? "", "failed", "recipient_account_closed");
    await later.bank.inquireTransfer(call);
    later.clock.advance(DAY_MS);
    await later.bank.inquireTransfer(call);
    expect(seen.transfers()).toHaveLength(3);
    const name = { transferId: transferIdOf(call), part: 2 };
    const settled = { by: "ana", because: "Transferencia manual 123", at: later.clock.now() };
    expect(await settlePart(later.fintoc.db, name, settled)).toBe(true);
    expect(await later.bank.inquireTransfer(call)).toMatchObject({ outcome: "pending" });
    later.clock.advance(MINUTE_MS);
    expect(await later.bank.inquireTransfer(call)).toMatchObject({ outcome: "sent", amount });
  });
});

describe("a payout above the range of a 32-bit number", () => {
  it("is read, listed and inquired about like any other", async () => {
    const call = world.call();
    world.standIn.faults.add("list", "dropped");
    expect(await world.bank.transfer(call, inputOf({ amount: 3_000_000_000 }))).toEqual({ outcome: "unknown" });
    world.standIn.faults.add("list", "dropped");
    expect(await world.bank.inquireTransfer(call)).toEqual({ outcome: "unknown" });
    expect(await world.bank.listTransfers(call.providerId, call.at, new Date(call.at.getTime() + 1))).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ amount: 3_000_000_000 })]),
    );
  });
});

describe("an answer of Fintoc that is none", () => {
  it.each<[FaultKind, count: number]>([
    ["lost", 1],
    ["dropped", 1],
    ["error", 1],
    ["failed", 1],
    ["timed_out", 1],
    ["limited", 1],
    ["redirect", 1],
    ["html", 1],
    ["twice", 1],
  ])("(%s) pays once", async (fault, count) => {
    const call = world.call();
    const seen = fromNow(world);
    world.standIn.faults.add("create", fault);
    await world.bank.transfer(call, inputOf());
    expect(await world.bank.transfer(call, inputOf())).toMatchObject({ outcome: "sent" });
    expect(seen.transfers()).toHaveLength(count);
  });

  it("because of Fintoc's limit, to any request about a payout in parts, pays each part once", async () => {
    const seen = fromNow(world);
    const call = world.call();
    const amount = 3 * PART_MAX;
    for (const route of ["list", "create", "list", "create", "create"]) world.standIn.faults.add(route, "limited");
    for (let tries = 0; tries < 12; tries += 1) await world.bank.transfer(call, inputOf({ amount }));
    world.standIn.faults.add("read", "limited");
    expect(await world.bank.inquireTransfer(call)).toMatchObject({ outcome: "sent", amount });
    expect(seen.transfers().map((transfer) => transfer.amount)).toEqual([PART_MAX, PART_MAX, PART_MAX]);
  });

  it("about another transfer of the same amount does not count", async () => {
    const paid = later.call();
    await later.bank.transfer(paid, inputOf());
    later.clock.advance(MINUTE_MS);
    let other: unknown;
    later.standIn.faults.change("read", (body) => {
      other = body;
      return body;
    });
    expect(await later.bank.inquireTransfer(paid)).toMatchObject({ outcome: "sent" });
    expect(other).toMatchObject({ status: "succeeded", amount: 25_000 });
    const call = later.call();
    later.standIn.faults.change("create", () => other);
    expect(await later.bank.transfer(call, inputOf())).toEqual({ outcome: "unknown" });
    expect(await later.bank.transfer(call, inputOf())).toMatchObject({ outcome: "pending" });
    later.standIn.faults.change("read", () => other);
    expect(await later.bank.inquireTransfer(call)).toEqual({ outcome: "unknown" });
    expect(await later.bank.inquireTransfer(call)).toMatchObject({ outcome: "pending" });
  });

  it("about the return of another transfer leaves this one paid", async () => {
    const [paid, back] = [world.call(), world.call()];
    const seen = fromNow(world);
    for (const call of [paid, back]) await world.bank.transfer(call, inputOf());
    world.standIn.end(seen.transfers()[1]?.id ?? "", "returned", "account_closed");
    let other: unknown;
    world.standIn.faults.change("read", (body) => {
      other = body;
      return body;
    });
    expect(await world.bank.inquireTransfer(back)).toMatchObject({ outcome: "returned" });
    world.standIn.faults.change("read", () => other);
    expect(await world.bank.inquireTransfer(paid)).toMatchObject({ outcome: "sent" });
  });

  it("for two days, longer than Fintoc keeps a key, pays once", async () => {
    const call = world.call();
    const seen = fromNow(world);
    world.standIn.faults.add("create", "lost");
    expect(await world.bank.transfer(call, inputOf())).toEqual({ outcome: "unknown" });
    world.clock.advance(2 * DAY_MS);
    expect(await world.bank.inquireTransfer(call)).toMatchObject({ outcome: "sent" });
    expect(seen.transfers()).toHaveLength(1);
  });
});

describe("a process that dies", () => {
  it.each([
    ["before", /^\/v2\/transfers\?/],
    ["after", /^\/v2\/transfers\?/],
    ["before", /^\/v2\/transfers$/],
    ["after", /^\/v2\/transfers$/],
    ["before", /^\/v2\/transfers\/tr_/],
    ["after", /^\/v2\/transfers\/tr_/],
  ] as const)("%s a request %s loses nothing and pays each part once", async (death, path) => {
    const [call, amount] = [later.call(), PART_MAX + 1];
    const input = inputOf({ amount });
    const { bank } = later;
    const seen = fromNow(later);
    const isRead = path.source.includes("tr_");
    if (isRead) await bank.transfer(call, input);
    later.dieAt(death, path);
    void bank.transfer(call, input);
    await expect.poll(() => later.isDead()).toBe(true);
    await later.restart();
    for (let inquiries = 0; inquiries < 4; inquiries += 1) {
      await later.bank.inquireTransfer(call);
      later.clock.advance(MINUTE_MS);
    }
    expect(await later.bank.inquireTransfer(call)).toMatchObject({ outcome: "sent", amount });
    expect(seen.transfers()).toHaveLength(2);
    expect(seen.paid()).toBe(amount);
  });

  it("adopts the transfer by its name if the database was restored to before the call", async () => {
    const [call, seen] = [world.call(), fromNow(world)];
    const input = inputOf({ amount: PART_MAX + 1 });
    expect(await world.bank.transfer(call, input)).toMatchObject({ outcome: "sent" });
    world.clock.advance(2 * DAY_MS);
    await world.restart("restored_to_nothing");
    expect(await world.bank.inquireTransfer(call)).toEqual({ outcome: "unknown" });
    expect(world.log.join("")).toContain("fintoc.transfer_not_recorded");
    expect(await world.bank.transfer(call, input)).toMatchObject({ outcome: "sent" });
    expect(seen.transfers()).toHaveLength(2);
  });

  it("does not pay twice when two processes continue the same transfer at once", async () => {
    const [call, seen] = [world.call(), fromNow(world)];
    const input = inputOf({ amount: PART_MAX + 1 });
    const first = world.bank;
    await world.restart();
    await Promise.all([
      first.transfer(call, input),
      world.bank.transfer(call, input),
      world.bank.transfer(call, input),
    ]);
    expect(await world.bank.inquireTransfer(call)).toMatchObject({ outcome: "sent" });
    expect(seen.paid()).toBe(PART_MAX + 1);
  });
});

describe("the connector's log", () => {
  it("holds no key, account number, RUT or name", async () => {
    world.standIn.faults.add("create", "error");
    await world.bank.transfer(world.call(), inputOf({ number: "99887766" }));
    const written = world.log.join("\n");
    expect(written).toContain("connector.party_unanswered");
    for (const secret of [SECRET_KEY, CONNECTOR_TOKEN, "PRIVATE KEY", "99887766", "76901112", "Clínica de prueba"])
      expect(written).not.toContain(secret);
  });
});

describe("the connector's first migration", () => {
  it("is the kit's", async () => {
    const read = (path: string) => readFile(new URL(`../../../connectors/${path}`, import.meta.url), "utf8");
    expect(await read("fintoc/migrations/0001_calls.sql")).toBe(await read("../packages/connector-kit/calls.sql"));
  });
});
