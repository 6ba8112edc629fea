import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_ORIGINS } from "../../../sandbox/create-tenant.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { findProvider } from "../../../src/tenants/providers.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { createOrder } from "./sandbox-world.ts";

const { createSandboxTenant, readSandboxClock, moveSandboxClock } = sandboxEndpoints;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

describe("POST /sandbox/tenants", () => {
  it("201: a new provider with working credentials and separate orders", async () => {
    const { status, body } = await bff.callOrderApi(createSandboxTenant, { as: bff.clinic, body: {} });
    expect(status).toBe(201);
    const hash = await createOrder(bff, body, "one");
    const read = (as: typeof body) => bff.callOrderApi(orderEndpoints.getOrder, { as, params: { hash } });
    expect((await read(body)).status).toBe(200);
    expect((await read(bff.clinic)).status).toBe(404);
    // Another caller may use the same reference.
    await createOrder(bff, bff.clinic, "one");
  });

  it("201: separate people and a separate clock", async () => {
    const { body } = await bff.callOrderApi(createSandboxTenant, { as: bff.clinic, body: {} });
    const { db } = bff.database;
    const rut = parseRut("40.788.655-0");
    expect(await findBeneficiary(db, { tenant: body.provider.id, rut })).toMatchObject({
      email: "registrada@example.com",
    });
    expect(await findBeneficiary(db, { tenant: bff.clinic.provider.id, rut })).toBeNull();
    await bff.callOrderApi(moveSandboxClock, { as: body, body: { advance: "2d" } });
    const clockOf = async (as: typeof body) => (await bff.callOrderApi(readSandboxClock, { as })).body.ahead_seconds;
    expect(await clockOf(body)).toBe(172_800);
    expect(await clockOf(bff.clinic)).toBe(0);
  });

  it("201: the requested properties", async () => {
    const { body } = await bff.callOrderApi(createSandboxTenant, {
      as: bff.clinic,
      body: {
        name: "Red Salud Quillay",
        meta: true,
        origins: ["https://quillay.example.com"],
        capture_first: true,
        commission_percentage: 4.25,
        known_patients: true,
        unpaid_order_expiry_minutes: 60,
      },
    });
    expect(body.provider.name).toBe("Red Salud Quillay");
    expect(await findProvider(bff.database.db, body.provider.id)).toMatchObject({
      scopes: ["cnpl.meta_prestador"],
      origins: ["https://quillay.example.com", ...LOCAL_ORIGINS],
      settings: { captureFirst: true, commissionBasisPoints: 425, unpaidOrderExpiryMinutes: 60, knownPatients: true },
    });
  });

  it("201: as many origins as may be given, and the local ones, at which a page under development works", async () => {
    const origins = Array.from({ length: 50 }, (_, number) => `https://clinic-${number}.example.com`);
    const { status, body } = await bff.callOrderApi(createSandboxTenant, { as: bff.clinic, body: { origins } });
    expect(status).toBe(201);
    const { body: minted } = await bff.callSpotApi(spotEndpoints.mintWidgetToken, {
      as: body,
      body: { rut: "40.100.000-3", parent_origin: "http://localhost:5173" },
    });
    const page = await fetch(minted.url);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors http://localhost:5173");
  });

  it("201: one tenant for one Idempotency-Key", async () => {
    const options = { as: bff.clinic, body: {}, headers: { "idempotency-key": "worker-1" } };
    const [first, second] = [
      await bff.callOrderApi(createSandboxTenant, options),
      await bff.callOrderApi(createSandboxTenant, options),
    ];
    expect(second.body).toEqual(first.body);
  });

  it("401: without a client_secret", async () => {
    expect((await bff.callOrderApi(createSandboxTenant, { body: {} })).status).toBe(401);
  });

  it.each([{ origins: ["not an origin"] }, { commission_percentage: -1 }, { name: "" }, { meta: "yes" }])(
    "422: %j",
    async (body) => {
      const answer = await bff.callOrderApi(createSandboxTenant, { as: bff.clinic, body });
      expect(answer).toMatchObject({ status: 422, body: { code: "validation_error" } });
    },
  );
});
