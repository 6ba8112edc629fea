import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandboxGateways, type SandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { newOrderId, rut, seal } from "../gateways/start-gateways.ts";

const { settleSandboxClaim } = sandboxEndpoints;
let bff: TestBff;
let parties: SandboxGateways;
beforeAll(async () => {
  bff = await startBff();
  parties = createSandboxGateways({
    db: bff.database.db,
    ids: systemIds,
    clock: bff.clock,
    challengeOrigin: bff.sandboxGateways,
    kill: () => undefined,
  });
});
afterAll(() => bff.close());

const callAt = (at: Date) => ({ providerId: bff.clinic.provider.id, idempotencyKey: systemIds.uuid(), at });

async function fileClaim() {
  const person = rut("40.000.778-0");
  const access = { insurer: "consalud", rut: person, password: "x", iat: 1 };
  const orderId = newOrderId();
  const outcome = await parties.insurer.fileClaim(callAt(bff.clock.now()), {
    insurer: "consalud",
    rut: person,
    orderHash: orderId,
    total: clp(45_000),
    sealedAccess: await seal(await parties.insurer.sealingKey(), access),
    documents: [],
  });
  if (outcome.outcome !== "filed") throw new Error("The claim was not filed.");
  const { claimId } = outcome;
  const settle = (body: unknown, as = bff.clinic) =>
    bff.callOrderApi(settleSandboxClaim, { as, params: { hash: orderId }, body });
  const inquire = () => parties.insurer.inquireClaim(callAt(bff.clock.now()), { claimId });
  return { orderId, settle, inquire };
}

describe("PUT /sandbox/claims/{hash}", () => {
  it("200: approved from now on, with the usual share or a given one", async () => {
    const { orderId, settle, inquire } = await fileClaim();
    expect(await inquire()).toEqual({ outcome: "waiting" });
    const { status, body } = await settle({ outcome: "approve" });
    expect(status).toBe(200);
    expect(body.claim).toEqual({ order_hash: orderId, status: "approved", reimbursed: 27_000, reason: null });
    expect(await inquire()).toEqual({ outcome: "approved", reimbursed: 27_000, at: bff.clock.now() });
    expect((await settle({ outcome: "approve", reimbursed: 0 })).body.claim.reimbursed).toBe(0);
  });

  it("200: rejected, with a reason", async () => {
    const { settle, inquire } = await fileClaim();
    const { body } = await settle({ outcome: "reject", reason: "Falta la orden médica." });
    expect(body.claim).toMatchObject({ status: "rejected", reason: "Falta la orden médica." });
    expect(await inquire()).toEqual({ outcome: "rejected", code: "not_covered", reason: "Falta la orden médica." });
  });

  it("200: blocked and unblocked", async () => {
    const { settle, inquire } = await fileClaim();
    expect((await settle({ outcome: "block" })).body.claim.status).toBe("access_blocked");
    bff.clock.advance(1_000);
    expect(await inquire()).toEqual({ outcome: "access_blocked" });
    expect((await settle({ outcome: "unblock" })).body.claim.status).toBe("waiting");
    bff.clock.advance(1_000);
    expect((await settle({ outcome: "block" })).body.claim.status).toBe("access_blocked");
    expect(await inquire()).toEqual({ outcome: "access_blocked" });
  });

  it("401: without a client_secret", async () => {
    const body = { outcome: "approve" };
    expect((await bff.callOrderApi(settleSandboxClaim, { params: { hash: newOrderId() }, body })).status).toBe(401);
  });

  it("404: no claim, another tenant's, or no order hash, whatever the body", async () => {
    const { settle } = await fileClaim();
    const other = await bff.createProvider();
    expect(await settle({ outcome: "approve" }, other)).toMatchObject({
      status: 404,
      body: { code: "order_not_found" },
    });
    for (const hash of [newOrderId(), "x"]) {
      const answer = await bff.callOrderApi(settleSandboxClaim, { as: bff.clinic, params: { hash }, body: {} });
      expect(answer.status).toBe(404);
    }
  });

  it.each([{}, { outcome: "explode" }, { outcome: "approve", reimbursed: -1 }, { outcome: "reject", reason: "" }])(
    "422: %j",
    async (body) => {
      const { settle } = await fileClaim();
      expect(await settle(body)).toMatchObject({ status: 422, body: { code: "validation_error" } });
    },
  );
});
