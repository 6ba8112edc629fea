import type { Locale } from "bff/contract/widget-tokens";
import { esCl } from "./es-cl.ts";
import type { Words } from "./words.ts";

/** Spanish comes with the page; another language when it is asked for. */
export async function loadWords(locale: Locale): Promise<Words> {
  if (locale === "es-CL") return esCl;
  const { en } = await import("./en.ts");
  return en;
}
