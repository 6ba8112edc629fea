export type Seal = typeof import("./seal.ts")["seal"];

/**
 * Seals the patient's input; null on failure. It drops the error, which may contain the input.
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
