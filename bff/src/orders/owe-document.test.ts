import { expect, test } from "vitest";
import { clp } from "../contract/vocabulary/clp.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { withdrawRejectedDocuments } from "./owe-document.ts";

test("a rejected document under a key of another system is ignored", async () => {
  const unused = new Proxy({}, { get: () => expect.unreachable() }) as Transaction;
  const document = { id: "1", kind: "boleta", number: "1", amount: clp(1), at: new Date(0), rejected: true } as const;
  const keys = ["", "1", "1:boleta:1", `${"-".repeat(36)}:boleta:1`, "a\0b:boleta:1"];
  const listed = keys.map((idempotencyKey) => ({ ...document, idempotencyKey }));
  await expect(withdrawRejectedDocuments(unused, "0d5f8a6e-9b5c-4f0e-8d67-0c8e2f7a1b11", listed)).resolves.toBe(
    undefined,
  );
});
