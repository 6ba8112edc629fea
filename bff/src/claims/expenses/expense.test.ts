import { describe, expect, it } from "vitest";
import {
  filesToAdd,
  missingDocuments,
  receiptPrintedAnew,
  statusAfterAdding,
  statusBeforeFiling,
  submissionStatus,
} from "./expense.ts";

describe("what an expense waits for", () => {
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
  ] as const)("%j with files of which %j need a password lacks %j", (subtypes, locked, missing) => {
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
  ] as const)("of an order that is %s, lacking %j, is %s and %s", (order, missing, status, submission) => {
    expect(statusBeforeFiling(order, missing)).toBe(status);
    expect(submissionStatus(status, order)).toBe(submission);
  });

  it("says queued of an expense that has been filed", () => {
    expect(submissionStatus("filed", "paid")).toBe("queued");
  });
});

describe("a receipt that is printed anew", () => {
  const file = (name: string, sha256: string, isLocked = false) => ({ name, sha256, isLocked });
  const kept = { receiptId: "B-1", total: 40_000, files: [file("boleta-1.pdf", "a"), file("orden.pdf", "b")] };
  const printed = { receiptId: "B-1", total: 40_000, files: [file("boleta-2.pdf", "c")] };
  const another = (changes: Partial<typeof printed>) => ({ ...printed, ...changes });

  it("takes the place of the one that is there, by number, total and name; numbers in names differ", () => {
    expect(receiptPrintedAnew(kept, printed, [])).toBe(printed.files[0]);
    const sameName = another({ files: [file("boleta-1.pdf", "c")] });
    expect(receiptPrintedAnew(kept, sameName, ["medical_order"])).toBe(sameName.files[0]);
  });

  it.each([
    ["another number", another({ receiptId: "B-2" }), []],
    ["another total", another({ total: 40_001 }), []],
    ["another name", another({ files: [file("receta-1.pdf", "c")] }), []],
    ["a like name while a document is missing", printed, ["medical_order"]],
    ["the same file", another({ files: [file("boleta-2.pdf", "a")] }), []],
    ["a file that is there as a document", another({ files: [file("boleta-2.pdf", "b")] }), []],
    ["no file", another({ files: [] }), []],
  ] as const)("is none with %s", (_name, submitted, missing) => {
    expect(receiptPrintedAnew(kept, submitted, missing)).toBeNull();
  });

  it("replaces one that needs a password with the first file that needs none, whatever its name, number and total", () => {
    const locked = { receiptId: null, total: null, files: [file("boleta.pdf", "a", true), file("orden.pdf", "b")] };
    const opened = file("sin clave.pdf", "d");
    const sent = { ...locked, files: [file("boleta.pdf", "c", true), file("orden.pdf", "b"), opened] };
    expect(receiptPrintedAnew(locked, sent, ["unlocked_receipt", "prescription"])).toBe(opened);
    expect(receiptPrintedAnew(locked, { ...sent, files: sent.files.slice(0, 2) }, ["unlocked_receipt"])).toBeNull();
  });

  it("is none if it needs a password and the receipt needs none", () => {
    expect(receiptPrintedAnew(kept, another({ files: [file("boleta-1.pdf", "c", true)] }), [])).toBeNull();
  });

  it.each([
    ["number", { receiptId: null }],
    ["total", { total: null }],
    ["file", { files: [] }],
  ])("is none of an expense without a %s, whatever is sent", (_name, changes) => {
    const expense = { ...kept, ...changes };
    expect(receiptPrintedAnew(expense, { ...expense, files: printed.files }, [])).toBeNull();
  });
});

describe("files that are added later", () => {
  const file = (sha256: string) => ({ sha256 });

  it("are those with new content, each once, as long as there are fewer than five", () => {
    expect(filesToAdd([file("a")], [file("a"), file("b"), file("b")])).toEqual([file("b")]);
    expect(filesToAdd(["a", "b", "c", "d"].map(file), [file("e"), file("f")])).toEqual([file("e")]);
    expect(filesToAdd(["a", "b", "c", "d", "e"].map(file), [file("f")])).toEqual([]);
  });

  it("leave an expense where it was whose access to the insurer is blocked", () => {
    expect(statusAfterAdding("access_blocked", "paid", [])).toBe("access_blocked");
    expect(statusAfterAdding("held", "paid", [])).toBe("received");
    expect(statusAfterAdding("received", "paid", ["medical_order"])).toBe("held");
  });
});
