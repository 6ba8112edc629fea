import { expect, it } from "vitest";
import { WORDS } from "../../../e2e/kit/words.ts";
import { CARD_CHANGE_WORDS } from "../self-service/card-change-words.ts";
import { INSURER_ACCESS_WORDS } from "../self-service/insurer-access-words.ts";
import { LINK_WORDS } from "../self-service/link-words.ts";
import { PAY_EARLY_WORDS } from "../self-service/pay-early-words.ts";
import { UPCOMING_WORDS } from "../self-service/upcoming-words.ts";
import { en } from "./en.ts";
import { esCl } from "./es-cl.ts";
import type { Words } from "./words.ts";

/** Every text by its path; functions are called with the placeholder of the page objects. */
function textsOf(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String(Reflect.apply(value, null, ["…", "…"]))]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}

/** The page objects for partners' browser tests contain nothing of the checkout, so they have their own copy. */
it("the page objects of @aapd/e2e know the checkout's texts, in pairs of Spanish and English", () => {
  const plain = ({ date: _date, moment: _moment, percentage: _percentage, ...texts }: Words): object => texts;
  const pages = [CARD_CHANGE_WORDS, INSURER_ACCESS_WORDS, LINK_WORDS, PAY_EARLY_WORDS, UPCOMING_WORDS];
  const english = new Map(textsOf([plain(en), ...pages.map((words) => words.en)], ""));
  const pairs = textsOf([plain(esCl), ...pages.map((words) => words["es-CL"])], "").map(
    ([path, text]) => `${text} | ${english.get(path)}`,
  );
  expect(Object.values(WORDS).filter((pair) => !pairs.includes(pair.join(" | ")))).toEqual([]);
});
