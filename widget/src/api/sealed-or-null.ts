export type Seal = typeof import("./seal.ts")["seal"];

/** Seals what the patient typed; null where that could not be done, without saying why: the reason holds what was typed. */
export async function sealedOrNull(
  { seal }: { readonly seal: Seal },
  ...sealed: Parameters<Seal>
): Promise<string | null> {
  try {
    return await seal(...sealed);
  } catch {
    return null;
  }
}
