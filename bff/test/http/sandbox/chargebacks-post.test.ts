import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandboxGateways, type SandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { cardFor, newOrderId, seal } from "../gateways/start-gateways.ts";

const { chargeBackInSandbox } = sandboxEndpoints;
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

const callNow = () => ({
  providerId: bff.clinic.provider.id,
  idempotencyKey: systemIds.uuid(),
  at: bff.clock.now(),
});

async function captured() {
  const orderId = newOrderId();
  const { cardProcessor } = parties;
  const sealedCard = await seal(await cardProcessor.sealingKey(), cardFor(orderId, bff.clock.now()));
  const registered = await cardProcessor.registerCard(callNow(), { sealedCard, orderHash: orderId });
  if (registered.outcome !== "registered") throw new Error("The card was not registered.");
  const charge = {
    orderHash: orderId,
    initiator: "patient",
    authenticationId: null,
    initialChargeId: null,
    cardId: registered.card.id,
  } as const;
  const outcome = await cardProcessor.charge(callNow(), { ...charge, amount: clp(13_500) });
  if (outcome.outcome !== "captured") throw new Error("The charge was not captured.");
  return { orderId, chargeId: outcome.chargeId };
}

const chargeBack = (orderId: string, as = bff.clinic) =>
  bff.callOrderApi(chargeBackInSandbox, { as, body: { order_hash: orderId } });

describe("POST /sandbox/chargebacks", () => {
  it("201: the rest of the charge is charged back and listed by the processor, and cannot be returned any more", async () => {
    const { orderId, chargeId } = await captured();
    await parties.cardProcessor.returnCharge(callNow(), { chargeId, amount: clp(500), orderHash: orderId });
    const { status, body } = await chargeBack(orderId);
    expect(status).toBe(201);
    expect(body.chargeback).toMatchObject({ charge_id: chargeId, amount: 13_000 });
    const now = bff.clock.now();
    const list = await parties.cardProcessor.listMovements(callNow().providerId, now, new Date(now.getTime() + 1));
    expect(list.filter((movement) => movement.orderHash === orderId)).toMatchObject([
      { kind: expect.any(String) },
      { kind: expect.any(String) },
      { kind: expect.any(String) },
    ]);
    expect(list).toContainEqual(expect.objectContaining({ kind: "chargeback", chargeId, amount: 13_000 }));
    const returned = await parties.cardProcessor.returnCharge(callNow(), {
      chargeId,
      amount: clp(1),
      orderHash: orderId,
    });
    expect(returned).toEqual({ outcome: "refused" });
    expect((await chargeBack(orderId)).status).toBe(404);
  });

  it("401: without a client_secret", async () => {
    expect((await bff.callOrderApi(chargeBackInSandbox, { body: { order_hash: newOrderId() } })).status).toBe(401);
  });

  it("404: nothing was captured, or by another tenant", async () => {
    const { orderId } = await captured();
    expect((await chargeBack(newOrderId())).status).toBe(404);
    expect((await chargeBack(orderId, await bff.createProvider())).status).toBe(404);
  });

  it("422: no order hash", async () => {
    expect((await chargeBack("x")).status).toBe(422);
  });
});
