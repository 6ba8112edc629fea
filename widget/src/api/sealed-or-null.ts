export type Seal = typeof import("./seal.ts")["seal"];

/**
 * Seals what the patient typed; null where that could not be done, without saying why: the reason holds what was typed.
 */
export async function sealedOrNull(
  { seal }: { readonly seal: Seal },
  value: Parameters<Seal>[0],
  key: Parameters<Seal>[1] | null,
): Promise<string | null> {
  try {
    return key === null ? null : await seal(value, key);
  } catch {
    return null;
  }
}
