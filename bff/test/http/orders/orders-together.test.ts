import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import type { TestAnswer } from "../../test-client.ts";
import { orderBody, PATIENTS } from "./orders-world.ts";

/** Concurrent orders share a statement, without changing the result of any of them. */
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

function post(
  as: TestProvider,
  { reference = systemIds.uuid(), key = systemIds.uuid(), total = 40_000 } = {},
): Promise<TestAnswer> {
  const body = orderBody({ total, rut: PATIENTS.good, reference });
  return bff.callOrderApi(orderEndpoints.createOrder, { as, body, headers: { "Idempotency-Key": key } });
}

const result = ({ status, body }: TestAnswer) => [status, body.code];

describe("concurrent orders", () => {
  it("are each created as if alone", async () => {
    const other = await bff.createProvider();
    const clinics = [bff.clinic, other];
    const references = Array.from({ length: 60 }, () => systemIds.uuid());
    const answers = await Promise.all(
      references.flatMap((reference) => clinics.map((as) => post(as, { reference, total: 1_000 }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.hash)).size).toBe(120);
    const expected = references.flatMap((reference) => [reference, reference]);
    expect(answers.map(({ body }) => body.reference)).toEqual(expected);
  });

  it("are not affected by others that are rejected", async () => {
    const [usedKey, usedReference] = [systemIds.uuid(), systemIds.uuid()];
    await post(bff.clinic, { key: usedKey, reference: usedReference });
    const good = Array.from({ length: 10 }, () => post(bff.clinic));
    const [reused, duplicate, malformed, ...made] = await Promise.all([
      post(bff.clinic, { key: usedKey }),
      post(bff.clinic, { reference: usedReference }),
      post(bff.clinic, { total: -1 }),
      ...good,
    ]);
    expect([reused, duplicate, malformed].map(result)).toEqual([
      [422, "idempotency_key_reused"],
      [409, "duplicate_reference"],
      [400, "total_amount_negative"],
    ]);
    expect(made.map(result)).toEqual(good.map(() => [201, undefined]));
  });

  it("give one order if they share a reference or a key", async () => {
    const [reference, key] = [systemIds.uuid(), systemIds.uuid()];
    const [byReference, byKey] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => post(bff.clinic, { reference }))),
      Promise.all(Array.from({ length: 10 }, () => post(bff.clinic, { key }))),
    ]);
    for (const answers of [byReference, byKey]) {
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    }
  });
});

describe("a caller with cached credentials", () => {
  async function known(): Promise<TestProvider> {
    const provider = await bff.createProvider();
    expect(result(await post(provider))).toEqual([201, undefined]);
    expect(result(await post(provider))).toEqual([201, undefined]);
    return provider;
  }

  it("is rejected as soon as its credential has ended, however it ended", async () => {
    const as = await known();
    await bff.database.db
      .updateTable("credentials")
      .set({ ends_at: bff.clock.now() })
      .where("provider_id", "=", as.provider.id)
      .execute();
    expect(result(await post(as))).toEqual([401, "invalid_credential"]);
  });

  it("is rejected while its provider is inactive, and accepted again afterwards", async () => {
    const as = await known();
    const setActive = (active: boolean) =>
      bff.database.db.updateTable("providers").set({ active }).where("id", "=", as.provider.id).execute();
    await setActive(false);
    expect(result(await post(as))).toEqual([401, "invalid_credential"]);
    await setActive(true);
    expect(result(await post(as))).toEqual([201, undefined]);
  });

  it("has its provider's clock as soon as the clock is moved", async () => {
    const as = await known();
    const offset = 24 * 60 * 60_000;
    await bff.database.db
      .updateTable("providers")
      .set({ clock_offset_ms: offset })
      .where("id", "=", as.provider.id)
      .execute();
    const { body } = await post(as);
    expect(Date.parse(body.created_at)).toBe(bff.clock.now().getTime() + offset);
  });
});

it("a replay gets the first answer word for word, whatever happened to the order", async () => {
  const options = { reference: systemIds.uuid(), key: systemIds.uuid() };
  const first = await post(bff.clinic, options);
  const params = { hash: first.body.hash };
  await bff.callOrderApi(orderEndpoints.cancelOrder, { as: bff.clinic, params, body: {} });
  bff.clock.advance(60 * 60_000);
  const again = await post(bff.clinic, options);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  expect(again.body).toEqual(first.body);
});
