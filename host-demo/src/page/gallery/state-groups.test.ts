import { expect, it } from "vitest";
import { groupsOf } from "./state-groups.ts";

const STATES = [
  { name: "card", group: "card" },
  { name: "card-declined", group: "card" },
  { name: "recognition-wrong", group: "recognition" },
  { name: "later", group: "new" },
];

it("the gallery groups states by screen, in the order of the screens", () => {
  expect(groupsOf(STATES, " ")).toEqual([
    { id: "card", words: "Tarjeta", states: ["card", "card-declined"] },
    { id: "recognition", words: "Código", states: ["recognition-wrong"] },
    { id: "new", words: "new", states: ["later"] },
  ]);
});

it.each([
  ["DECLINED tarj", ["card-declined"]],
  ["card-dec", ["card-declined"]],
  ["codigo", ["recognition-wrong"]],
  ["código wrong", ["recognition-wrong"]],
  ["nothing like it", []],
])("the gallery's search for %j finds the states with every word in name or screen", (search, found) => {
  expect(groupsOf(STATES, search).flatMap(({ states }) => states)).toEqual(found);
});
