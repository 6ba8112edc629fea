import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fault } from "../../../sandbox/calls/faults.ts";
import { listFaults, replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import {
  callOf,
  cardFor,
  later,
  newOrderId,
  next,
  type StartedGateways,
  seal,
  startGateways,
  WAYS,
} from "./start-gateways.ts";

let started: StartedGateways;
beforeAll(async () => {
  started = await startGateways();
});
afterAll(() => started.stop());

const unknown = { outcome: "unknown" };

describe.each(WAYS)("a party with faults that a tenant requested: %s", (way) => {
  async function prepare(faults: readonly Omit<Fault, "party">[]) {
    const processor = started.parties(way).cardProcessor;
    const order = newOrderId();
    const call = callOf();
    const sealedCard = await seal(await processor.sealingKey(), cardFor(order, call.at));
    const outcome = await processor.registerCard(call, { sealedCard, orderHash: order });
    if (outcome.outcome !== "registered") throw new Error("The card was not registered.");
    const charge = {
      cardId: outcome.card.id,
      amount: clp(13_500),
      orderHash: order,
      initiator: "patient",
      authenticationId: null,
      initialChargeId: null,
    } as const;
    const all = faults.map((fault) => ({ party: "card-processor" as const, ...fault }));
    await inTransaction(started.database.db, (tx) => replaceFaults(tx, call.providerId, all));
    return { processor, charge, call };
  }

  const movementsOf = ({ providerId, at }: GatewayCall) =>
    started.sandbox.cardProcessor.listMovements(providerId, at, new Date(at.getTime() + 86_400_000));

  it("does nothing when the call fails before it arrives", async () => {
    const { processor, charge, call } = await prepare([{ method: "charge", kind: "fail_before", calls: 1 }]);
    const charging = next(call);
    expect(await processor.charge(charging, charge)).toEqual(unknown);
    expect(await processor.inquireCharge(charging)).toEqual({ outcome: "not_found" });
    expect(await processor.charge(charging, charge)).toMatchObject({ outcome: "captured" });
    expect(await movementsOf(call)).toHaveLength(1);
  });

  it("has acted when the call fails after it arrived", async () => {
    const { processor, charge, call } = await prepare([{ method: "charge", kind: "fail_after", calls: 1 }]);
    const charging = next(call);
    expect(await processor.charge(charging, charge)).toEqual(unknown);
    expect(await processor.inquireCharge(charging)).toMatchObject({ outcome: "captured" });
    expect(await movementsOf(call)).toHaveLength(1);
  });

  it("answers slowly, and acts once", async () => {
    const { processor, charge, call } = await prepare([{ method: "charge", kind: "slow", calls: 1 }]);
    const charging = next(call);
    expect(await processor.charge(charging, charge)).toEqual(unknown);
    expect(await processor.inquireCharge(later(charging, 44))).toEqual(unknown);
    expect(await processor.charge(later(charging, 44), charge)).toEqual(unknown);
    expect(await processor.inquireCharge(later(charging, 45))).toMatchObject({ outcome: "captured" });
    expect(await movementsOf(call)).toHaveLength(1);
  });

  it("acts once although the call arrives twice", async () => {
    const { processor, charge, call } = await prepare([{ method: "charge", kind: "twice", calls: 1 }]);
    const charging = next(call);
    const outcome = await processor.charge(charging, charge);
    expect(outcome).toMatchObject({ outcome: "captured" });
    expect(await processor.inquireCharge(charging)).toEqual(outcome);
    expect(await movementsOf(call)).toHaveLength(1);
  });

  it("kills our process after the effect, and not before", async () => {
    const { processor, charge, call } = await prepare([{ method: "charge", kind: "kill_after", calls: 1 }]);
    const kills = started.kills();
    const charging = next(call);
    await processor.charge(charging, charge);
    expect(started.kills()).toBe(kills + 1);
    expect(await processor.inquireCharge(charging)).toMatchObject({ outcome: "captured" });
    await processor.charge(charging, charge);
    expect(started.kills()).toBe(kills + 1);
  });

  it("loses the answers of inquiries too", async () => {
    const { processor, charge, call } = await prepare([{ method: "inquireCharge", kind: "fail_before", calls: 2 }]);
    const charging = next(call);
    await processor.charge(charging, charge);
    expect(await processor.inquireCharge(charging)).toEqual(unknown);
    expect(await processor.inquireCharge(charging)).toEqual(unknown);
    expect(await processor.inquireCharge(charging)).toMatchObject({ outcome: "captured" });
  });

  it("fails in the requested order and number, only for that tenant and method", async () => {
    const faults = [
      { method: "charge", kind: "fail_before", calls: 2 },
      { method: "charge", kind: "fail_after", calls: 1 },
    ] as const;
    const { processor, charge, call } = await prepare(faults);
    const other = await prepare([]);
    expect(await other.processor.charge(next(other.call), other.charge)).toMatchObject({ outcome: "captured" });
    for (const found of ["not_found", "not_found", "captured"]) {
      const charging = next(call);
      expect(await processor.charge(charging, charge)).toEqual(unknown);
      expect(await processor.inquireCharge(charging)).toMatchObject({ outcome: found });
    }
    expect(await listFaults(started.database.db, call.providerId)).toEqual([]);
    expect(await processor.charge(next(call), charge)).toMatchObject({ outcome: "captured" });
  });

  it("uses each fault once, even with concurrent calls", async () => {
    const { processor, charge, call } = await prepare([{ method: "charge", kind: "fail_before", calls: 3 }]);
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => processor.charge(next(call), charge)));
    while ((await listFaults(started.database.db, call.providerId)).length > 0) {
      outcomes.push(await processor.charge(next(call), charge));
    }
    outcomes.push(await processor.charge(next(call), charge));
    expect(outcomes.filter(({ outcome }) => outcome === "unknown")).toHaveLength(3);
    expect(await movementsOf(call)).toHaveLength(outcomes.length - 3);
  });
});
