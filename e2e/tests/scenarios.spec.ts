import { SCENARIOS } from "host-demo/scenarios/catalogue";
import { wordsOfStep } from "host-demo/scenarios/step-words";
import { playScenario } from "../kit/play-scenario.ts";
import { test } from "../support/test.ts";

for (const scenario of SCENARIOS) {
  test(`${scenario.id}: ${scenario.title}`, async ({ clinic }) => {
    test.slow();
    await playScenario(clinic, scenario, (step, play) => test.step(wordsOfStep(step), play));
  });
}
