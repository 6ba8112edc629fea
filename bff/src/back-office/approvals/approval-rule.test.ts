import { expect, it } from "vitest";
import { whyNotApprove } from "./approval.ts";

const NOW = new Date("2026-11-28T12:00:00Z");
const OLD = { approvesFrom: null, makers: [] };
const makers = [{ askedBy: "operator:ana", approvedBy: "operator:ben" }];
const cleo = { approvesFrom: new Date("2026-11-27T12:00:00Z"), makers };
const why = (
  approverActor: string,
  approver: typeof OLD | typeof cleo,
  askerActor: string,
  asker: typeof OLD | typeof cleo,
) => whyNotApprove({ approver, approverActor }, { asker, askerActor }, NOW);

it("an operator may approve another operator's request", () => {
  expect(why("operator:ana", OLD, "operator:ben", OLD)).toBeNull();
  expect(why("operator:cleo", cleo, "operator:dan", OLD)).toBeNull();
});

it("a new operator may not approve a request during their first 24 hours", () => {
  const fresh = { ...cleo, approvesFrom: new Date(NOW.getTime() + 1) };
  expect(why("operator:cleo", fresh, "operator:dan", OLD)).toMatch(/You are new/);
  expect(why("operator:cleo", { ...cleo, approvesFrom: NOW }, "operator:dan", OLD)).toBeNull();
});

it.each(["operator:ana", "operator:ben"])(
  "an operator and the one who added them may not approve each other's requests: %s",
  (maker) => {
    expect(why("operator:cleo", cleo, maker, OLD)).toMatch(/operators who added you/);
  },
);

it("an operator who was shown a new operator's token may not approve that operator's requests", () => {
  expect(why("operator:ben", OLD, "operator:cleo", cleo)).toMatch(/whom you added/);
  expect(why("operator:ana", OLD, "operator:cleo", cleo)).toBeNull();
});

it("an operator may not approve their own request", () => {
  expect(why("operator:ana", OLD, "operator:ana", OLD)).toMatch(/You made this request yourself/);
});
