import type { Locale } from "bff/contract/widget-tokens";
import { esClFirst } from "./es-cl-first.ts";
import type { FirstWords } from "./words.ts";

/** The Spanish texts of the first screen come with the page. Other languages are loaded as a whole on request. */
export async function loadWords(locale: Locale): Promise<FirstWords> {
  if (locale === "es-CL") return esClFirst;
  const { en } = await import("./en.ts");
  return en;
}
