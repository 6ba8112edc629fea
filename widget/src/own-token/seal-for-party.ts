import type { Problem } from "../api/problem.ts";
import type { OwnLinkParts } from "./own-page.ts";

type Seal = Awaited<ReturnType<OwnLinkParts["loadSeal"]>>;

/** Seals what the patient typed; null where that could not be done, without saying why: the reason holds what was typed. */
export async function sealedOrNull(
  { loadSeal }: Pick<OwnLinkParts, "loadSeal">,
  value: Parameters<Seal>[0],
  key: Parameters<Seal>[1],
): Promise<string | null> {
  try {
    const seal = await loadSeal();
    return await seal(value, key);
  } catch {
    return null;
  }
}

/** Sealing needs code that may not have come; nothing was sent, and trying again is safe. */
export const SEALING_FAILED: Problem = { kind: "no_answer", fault: "unreachable", traceId: null };
