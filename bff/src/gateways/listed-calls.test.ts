import { expect, it } from "vitest";
import { clp } from "../contract/vocabulary/clp.ts";
import { listedDocument, listedTransfer } from "./listed-calls.ts";
import { issuedDocumentSchema } from "./protocols/tax-documents.ts";

const at = new Date("2026-11-21T15:00:00Z");
const under = { providerId: "0198f0a1-7c0b-7d7e-9a45-3f1c2b4d5e6f", idempotencyKey: "key", at };
const document = { id: "1", idempotencyKey: "key", kind: "boleta", number: "1047", amount: clp(2_800), at } as const;

it.each([
  ["rejected, with its number, if the tax authority rejected it", [{ ...document, rejected: true }], "rejected"],
  ["unknown, for an operator, if it stands: the list has no address", [document], "unknown"],
  ["not found if the list does not have it", [{ ...document, idempotencyKey: "another" }], "not_found"],
] as const)("a listed document whose key was forgotten is %s", async (_name, documents, outcome) => {
  const { find } = listedDocument({ listDocuments: async () => documents }, under, at);
  expect(await find()).toEqual(outcome === "rejected" ? { outcome, number: "1047" } : { outcome });
});

it("a listed document without `rejected`, as in earlier versions of the protocol, is valid", () => {
  const { rejected } = issuedDocumentSchema.parse({ ...document, at: at.toISOString() });
  expect(rejected).toBeUndefined();
});

it.each([
  ["returned, if the whole amount came back", 38_600, "returned"],
  ["sent, if only a part came back, which the protocol does not have", 1_000, "sent"],
] as const)("a listed transfer is %s", async (_name, back, outcome) => {
  const line = { id: "t", idempotencyKey: "key", reference: "r", amount: clp(38_600), accountEnding: "7766", at };
  const returned = { ...line, id: "tR", kind: "return", reason: "other", amount: clp(back) } as const;
  const { find } = listedTransfer({ listTransfers: async () => [line, returned] }, under, at);
  expect(await find()).toMatchObject({ outcome, amount: 38_600 });
});
