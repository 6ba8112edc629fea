import { expect, it } from "vitest";
import { deployBefore } from "./deploy.ts";
import { type DeployPlan, days, INSTANCES } from "./life-plan.ts";

const STEPS = Array.from({ length: 9 }, (_, number) => ({
  number,
  happening: days(1),
  on: number % INSTANCES,
  alongside: false,
  troubles: [],
}));

/** The actions before each step, and then at rest: `m` migrates, a number replaces that process. */
async function deployed(deploy: DeployPlan, mustStop = false): Promise<string[]> {
  const done: string[] = [];
  for (let step = 0; step <= STEPS.length; step += 1) {
    let before = "";
    await deployBefore(
      step,
      { deploy, steps: STEPS },
      {
        instances: Array.from({ length: INSTANCES }),
        replace: (number) => {
          before += number;
        },
        mustStop,
        migrate: async () => {
          before += "m";
        },
      },
    );
    done.push(before);
  }
  return done;
}

it("an old process takes one step on the new schema, and one more alongside the first new process", async () => {
  expect(await deployed({ at: 2, isAtOnce: false })).toEqual(["", "", "m", "0", "", "012", "", "", "", ""]);
});

it("a deploy ends within the life, even if it begins at the last step", async () => {
  expect(await deployed({ at: 8, isAtOnce: false })).toEqual(["", "", "", "", "", "", "", "", "m", "012"]);
  expect(await deployed({ at: 9, isAtOnce: false })).toEqual(["", "", "", "", "", "", "", "", "", "m012"]);
});

it("a deploy replaces every process at once on request, or if a migration requires it", async () => {
  const once = ["", "", "m012", "", "", "", "", "", "", ""];
  expect(await deployed({ at: 2, isAtOnce: true })).toEqual(once);
  expect(await deployed({ at: 2, isAtOnce: false }, true)).toEqual(once);
});
