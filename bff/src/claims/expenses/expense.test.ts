import { describe, expect, it } from "vitest";
import {
  filesToAdd,
  missingDocuments,
  receiptReprinted,
  statusAfterAdding,
  statusBeforeFiling,
  submissionStatus,
} from "./expense.ts";

describe("an expense", () => {
  it.each([
    [[], 1, []],
    [[], 0, ["receipt"]],
    [["exam"], 0, ["receipt", "medical_order"]],
    [["consultation"], 1, []],
    [["exam"], 1, ["medical_order"]],
    [["procedure"], 2, []],
    [["medicine"], 1, ["prescription"]],
    [["exam", "medicine"], 1, ["medical_order", "prescription"]],
    [["exam", "medicine"], 2, ["prescription"]],
    [["exam", "medicine"], 3, []],
  ] as const)("%j with %i files lacks %j", (subtypes, count, missing) => {
    const files = Array.from({ length: count }, () => ({ isLocked: false }));
    expect(missingDocuments(subtypes, files)).toEqual(missing);
  });

  it.each([
    [[], [true], ["unlocked_receipt"]],
    [[], [false, true], []],
    [["exam"], [true, false], ["unlocked_receipt"]],
    [["exam"], [false, true], ["medical_order"]],
    [["exam"], [true, true], ["unlocked_receipt", "medical_order"]],
  ] as const)("%j with locked files %j lacks %j", (subtypes, locked, missing) => {
    const files = locked.map((isLocked) => ({ isLocked }));
    expect(missingDocuments(subtypes, files)).toEqual(missing);
  });

  it.each([
    [null, [], "received", "not_enqueued"],
    ["pending", [], "waiting_order", "waiting_order"],
    ["pending", ["medical_order"], "waiting_order", "waiting_order"],
    ["partially_paid", [], "waiting_order", "waiting_order"],
    ["paid", [], "received", "queued"],
    ["paid", ["medical_order"], "held", "not_enqueued"],
    ["partially_refunded", [], "received", "queued"],
    ["refunded", [], "received", "not_enqueued"],
    ["refunded", ["medical_order"], "received", "not_enqueued"],
    ["cancelled", [], "received", "not_enqueued"],
  ] as const)(
    "linked to a %s order and lacking %j has status %s and submission status %s",
    (order, missing, status, submission) => {
      expect(statusBeforeFiling(order, missing)).toBe(status);
      expect(submissionStatus(status, order)).toBe(submission);
    },
  );

  it("is reported as queued once it has been filed", () => {
    expect(submissionStatus("filed", "paid")).toBe("queued");
  });
});

describe("receiptReprinted", () => {
  const file = (name: string, sha256: string, isLocked = false) => ({ name, sha256, isLocked });
  const kept = { receiptId: "B-1", total: 40_000, files: [file("boleta-1.pdf", "a"), file("orden.pdf", "b")] };
  const printed = { receiptId: "B-1", total: 40_000, files: [file("boleta-2.pdf", "c")] };
  const another = (changes: Partial<typeof printed>) => ({ ...printed, ...changes });

  it("returns the new file if number, total and name match, ignoring digits in names", () => {
    expect(receiptReprinted(kept, printed, [])).toBe(printed.files[0]);
    const sameName = another({ files: [file("boleta-1.pdf", "c")] });
    expect(receiptReprinted(kept, sameName, ["medical_order"])).toBe(sameName.files[0]);
  });

  it.each([
    ["another number", another({ receiptId: "B-2" }), []],
    ["another total", another({ total: 40_001 }), []],
    ["another name", another({ files: [file("receta-1.pdf", "c")] }), []],
    ["a similar name while a document is missing", printed, ["medical_order"]],
    ["the same file", another({ files: [file("boleta-2.pdf", "a")] }), []],
    ["a file already stored as a document", another({ files: [file("boleta-2.pdf", "b")] }), []],
    ["no file", another({ files: [] }), []],
  ] as const)("returns null for %s", (_name, submitted, missing) => {
    expect(receiptReprinted(kept, submitted, missing)).toBeNull();
  });

  it("replaces a locked receipt with the first unlocked file, whatever its name, number and total", () => {
    const locked = { receiptId: null, total: null, files: [file("boleta.pdf", "a", true), file("orden.pdf", "b")] };
    const opened = file("sin clave.pdf", "d");
    const sent = { ...locked, files: [file("boleta.pdf", "c", true), file("orden.pdf", "b"), opened] };
    expect(receiptReprinted(locked, sent, ["unlocked_receipt", "prescription"])).toBe(opened);
    expect(receiptReprinted(locked, { ...sent, files: sent.files.slice(0, 2) }, ["unlocked_receipt"])).toBeNull();
  });

  it("returns null for a locked file if the receipt is not locked", () => {
    expect(receiptReprinted(kept, another({ files: [file("boleta-1.pdf", "c", true)] }), [])).toBeNull();
  });

  it.each([
    ["number", { receiptId: null }],
    ["total", { total: null }],
    ["file", { files: [] }],
  ])("returns null for an expense without a %s, whatever is sent", (_name, changes) => {
    const expense = { ...kept, ...changes };
    expect(receiptReprinted(expense, { ...expense, files: printed.files }, [])).toBeNull();
  });
});

describe("files added later", () => {
  const file = (sha256: string) => ({ sha256 });

  it("are those with new content, each once, up to five in all", () => {
    expect(filesToAdd([file("a")], [file("a"), file("b"), file("b")])).toEqual([file("b")]);
    expect(filesToAdd(["a", "b", "c", "d"].map(file), [file("e"), file("f")])).toEqual([file("e")]);
    expect(filesToAdd(["a", "b", "c", "d", "e"].map(file), [file("f")])).toEqual([]);
  });

  it("leave an expense with blocked access unchanged", () => {
    expect(statusAfterAdding("access_blocked", "paid", [])).toBe("access_blocked");
    expect(statusAfterAdding("held", "paid", [])).toBe("received");
    expect(statusAfterAdding("received", "paid", ["medical_order"])).toBe("held");
  });
});
