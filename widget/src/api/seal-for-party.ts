export type Seal = typeof import("./seal.ts")["seal"];

/** How the code that seals is had: it is large, and comes while the patient reads. */
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
