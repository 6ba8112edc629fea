import { expect, it } from "vitest";
import { endsApart } from "./ends.ts";

it("comparing two ends reports each line that one of them has more often", () => {
  const same = ["ledger a card_processor clinic 12000 capture", "mail Pagaste"];
  expect(endsApart(same, [...same])).toEqual({ only: [], lacking: [] });
  expect(endsApart([...same, "mail Pagaste"], same)).toEqual({ only: ["mail Pagaste"], lacking: [] });
  expect(endsApart(same, ["mail Pagaste", "mail Otro"])).toEqual({ only: [same[0]], lacking: ["mail Otro"] });
});
