/**
 * Tests that only `pnpm test all` runs. The line above each names the test file or step that protects the same in the
 * short check, `pnpm test`; `.ci/levels.test.mjs` checks that it exists.
 */
export const LONG = { name: "long", description: "Runs in `pnpm test all` alone." };
