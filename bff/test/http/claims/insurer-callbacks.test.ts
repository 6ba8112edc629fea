import { describe, expect, test, vi } from "vitest";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { signCallback } from "../../../src/gateways/connector/callback-signature.ts";
import { INSURER_CALLBACK_PATH } from "../../../src/gateways/insurer-callbacks.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { untilTestEnds } from "../../put-back.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  HOUR_MS,
  PATIENTS,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";

/* An insurer that calls back is asked at once. The content of the callback is not trusted. */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const RUT = PATIENTS.neverAnswered;

/** Makes the insurer decide in the sandbox, with or without a callback. */
async function decide(hash: string, outcome: "approve" | "reject" | "block" | "unblock", callback = false) {
  const { settleSandboxClaim: endpoint } = sandboxEndpoints;
  const options = { as: clinic.clinic, params: { hash }, body: { outcome, callback } };
  expect((await world.bff.callOrderApi(endpoint, options)).status).toBe(200);
}

async function insurerClaimId(hash: string): Promise<string> {
  const row = await world.bff.database.db
    .selectFrom("claims")
    .select("insurer_claim_id")
    .where("order_id", "=", clinic.key(hash).orderId)
    .executeTakeFirstOrThrow();
  return row.insurer_claim_id ?? "";
}

interface Callback {
  readonly claimId: string;
  readonly token?: string;
  readonly at?: Date;
  readonly body?: string;
  readonly sentBody?: string;
}

/** Sends a callback over HTTP, like a connector. */
async function callBack({ claimId, token, at = world.bff.clock.now(), ...given }: Callback): Promise<number> {
  const body = given.body ?? JSON.stringify({ provider_id: clinic.clinic.provider.id, claim_id: claimId });
  const [callbackToken] = world.bff.context.callbacks.callbackTokens;
  const headers = signCallback({ id: systemIds.uuid(), at, body }, token ?? callbackToken);
  const url = `${world.bff.spotApi}${INSURER_CALLBACK_PATH}`;
  const answer = await fetch(url, { method: "POST", headers: { ...headers }, body: given.sentBody ?? body });
  return answer.status;
}

const claimState = async (hash: string) =>
  (
    await world.bff.database.db
      .selectFrom("claims")
      .select("state")
      .where("order_id", "=", clinic.key(hash).orderId)
      .executeTakeFirst()
  )?.state;

describe("a callback of an insurer", () => {
  test("leads to an immediate inquiry: approved, collected and reported within the minute", async () => {
    const hash = await clinic.claimedOrder(RUT);
    await decide(hash, "approve");
    await world.bff.runDue();
    expect(await claimState(hash)).toBe("filed");
    expect(await callBack({ claimId: await insurerClaimId(hash) })).toBe(204);
    await world.bff.runDue();
    expect(await claimState(hash)).toBe("approved");
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("has one effect when it arrives twenty times at once", async () => {
    const hash = await clinic.claimedOrder(RUT);
    await decide(hash, "approve");
    const claimId = await insurerClaimId(hash);
    const answers = await Promise.all(Array.from({ length: 20 }, () => callBack({ claimId })));
    await world.bff.runDue();
    expect(new Set(answers)).toEqual(new Set([204]));
    expect(await callBack({ claimId })).toBe(204);
    await world.bff.runDue();
    expect(await clinic.tries(hash)).toEqual(["captured"]);
    const mails = await clinic.mails();
    expect(mails.filter((subject) => subject === "Aprobaron tu reembolso")).toHaveLength(1);
  });

  test("has no effect if it arrives after the poll, or if the state has changed again", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const claimId = await insurerClaimId(hash);
    await decide(hash, "block");
    await decide(hash, "unblock");
    // The callback about the block arrives only now. The current state counts.
    expect(await callBack({ claimId })).toBe(204);
    await world.bff.runDue();
    expect(await clinic.mails()).not.toContain("No podemos entrar a tu isapre");
    await decide(hash, "reject");
    await world.bff.advance(4 * HOUR_MS);
    expect(await claimState(hash)).toBe("rejected");
    expect(await callBack({ claimId })).toBe(204);
    await world.bff.runDue();
    expect(await claimState(hash)).toBe("rejected");
    expect((await clinic.mails()).filter((subject) => subject.includes("rechazó"))).toHaveLength(1);
  });

  test("may get lost: the poll finds the answer", async () => {
    const hash = await clinic.claimedOrder(RUT);
    await decide(hash, "approve");
    await world.bff.advance(4 * HOUR_MS);
    expect(await claimState(hash)).toBe("approved");
  });

  test("is sent by the sandbox on request", async () => {
    const hash = await clinic.claimedOrder(RUT);
    await decide(hash, "approve", true);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("leads to another inquiry if it arrives during one", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const claimId = await insurerClaimId(hash);
    await callBack({ claimId });
    await clinic.fault("insurer", "inquireClaim", "fail_before");
    await world.bff.runDue();
    expect(await claimState(hash)).toBe("filed");
    await decide(hash, "approve");
    await callBack({ claimId });
    await world.bff.runDue();
    expect(await claimState(hash)).toBe("approved");
  });
});

describe("a rejected callback", () => {
  test("401: another token, another body, or an old timestamp", async () => {
    const claimId = await insurerClaimId(await clinic.claimedOrder(RUT));
    const long = new Date(world.bff.clock.now().getTime() - 301_000);
    expect(await callBack({ claimId, token: "another" })).toBe(401);
    expect(await callBack({ claimId, sentBody: "{}" })).toBe(401);
    expect(await callBack({ claimId, at: long })).toBe(401);
    expect((await fetch(`${world.bff.spotApi}${INSURER_CALLBACK_PATH}`, { method: "POST" })).status).toBe(401);
  });

  test("404: an unknown or another clinic's claim, which causes no inquiry; the callback may be sent again", async () => {
    const claimId = await insurerClaimId(await clinic.claimedOrder(RUT));
    const asked = untilTestEnds(vi.spyOn(world.bff.context.parties.insurer, "inquireClaim"));
    expect(await callBack({ claimId: "unknown" })).toBe(404);
    const other = await world.newClinic();
    const body = JSON.stringify({ provider_id: other.clinic.provider.id, claim_id: claimId });
    expect(await callBack({ claimId, body })).toBe(404);
    await world.bff.runDue();
    expect(asked).not.toHaveBeenCalled();
  });

  test("422: another shape; 413: too large", async () => {
    for (const body of ["", "{", "[]", '{"claim_id":"c"}']) expect(await callBack({ claimId: "", body })).toBe(422);
    expect(await callBack({ claimId: "", body: "x".repeat(9_000) })).toBe(413);
  });
});
