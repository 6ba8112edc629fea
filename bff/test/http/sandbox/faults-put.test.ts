import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { readDocumentSerial } from "../../../src/contract/vocabulary/document-serial.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

const { readSandboxFaults, setSandboxFaults } = sandboxEndpoints;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff({ kill: () => undefined });
});
afterAll(() => bff.close());

const down = { party: "identity-registry", method: "check", kind: "fail_before", calls: 2 };

describe("PUT /sandbox/faults", () => {
  it("200: only this tenant's next calls fail, and the faults can be read until they are used up", async () => {
    const { identityRegistry } = createSandboxGateways({
      db: bff.database.db,
      ids: systemIds,
      clock: bff.clock,
      challengeOrigin: bff.sandboxGateways,
      kill: () => undefined,
    });
    const serial = readDocumentSerial("123456789");
    if (serial === null) throw new Error("The serial is malformed.");
    const check = (providerId: string) =>
      identityRegistry.check({ providerId, rut: parseRut("40.100.000-3"), serial, documentType: "CEDULA" });
    const other = await bff.createProvider();
    const answer = await bff.callOrderApi(setSandboxFaults, { as: bff.clinic, body: { faults: [down] } });
    expect(answer).toMatchObject({ status: 200, body: { faults: [down] } });
    expect(await check(other.provider.id)).toEqual({ outcome: "match" });
    expect(await check(bff.clinic.provider.id)).toEqual({ outcome: "unavailable" });
    const left = await bff.callOrderApi(readSandboxFaults, { as: bff.clinic });
    expect(left.body.faults).toEqual([{ ...down, calls: 1 }]);
    expect((await bff.callOrderApi(readSandboxFaults, { as: other })).body.faults).toEqual([]);
  });

  it("200: replaces the previous faults, once each by default", async () => {
    const faults = [{ party: "card-processor", method: "charge", kind: "kill_after" }];
    const { body } = await bff.callOrderApi(setSandboxFaults, { as: bff.clinic, body: { faults } });
    expect(body.faults).toEqual([{ ...faults[0], calls: 1 }]);
    await bff.callOrderApi(setSandboxFaults, { as: bff.clinic, body: { faults: [] } });
    expect((await bff.callOrderApi(readSandboxFaults, { as: bff.clinic })).body.faults).toEqual([]);
  });

  it("200: every fault that the catalogue lists can be requested", async () => {
    const { body } = await bff.callOrderApi(sandboxEndpoints.readSandboxCatalogue, { as: bff.clinic });
    const points: readonly { party: string; method: string }[] = body.faults.methods;
    const faults = points.map((point) => ({ ...point, kind: "fail_after", calls: 1 }));
    const answer = await bff.callOrderApi(setSandboxFaults, { as: bff.clinic, body: { faults } });
    expect(answer).toMatchObject({ status: 200, body: { faults } });
    await bff.callOrderApi(setSandboxFaults, { as: bff.clinic, body: { faults: [] } });
  });

  it("401: without a client_secret", async () => {
    expect((await bff.callOrderApi(setSandboxFaults, { body: { faults: [] } })).status).toBe(401);
    expect((await bff.callOrderApi(readSandboxFaults)).status).toBe(401);
  });

  it.each([
    [{ ...down, party: "post-office" }],
    [{ ...down, party: "bank" }],
    [{ ...down, method: "authorise" }],
    [{ ...down, method: "charge" }],
    [{ ...down, kind: "explode" }],
    [{ ...down, calls: 0 }],
  ])("422: %j", async (fault) => {
    const answer = await bff.callOrderApi(setSandboxFaults, { as: bff.clinic, body: { faults: [fault] } });
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_error" } });
    expect((await bff.callOrderApi(readSandboxFaults, { as: bff.clinic })).body.faults).toEqual([]);
  });
});

describe("a process that may not be killed", () => {
  it("422: kill_after", async () => {
    const careful = await startBff();
    const faults = [{ party: "card-processor", method: "charge", kind: "kill_after" }];
    const answer = await careful.callOrderApi(setSandboxFaults, { as: careful.clinic, body: { faults } });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: "faults.0.kind" }] } });
    await careful.close();
  });
});
