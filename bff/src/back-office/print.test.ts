import { expect, it } from "vitest";
import { csvLine } from "../platform/csv-line.ts";
import { answerText } from "./cli/print.ts";

it("text from outside cannot move an operator's cursor", () => {
  const shown = { json: { name: "x\u001b[2J" }, lines: ["Camila \u001b[2Jrefund done", "a\rb"] };
  expect(answerText(shown, false)).toBe("Camila �[2Jrefund done\na�b\n");
  expect(answerText(shown, true)).not.toContain("\u001b");
});

it("a CSV line prefixes text that a spreadsheet would execute with an apostrophe, but no negative amount", () => {
  expect(csvLine(["=1+1", "@x", "-2,0", 'a "b"', -5, null])).toBe(`'=1+1,'@x,"'-2,0","a ""b""",-5,`);
});
