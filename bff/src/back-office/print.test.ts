import { parse } from "csv-parse/sync";
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

const FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "＝1+1"];
it.each([
  ...FORMULAS,
  ...["\t=1+1", "\r=1+1", "\n=1+1", " =1+1", "a;=1+1;b", "a; =1+1", 'a;"=1+1&";b', "a\t=1+1", "a\r\n=1+1;b", ";;=1+1"],
])("no spreadsheet computes a cell of %j, read with commas, semicolons or tabs", (text) => {
  const line = csvLine(["id", text, 1]);
  for (const delimiter of [",", ";", "\t"]) {
    const cells: string[][] = parse(line, { delimiter, relaxQuotes: true, relaxColumnCount: true });
    for (const cell of cells.flat()) expect(cell.replace(/^["\s]+/, "")).not.toMatch(/^[=+@＝＋＠－-]/);
  }
  const [[, read]] = parse(line) as [string[]];
  expect(read?.replaceAll("'", "")).toBe(text);
});
