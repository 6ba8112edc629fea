import { expect, it } from "vitest";
import { endsApart } from "./ends.ts";

it("two ends differ by the lines that one has more often than the other", () => {
  const same = ["ledger a card_processor clinic 12000 capture", "mail Pagaste"];
  expect(endsApart(same, [...same])).toEqual({ only: [], lacking: [] });
  expect(endsApart([...same, "mail Pagaste"], same)).toEqual({ only: ["mail Pagaste"], lacking: [] });
  expect(endsApart(same, ["mail Pagaste", "mail Otro"])).toEqual({ only: [same[0]], lacking: ["mail Otro"] });
});
