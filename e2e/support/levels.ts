/** The person whose journey a test of the short check covers. */
type Journey = "patient" | "partner" | "operator";

/** A picture of a state, and the findings of axe and measurements on it. No step of a journey depends on it. */
export const PICTURE = "a picture of a state";

/** The browsers of other vendors, and other frameworks, repeat the journeys that Chromium covers in the short check. */
export const ELSEWHERE = "the same way in another browser or framework";

/**
 * A test of the short check, `pnpm test`, because it is a step of a journey: `test("…", short("patient"), async …)`.
 */
export function short(journey: Journey) {
  return { tag: "@short", annotation: { type: "level", description: `the ${journey}'s journey` } };
}

/**
 * A test of `pnpm test all` alone.
 *
 * @param why `PICTURE`, `ELSEWHERE`, or the test that protects the same in the short check: the path of a test file
 * from the repository's root, or the name of a step. `.ci/levels.test.mjs` checks that it exists there.
 */
export function long(why: string) {
  return { tag: "@long", annotation: { type: "level", description: why } };
}
