import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { DocumentToIssue, TaxDocuments } from "../../../src/gateways/tax-documents.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { callOf, later, newOrderId, next, rut, type StartedGateways, startGateways, WAYS } from "./start-gateways.ts";

let started: StartedGateways;
beforeAll(async () => {
  started = await startGateways();
});
afterAll(() => started.stop());

const DAY_SECONDS = 86_400;

describe.each(WAYS)("an issuer of tax documents: %s", (way) => {
  let taxDocuments: TaxDocuments;
  beforeAll(() => {
    taxDocuments = started.parties(way).taxDocuments;
  });

  const boleta: DocumentToIssue = {
    kind: "boleta",
    issuer: { name: "AAPD de Prueba SpA", rut: rut("76.904.444-2") },
    receiverRut: rut("40.100.000-3"),
    day: "2026-11-21",
    net: clp(2_703),
    vat: clp(514),
    corrects: null,
    orderHash: newOrderId(),
  };
  const listed = ({ providerId, at }: ReturnType<typeof callOf>) =>
    taxDocuments.listDocuments(providerId, at, new Date(at.getTime() + 10 * DAY_SECONDS * 1_000));

  it("issues once per key for any number of calls, with a number and an address", async () => {
    const call = callOf();
    const [first, second] = await Promise.all([
      taxDocuments.issueDocument(call, boleta),
      taxDocuments.issueDocument(call, boleta),
    ]);
    expect(first).toEqual({ outcome: "issued", number: "1", url: expect.stringContaining("/tax-documents/") });
    expect(second).toEqual(first);
    expect(await taxDocuments.inquireDocument(later(call, 10))).toEqual(first);
    expect(await listed(call)).toEqual([
      {
        id: expect.any(String),
        idempotencyKey: call.idempotencyKey,
        kind: "boleta",
        number: "1",
        amount: 3_217,
        at: call.at,
      },
    ]);
    const page = await fetch(first.outcome === "issued" ? first.url : "");
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Boleta electrónica N° 1");
    expect((await fetch(`${started.origin}/tax-documents/${call.providerId}`)).status).toBe(404);
  });

  it("numbers boletas and notas de crédito separately, each without a gap, and names the corrected boleta", async () => {
    const call = callOf();
    await taxDocuments.issueDocument(call, boleta);
    expect(await taxDocuments.issueDocument(next(call, 1), boleta)).toMatchObject({ number: "2" });
    const note = { ...boleta, kind: "credit_note", corrects: "2" } as const;
    const issued = await taxDocuments.issueDocument(next(call, 2), note);
    expect(issued).toMatchObject({ outcome: "issued", number: "1" });
    const page = await fetch(issued.outcome === "issued" ? issued.url : "");
    expect(await page.text()).toContain("Corrige la boleta N° 2");
    expect((await listed(call)).map(({ kind, number }) => `${kind} ${number}`)).toEqual([
      "boleta 1",
      "boleta 2",
      "credit_note 1",
    ]);
  });

  it("reports a call that never arrived as not found", async () => {
    expect(await taxDocuments.inquireDocument(callOf())).toEqual({ outcome: "not_found" });
  });

  it("refuses while no numbers are left, and issues under another key two days later", async () => {
    const call = callOf();
    const document = { ...boleta, receiverRut: rut("42.028.234-6") };
    const outcome = await taxDocuments.issueDocument(call, document);
    expect(outcome).toEqual({ outcome: "refused", reason: "no_numbers_left" });
    expect(await taxDocuments.inquireDocument(call)).toEqual(outcome);
    expect(await listed(call)).toEqual([]);
    const again = next(call, 2 * DAY_SECONDS);
    expect(await taxDocuments.issueDocument(again, document)).toMatchObject({ outcome: "issued", number: "1" });
  });

  it.each([
    ["fail_after", 10],
    ["slow", 60],
  ] as const)(
    "is unknown when the answer is lost or slow (%s), and an inquiry finds its document",
    async (kind, seconds) => {
      const call = callOf();
      await inTransaction(started.database.db, (tx) =>
        replaceFaults(tx, call.providerId, [{ party: "tax-documents", method: "issueDocument", kind, calls: 1 }]),
      );
      expect(await taxDocuments.issueDocument(call, boleta)).toEqual({ outcome: "unknown" });
      expect(await taxDocuments.inquireDocument(later(call, seconds))).toMatchObject({ outcome: "issued" });
      expect(await listed(call)).toHaveLength(1);
    },
  );
});
