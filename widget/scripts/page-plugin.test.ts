import { expect, test } from "vitest";
import { requireAllNames } from "./page-plugin.ts";

const WHOLE =
  ".a{color:red}.b,.c:hover{margin:.5em}:root{--gap:1px}@keyframes turn{to{rotate:1turn}}@media print{.d{display:none}}";

test("partial style sheets with every name of the whole sheet pass, in any order", () => {
  const later = "@media print{.d{display:none}}@keyframes turn{to{rotate:1turn}}.c:hover{margin:.5em}";
  expect(() => requireAllNames(WHOLE, `.b{margin:.5em}.a{color:red}:root{--gap:1px}${later}`)).not.toThrow();
});

test.each([
  [".d", WHOLE.replace(".d{display:none}", "")],
  ["--gap", WHOLE.replace("--gap:1px", "")],
  ["@keyframes turn", WHOLE.replace("@keyframes turn{to{rotate:1turn}}", "")],
])("parts without %s are refused by name", (name, parts) => {
  expect(() => requireAllNames(WHOLE, parts)).toThrow(`the styles in parts lack ${name}`);
});
