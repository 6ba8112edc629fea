import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AapdError, AapdUnreachable } from "bff/partner-client/errors";
import type { PartnerClient } from "bff/partner-client/partner-client";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClinic } from "./clinic.ts";
import { openJournal } from "./journal.ts";
import { journalEntrySchema } from "./purchase.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "clinic-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A clinic with one order, of a service whose answers to refunds are these, in turn. */
async function clinicWhoseRefunds(...answers: readonly (() => Promise<unknown>)[]) {
  const keys: (string | undefined)[] = [];
  const client = {
    createOrder: ({ reference }: { reference: string }) => Promise.resolve({ hash: randomUUID(), reference }),
    mintWidgetToken: () => Promise.resolve({ url: "https://widget.test/", expires_at: "2026-11-21T13:00:00.000Z" }),
    refundOrder: (_hash: string, _refund: unknown, options: { idempotencyKey: string }) => {
      keys.push(options.idempotencyKey);
      return answers[keys.length - 1]?.();
    },
  };
  const clinic = createClinic({
    // Only what this clinic calls is answered.
    aapd: client as unknown as PartnerClient,
    journal: await openJournal(join(folder, "purchases.jsonl"), (value) => journalEntrySchema.parse(value)),
    now: () => new Date("2026-11-21T12:00:00.000Z"),
    uuid: randomUUID,
    parentOrigin: () => "http://clinic.test",
  });
  const person = { rut: "40100000-3", firstName: "Camila", lastName: "Rojas", email: "c@example.com", phone: "9" };
  const { id } = await clinic.startCheckout({ ...person, serviceId: "consulta" });
  const kinds = () => clinic.purchase(id)?.timeline.map(({ happening }) => happening.kind) ?? [];
  return { clinic, id, keys, kinds };
}

const lost = () => Promise.reject(new AapdUnreachable("was not answered"));
const failed = () => Promise.reject(new AapdError(503, "service_unavailable", null, {}, "down"));
const refused = () => Promise.reject(new AapdError(409, "order_not_refundable", null, {}, "no"));
const given = () => Promise.resolve({ refund: { amount: 1_000, status: "succeeded" } });

it("does not take a refund without an answer for a refused one, and asks for it again under the same key", async () => {
  const { clinic, id, keys, kinds } = await clinicWhoseRefunds(lost, failed, given, given);
  for (let time = 0; time < 4; time += 1) await clinic.refund(id, 1_000);
  expect(kinds().slice(-4)).toEqual(["refund_unanswered", "refund_unanswered", "refund_asked", "refund_asked"]);
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
});

it("notes a refused refund, and asks for another one under a key of its own", async () => {
  const { clinic, id, keys, kinds } = await clinicWhoseRefunds(refused, given);
  await clinic.refund(id, 1_000);
  await clinic.refund(id, 1_000);
  expect(kinds().slice(-2)).toEqual(["refund_refused", "refund_asked"]);
  expect(new Set(keys).size).toBe(2);
});
