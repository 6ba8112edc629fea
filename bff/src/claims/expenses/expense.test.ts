import { describe, expect, it } from "vitest";
import { filesToAdd, missingDocuments, statusAfterAdding, statusBeforeFiling, submissionStatus } from "./expense.ts";

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
  ] as const)("%j with %i files lacks %j", (subtypes, files, missing) => {
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
