import { afterAll, beforeAll, expect, test } from "vitest";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { exceptionView } from "../../../src/back-office/views/exception-view.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { DAY_MS } from "../../../src/contract/vocabulary/durations.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { changeProvider } from "../../../src/tenants/manage-provider.ts";
import { setMaximumRate } from "../../../src/tenants/maximum-rate.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { orderBody, PATIENTS } from "./orders-world.ts";

let bff: TestBff;
let clinic: TestProvider;
beforeAll(async () => {
  bff = await startBff();
  clinic = bff.clinic;
});
afterAll(() => bff.close());

const operations = () => {
  const { database, clock } = bff;
  return { db: database.db, clock, ids: systemIds, environment: "staging" as const, actor: "operator:camila" };
};

/** The 7 % of the test's clinics are 81.11 % a year. */
const setRate = (percentage: number, since: string) =>
  setMaximumRate(operations(), { basisPoints: percentage * 100, source: "CMF, a test", since });

async function create(as: TestProvider, key?: string): Promise<unknown> {
  const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid() });
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  const answer = await bff.callOrderApi(orderEndpoints.createOrder, { as, body, headers });
  return answer.status === 201 ? 201 : [answer.status, (answer.body as { code: string }).code];
}

const listed = async ({ provider }: TestProvider) =>
  (await listExceptions(operations(), provider.id))
    .filter(({ kind }) => kind === "commission_above_maximum")
    .map((one) => exceptionView(one).facts);

const REFUSED = [503, "commission_not_allowed"];
const facts = (maximum: number, from: string) => [{ yearly_rate: 81.11, maximum_rate: maximum, from_day: from }];

test("a new maximum rate lists the clinics above it at once and refuses their orders from its first day", async () => {
  expect(bff.clock.now().toISOString().slice(0, 10)).toBe("2026-11-21");
  const other = await bff.createProvider({ commissionPercentage: 2.71 });
  const inactive = await bff.createProvider({ active: false });

  const above = await setRate(31.5, "2026-11-23");

  expect(above.map(({ id, yearlyRate }) => [id, yearlyRate])).toEqual([[clinic.provider.id, 81.11]]);
  expect(await listed(clinic)).toEqual(facts(31.5, "2026-11-23"));
  expect([await listed(other), await listed(inactive)]).toEqual([[], []]);
  expect(await create(clinic)).toBe(201);
  await bff.advance(2 * DAY_MS);
  expect([await create(clinic), await create(clinic, "one"), await create(other)]).toEqual([REFUSED, REFUSED, 201]);
  expect(await listed(clinic)).toEqual(facts(31.5, "2026-11-23"));
});

test("a recorded legal basis lets the clinic's orders in again, with the same Idempotency-Key", async () => {
  const legalBasis = "Servicio con IVA, informe legal 14";
  await changeProvider(operations(), clinic.provider.id, { commissionLegalBasis: legalBasis });
  expect([await listed(clinic), await create(clinic, "one")]).toEqual([[], 201]);
});

test("a lower rate announced for later is listed, and the rate of today decides on orders", async () => {
  const later = await bff.createProvider({ commissionPercentage: 2.71 });
  await setRate(20, "2026-12-01");
  expect(await listed(later)).toEqual([{ yearly_rate: 31.4, maximum_rate: 20, from_day: "2026-12-01" }]);
  expect(await create(later)).toBe(201);
  await setRate(40, "2026-12-05");
  await bff.advance(9 * DAY_MS);
  expect(await create(later)).toEqual(REFUSED);
  await bff.advance(4 * DAY_MS);
  expect([await create(later), await listed(later)]).toEqual([201, []]);
});
