import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { readDocumentSerial } from "../../../src/contract/vocabulary/document-serial.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { callOf, rut, type StartedGateways, startGateways, WAYS } from "./start-gateways.ts";

let started: StartedGateways;
beforeAll(async () => {
  started = await startGateways();
});
afterAll(() => started.stop());

describe.each(WAYS)("an identity registry: %s", (way) => {
  function check(text: string, providerId = callOf().providerId) {
    const serial = readDocumentSerial(text);
    if (serial === null) throw new Error("The serial is malformed.");
    const person = rut("40.100.000-3");
    return started.parties(way).identityRegistry.check({ providerId, rut: person, serial, documentType: "CEDULA" });
  }

  it.each([
    ["123.456.789", "match"],
    ["A123456789", "match"],
    ["100000001", "no_match"],
    ["100000002", "document_not_valid"],
    ["100000003", "unavailable"],
  ])("answers to %s: %s", async (serial, outcome) => {
    expect(await check(serial)).toEqual({ outcome });
  });

  it("reports that the holder of a match is a minor", async () =>
    expect(await check("100000004")).toEqual({ outcome: "match", isUnderAge: true }));

  it("is unavailable as often as a tenant requested, and for that tenant only", async () => {
    const { providerId } = callOf();
    const faults = [{ party: "identity-registry", method: "check", kind: "fail_before", calls: 2 }] as const;
    await inTransaction(started.database.db, (tx) => replaceFaults(tx, providerId, faults));
    expect(await check("123456789")).toEqual({ outcome: "match" });
    expect(await check("123456789", providerId)).toEqual({ outcome: "unavailable" });
    expect(await check("123456789", providerId)).toEqual({ outcome: "unavailable" });
    expect(await check("123456789", providerId)).toEqual({ outcome: "match" });
  });
});
