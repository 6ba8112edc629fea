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

it("lets an operator approve another operator's request", () => {
  expect(why("operator:ana", OLD, "operator:ben", OLD)).toBeNull();
  expect(why("operator:cleo", cleo, "operator:dan", OLD)).toBeNull();
});

it("refuses an approval by a new operator until the moment from which they approve", () => {
  const fresh = { ...cleo, approvesFrom: new Date(NOW.getTime() + 1) };
  expect(why("operator:cleo", fresh, "operator:dan", OLD)).toMatch(/You are new/);
  expect(why("operator:cleo", { ...cleo, approvesFrom: NOW }, "operator:dan", OLD)).toBeNull();
});

it.each(["operator:ana", "operator:ben"])("refuses an approval between an operator and their maker: %s", (maker) => {
  expect(why("operator:cleo", cleo, maker, OLD)).toMatch(/operators who added you/);
});

it("refuses an approval of a new operator's request by the operator who was shown their token", () => {
  expect(why("operator:ben", OLD, "operator:cleo", cleo)).toMatch(/whom you added/);
  expect(why("operator:ana", OLD, "operator:cleo", cleo)).toBeNull();
});

it("refuses an operator's approval of a request that they made", () => {
  expect(why("operator:ana", OLD, "operator:ana", OLD)).toMatch(/You made this request yourself/);
});
