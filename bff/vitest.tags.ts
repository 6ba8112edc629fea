/**
 * Tests of `pnpm test all` alone. The line above each says what protects the same in the short check, `pnpm test`: a
 * test file or a step, which `.ci/levels.test.mjs` looks for.
 */
export const LONG = { name: "long", description: "Runs in `pnpm test all` alone." };
