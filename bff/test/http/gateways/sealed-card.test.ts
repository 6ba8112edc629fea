import { generateKeyPair } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { SealingKey } from "../../../src/contract/widget-tokens.ts";
import {
  callOf,
  cardFor,
  newOrderId,
  next,
  type StartedGateways,
  seal,
  startGateways,
  WAYS,
} from "./start-gateways.ts";

let started: StartedGateways;
let key: SealingKey;
beforeAll(async () => {
  started = await startGateways();
  key = await started.sandbox.cardProcessor.sealingKey();
});
afterAll(() => started.stop());

const refused = { outcome: "sealed_card_refused" };

describe("the processor's public key", () => {
  it("is RSA of at least 2048 bits, and contains no private part", () => {
    expect(Object.keys(key).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    expect(Buffer.from(key.n, "base64url").length * 8).toBeGreaterThanOrEqual(2048);
  });
});

describe("a sealed card", () => {
  const order = newOrderId();
  const call = callOf();
  const register = (sealedCard: string, orderHash = order) =>
    started.sandbox.cardProcessor.registerCard(next(call), { sealedCard, orderHash });
  const sealed = (overrides: Parameters<typeof cardFor>[2] = {}) => seal(key, cardFor(order, call.at, overrides));
  const seconds = (offset: number) => Math.floor(call.at.getTime() / 1000) + offset;

  it("is refused when it was sealed for another order", async () => {
    expect(await register(await sealed(), newOrderId())).toEqual(refused);
    expect(await register(await sealed({ order_token: newOrderId() }))).toEqual(refused);
  });

  it("is accepted until it is 15 minutes old", async () => {
    expect((await register(await sealed({ iat: seconds(-900) }))).outcome).toBe("registered");
    expect(await register(await sealed({ iat: seconds(-901) }))).toEqual(refused);
  });

  it("is refused if it claims to be sealed far in the future", async () => {
    expect(await register(await sealed({ iat: seconds(901) }))).toEqual(refused);
  });

  it.each([
    ["a short number", { number: "40518856" }],
    ["a number with spaces", { number: "4051 8856 0044 6623" }],
    ["no security code", { cvc: undefined }],
    ["month 13", { exp_month: 13 }],
    ["iat as text", { iat: "now" }],
    ["no holder", { holder_name: "  " }],
    ["no order", { order_token: "x" }],
  ])("is refused if the sealed content is not a card: %s", async (_name, overrides) => {
    expect(await register(await sealed(overrides))).toEqual(refused);
  });

  it.each([
    ["not an object", "4051885600446623"],
    ["null", null],
    ["a list", [cardFor(newOrderId(), new Date())]],
  ])("is refused if the sealed content is %s", async (_name, value) => {
    expect(await register(await seal(key, value))).toEqual(refused);
  });

  it("is refused when it was sealed for another key, under a known or an unknown name", async () => {
    const { publicKey } = await generateKeyPair("RSA-OAEP-256", { extractable: true });
    const { exportJWK } = await import("jose");
    const { n = "", e = "" } = await exportJWK(publicKey);
    const other = { ...key, n, e };
    expect(await register(await seal(other, cardFor(order, call.at)))).toEqual(refused);
    expect(await register(await seal({ ...other, kid: "other" }, cardFor(order, call.at)))).toEqual(refused);
    expect(await register(await seal({ ...key, kid: "other" }, cardFor(order, call.at)))).toEqual(refused);
  });

  it("is refused when any of its parts was tampered with", async () => {
    const parts = (await sealed()).split(".");
    for (const [index, part] of parts.entries()) {
      const flipped = `${part.startsWith("A") ? "B" : "A"}${part.slice(1)}`;
      expect(await register(parts.with(index, flipped).join("."))).toEqual(refused);
      expect(await register(parts.with(index, "").join("."))).toEqual(refused);
    }
  });

  it("is refused if its header differs from the agreed one", async () => {
    expect(await register(await seal(key, cardFor(order, call.at), { enc: "A128GCM" }))).toEqual(refused);
    expect(await register(await seal(key, cardFor(order, call.at), { jku: "https://example.com/keys" }))).toEqual(
      refused,
    );
    const header = Buffer.from(JSON.stringify({ alg: "RSA-OAEP-256", enc: "A256GCM", kid: key.kid, zip: "DEF" }));
    const [, ...rest] = (await sealed()).split(".");
    expect(await register([header.toString("base64url"), ...rest].join("."))).toEqual(refused);
  });

  it.each([
    ["empty", ""],
    ["one part", "x"],
    ["no base64url", "*.*.*.*.*"],
    ["huge", `${"A".repeat(200_000)}.A.A.A.A`],
  ])("is refused if it is not a sealed value: %s", async (_name, value) => {
    expect(await register(value)).toEqual(refused);
  });

  it("is opened after the key was rotated, and the newest key is the one that is published", async () => {
    const before = await sealed();
    started.clock.advance(1000);
    const rotated = await started.sandbox.cardSealingKeys.rotate();
    expect(rotated.kid).not.toBe(key.kid);
    expect(await started.sandbox.cardProcessor.sealingKey()).toEqual(rotated);
    expect((await register(before)).outcome).toBe("registered");
    expect((await register(await seal(rotated, cardFor(order, call.at)))).outcome).toBe("registered");
  });
});

describe.each(WAYS)("card numbers and security codes: %s", (way) => {
  it("are in no table, no log and no error, whatever happens to the card", async () => {
    const processor = started.parties(way).cardProcessor;
    const cvc = "8642";
    const numbers = [
      "4051885600446623",
      "5186059559590568",
      "4051885600000024",
      "4051885600000073",
      "4051885600446624",
    ];
    for (const number of numbers) {
      const order = newOrderId();
      const call = callOf();
      const sealedCard = await seal(await processor.sealingKey(), cardFor(order, call.at, { number, cvc }));
      const outcome = await processor.registerCard(call, { sealedCard, orderHash: order });
      await processor.registerCard(next(call), { sealedCard: `${sealedCard}AAAA`, orderHash: order });
      await processor.registerCard(next(call), { sealedCard, orderHash: newOrderId() });
      if (outcome.outcome !== "registered") continue;
      const charge = {
        cardId: outcome.card.id,
        orderHash: order,
        initiator: "patient" as const,
        authenticationId: null,
        initialChargeId: null,
      };
      await processor.charge(next(call), { ...charge, amount: clp(1_000) });
      await processor.charge(next(call), { ...charge, amount: clp(0) }).catch((error: unknown) => {
        expect(String(error)).not.toMatch(/\d{12}/);
      });
    }
    const kept = `${await dumpTables()}\n${started.log()}`;
    for (const number of numbers) {
      expect(kept).not.toContain(number);
      expect(kept).not.toContain(number.slice(0, 12));
    }
    expect(kept).not.toMatch(new RegExp(`(?<![\\w-])${cvc}(?![\\w-])`));
    // The search also finds the parts that may be kept, which proves that it looks in the right places.
    expect(kept).toContain("CAMILA ROJAS");
  });
});

/** Every row of every table, as text. */
async function dumpTables(): Promise<string> {
  const { db } = started.database;
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'
  `.execute(db);
  expect(tables.rows.map(({ name }) => name)).toContain("sandbox_cards");
  const rows: string[] = [];
  for (const { name } of tables.rows) {
    const table = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db);
    rows.push(...table.rows.map(({ row }) => row));
  }
  return rows.join("\n");
}
