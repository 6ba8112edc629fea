import type { Locale } from "bff/contract/widget-tokens";
import { esClFirst } from "./es-cl-first.ts";
import type { FirstWords } from "./words.ts";

/** Spanish comes with the page, for the first screen; another language whole, when it is asked for. */
export async function loadWords(locale: Locale): Promise<FirstWords> {
  if (locale === "es-CL") return esClFirst;
  const { en } = await import("./en.ts");
  return en;
}
