import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type AimedLife, aimAt } from "./aim.ts";
import { cellOf, emptyCells } from "./coverage.ts";
import { type Happening, planLife } from "./life-plan.ts";
import { NEVER_MS } from "./never.ts";
import { livesFor, PLANTS } from "./plants.ts";
import { playLife } from "./play-life.ts";
import { SCENES } from "./scenes.ts";
import { readSteps, shrinkLife, writeSteps } from "./shrink-life.ts";
import type { Trouble } from "./trouble.ts";
import { type Ground, openGround } from "./world.ts";

let ground: Ground;
/** The result of the life of seed 8 without an earlier life. */
let first: Awaited<ReturnType<typeof playLife>>;
beforeAll(async () => {
  ground = await openGround();
  first = await playLife(ground, planLife(8));
});
afterAll(() => ground.close());

test("the same seed gives the same life, whatever ran before", async () => {
  const other = await playLife(ground, planLife(3));
  const again = await playLife(ground, planLife(8));
  expect(again.fingerprint).toBe(first.fingerprint);
  expect(again.counts).toEqual(first.counts);
  expect(again.met).toEqual(first.met);
  expect(other.fingerprint).not.toBe(first.fingerprint);
});

test("a life is the same on a very slow machine", async () => {
  const { setInterval } = globalThis;
  const slow = vi
    .spyOn(globalThis, "setInterval")
    .mockImplementation((run, milliseconds) => setInterval(run, milliseconds === NEVER_MS ? NEVER_MS : 1));
  try {
    expect((await playLife(ground, planLife(8))).fingerprint).toBe(first.fingerprint);
  } finally {
    slow.mockRestore();
  }
});

test("the coverage of lives is recorded: transitions with the faults of their step, calls with theirs", () => {
  const { met } = first;
  expect(met.get(cellOf("order awaiting_payment → paying", null))).toBeGreaterThan(0);
  expect(met.get(cellOf("cardProcessor.charge", null))).toBeGreaterThan(0);
  const empty = emptyCells(met);
  expect(empty).toContain(cellOf("claim filed → stopped", "deadlock"));
  expect(empty.filter((cell) => met.has(cell))).toEqual([]);
  expect([...met.keys()].filter((cell) => !emptyCells(new Map()).includes(cell))).toEqual([]);
});

test("a transition or call that random lives rarely reach is targeted with a fault", async () => {
  const cells = [
    cellOf("order awaiting_payment → paying", "lost_after"),
    cellOf("order awaiting_payment → cancelled", "deadlock"),
    cellOf("order awaiting_payment → cancelled", "dies_before"),
    cellOf("cardProcessor.charge", "twice"),
    cellOf("insurer.fileClaim", "slow"),
  ];
  const name = "never paid: cancelled";
  const scene = SCENES[name];
  if (scene === undefined) return expect.unreachable();
  const lives: AimedLife[] = [];
  await aimAt(
    cells,
    (plan) => playLife(ground, plan),
    (life) => lives.push(life),
    { [name]: scene },
  );
  const met = new Set(lives.flatMap(({ outcome }) => [...outcome.met.keys()]));
  expect(lives.flatMap(({ outcome }) => outcome.violations)).toEqual([]);
  // This scene ends before anything is paid.
  expect(cells.filter((cell) => !met.has(cell))).toEqual([cells[0], cells[3], cells[4]]);
  expect(lives.map(({ name }) => name)).toEqual([name, `${name}, with ${cells[1]}`, `${name}, with ${cells[2]}`]);
});

/** Enough to show in the short check that plants are found. */
const SHORT_PLANTS = 6;

describe("each plant is found within a number of lives, or in a scene", () => {
  for (const [index, [name, plant]] of Object.entries(PLANTS).entries()) {
    const plans = livesFor(plant);
    // In the short check: here: each plant is found within a number of lives, or in a scene.
    test(`${name}, within ${plans.length}`, { tags: index < SHORT_PLANTS ? [] : ["long"] }, async () => {
      for (const plan of plans) {
        const { violations } = await playLife(ground, plan, plant.tampering);
        if (violations.length === 0) continue;
        expect(violations.join("\n")).toMatch(plant.foundBy);
        return;
      }
      expect.unreachable(`${name} was not found.`);
    });
  }
});

test("a recorded receipt keeps its file, even after a lost answer", async () => {
  const lost: Trouble = { at: "statement", kind: "lost_after", number: 1, of: "commit" };
  const happenings: readonly Happening[] = [
    { does: "go_on", order: 0, twice: false },
    { does: "go_on", order: 0, twice: false },
    { does: "receipt", order: 0 },
  ];
  const { violations, counts } = await playLife(ground, {
    seed: 1,
    providers: [{ captureFirst: false, unpaidOrderExpiryMinutes: null, centers: [], feePercentage: 0 }],
    orders: [
      {
        provider: 0,
        center: null,
        rut: "40100000-3",
        total: 45_952,
        cards: ["4051885600446623"],
        presses: "approve",
        registers: true,
        receiptFirst: false,
      },
    ],
    steps: happenings.map((happening, number) => ({
      number,
      happening,
      on: 0,
      alongside: false,
      troubles: happening.does === "receipt" ? [lost] : [],
    })),
  });
  expect(violations).toEqual([]);
  expect(counts.paid).toBe(1);
});

// In the short check: here: the same seed gives the same life, whatever ran before.
test("a failing life is shortened, fails for the same reason, and can be replayed from the printed command", {
  tags: ["long"],
}, async () => {
  const plant = PLANTS.retry_without_a_key;
  if (plant === undefined) return expect.unreachable();
  const play = (plan: ReturnType<typeof planLife>) => playLife(ground, plan, plant.tampering);
  const [whole] = livesFor(plant);
  if (whole === undefined) return expect.unreachable();
  const failure = await play(whole);
  const shorter = await shrinkLife(whole, failure, play, 6);
  expect(shorter.steps.length).toBeLessThan(whole.steps.length);
  const printed = readSteps(whole, writeSteps(whole, shorter));
  const again = await play(printed);
  expect(again.violations[0]?.split(":")[0]).toBe(failure.violations[0]?.split(":")[0]);
});
