/** The person whose journey a test of the short check covers. */
type Journey = "patient" | "partner" | "operator";

/** A picture of a state, and the findings of axe and measurements on it. No step of a journey depends on it. */
export const PICTURE = "a picture of a state";

/**
 * The browsers of other vendors, other frameworks and the start from source repeat the journeys that the short check
 * covers in Chromium with the build.
 */
export const ELSEWHERE = "the same way elsewhere: another browser or framework, or from source";

/**
 * A test of the short check, `pnpm test`, because it is a step of a journey: `test("…", short("patient"), async …)`.
 */
export function short(journey: Journey) {
  return { tag: "@short", annotation: { type: "level", description: `the ${journey}'s journey` } };
}

/**
 * A test of `pnpm test all` alone.
 *
 * @param why `PICTURE`, `ELSEWHERE`, or what protects the same in the short check: the name of a step, or the path of a
 * test file from the repository's root. `.ci/levels.test.mjs` checks that it exists there.
 * @param tests The titles of these tests in that file.
 */
export function long(why: string, ...tests: readonly string[]) {
  return { tag: "@long", annotation: { type: "level", description: [why, ...tests].join(" › ") } };
}
