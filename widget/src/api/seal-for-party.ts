import type { Problem } from "./problem.ts";

export type Seal = typeof import("./seal.ts")["seal"];

/** How the code that seals is loaded: it is large, and comes when there is something to seal. */
export type LoadSeal = () => Promise<Seal>;

/** Seals what the patient typed; null where that could not be done, without saying why: the reason holds what was typed. */
export async function sealedOrNull(
  { loadSeal }: { readonly loadSeal: LoadSeal },
  ...sealed: Parameters<Seal>
): Promise<string | null> {
  try {
    const seal = await loadSeal();
    return await seal(...sealed);
  } catch {
    return null;
  }
}

/** Sealing needs code that may not have come; nothing was sent, and trying again is safe. */
export const SEALING_FAILED: Problem = { kind: "no_answer", fault: "unreachable", traceId: null };
