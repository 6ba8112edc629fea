/**
 * Simulates a patient who presses anything on the screen, in a real browser, against the whole product:
 *
 *     pnpm explore [--seed N] [--actions N | --minutes N] [--within SECONDS] | --planted [WORDS]
 *
 * Each walk is one order with thirty actions. The default seed comes from the clock and is printed; the same seed
 * repeats the walks. A violated property is printed with the shortest list of actions that still violates it.
 * `--planted` plants one bug after the other into the page (with words: those whose names contain them), and prints
 * after how many actions each is found. The same walks without a planted bug come first. Exits with 1 if a property is
 * violated without a planted bug, or a planted bug is missed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "@playwright/test";
import { portsFrom, startProduct } from "../support/product.ts";
import { type Action, actionsFrom, listed } from "./actions.ts";
import { PLANTS, type Plant } from "./plants.ts";
import { Broken, Walk } from "./walk.ts";

const FIRST_PORT = Number(process.env.E2E_FIRST_PORT ?? 5700);
const SEEDS = 1_000_000_000;
const WALK_ACTIONS = 30;
/** Long enough to continue after the payment. */
const PLANTED_WALK_ACTIONS = 60;
/** A planted bug must be found within this many actions. */
const PLANT_ACTIONS_MAX = 180;
const SHRINK_TRIES_MAX = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    actions: { type: "string", default: "90" },
    minutes: { type: "string" },
    within: { type: "string", default: "10" },
    planted: { type: "boolean", default: false },
  },
});
const seed = values.seed === undefined ? Date.now() % SEEDS : Number(values.seed);

interface Failure {
  readonly message: string;
  /** How many actions of the list were executed. */
  readonly taken: number;
}

/** Runs a list of actions on a new order. */
async function play(browser: Browser, walkSeed: number, actions: readonly Action[], plant: Plant | null) {
  const mode = walkSeed % 4 === 3 ? "dialog" : "inline";
  let taken = 0;
  let walk: Walk | null = null;
  try {
    const shownWithinMs = Number(values.within) * 1_000;
    walk = await Walk.start(browser, { mode, plant, shownWithinMs, isKnown: walkSeed % 3 === 2 });
    for (const action of actions) {
      taken += 1;
      await walk.take(action);
    }
    await walk.end();
    return null;
  } catch (error) {
    if (error instanceof Broken) return { message: error.message, taken };
    throw error;
  } finally {
    await walk?.close();
  }
}

/** Removes one action after the other, while the rest still violates the same property. */
async function shrink(browser: Browser, walkSeed: number, actions: readonly Action[], { message, taken }: Failure) {
  let shortest = actions.slice(0, taken);
  const property = message.slice(0, 20);
  for (let at = shortest.length - 2, tries = 0; at >= 0 && tries < SHRINK_TRIES_MAX; at -= 1, tries += 1) {
    const fewer = shortest.toSpliced(at, 1);
    const again = await play(browser, walkSeed, fewer, null);
    if (again?.message.startsWith(property)) shortest = fewer.slice(0, again.taken);
  }
  return shortest;
}

async function explore(browser: Browser): Promise<boolean> {
  const until = values.minutes === undefined ? null : Date.now() + Number(values.minutes) * 60_000;
  let done = 0;
  let failures = 0;
  for (let walk = 0; until === null ? done < Number(values.actions) : Date.now() < until; walk += 1) {
    const actions = actionsFrom(seed + walk, WALK_ACTIONS);
    const failure = await play(browser, seed + walk, actions, null);
    done += failure?.taken ?? actions.length;
    if (failure === null) continue;
    failures += 1;
    console.log(`FAILED  --seed ${seed + walk} --actions ${WALK_ACTIONS}: ${failure.message}`);
    console.log(`  all:      ${listed(actions.slice(0, failure.taken))}`);
    console.log(`  shortest: ${listed(await shrink(browser, seed + walk, actions, failure))}`);
  }
  console.log(`${done} actions, ${failures} failures`);
  return failures === 0;
}

/** The first failure of the walks that search for planted bugs, with the number of actions until then. */
async function search(browser: Browser, plant: Plant | null): Promise<Failure | null> {
  for (let walk = 0; walk * PLANTED_WALK_ACTIONS < PLANT_ACTIONS_MAX; walk += 1) {
    const actions = actionsFrom(seed + walk, PLANTED_WALK_ACTIONS);
    const failure = await play(browser, seed + walk, actions, plant);
    if (failure !== null && (plant === null || plant.found.test(failure.message)))
      return { ...failure, taken: walk * PLANTED_WALK_ACTIONS + failure.taken };
    if (failure !== null)
      console.log(`  (another, --seed ${seed + walk}, after ${failure.taken}: ${failure.message.slice(0, 300)})`);
  }
  return null;
}

/** Also searches the product itself, which must have no failure within the same actions. */
async function findPlanted(browser: Browser): Promise<boolean> {
  const row = (...cells: readonly (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);
  row("Planted bug", "Found after actions", "At most", "Violated");
  const own = await search(browser, null);
  row("(none)", own?.taken ?? "nothing found", PLANT_ACTIONS_MAX, own?.message ?? "");
  let holds = own === null;
  for (const plant of PLANTS.filter(({ name }) => name.includes(positionals.join(" ")))) {
    const found = await search(browser, plant);
    holds &&= found !== null;
    row(plant.name, found?.taken ?? "MISSED", PLANT_ACTIONS_MAX, found?.message ?? "");
  }
  return holds;
}

console.log(`seed ${seed}`);
const folder = await mkdtemp(join(tmpdir(), "aapd-explore-"));
Object.assign(process.env, portsFrom(FIRST_PORT), { PRODUCT_DATA_DIR: folder });
const product = startProduct({});
const { HEADLESS_SHELL_PATH, CHROMIUM_PATH } = process.env;
const executablePath = HEADLESS_SHELL_PATH ?? CHROMIUM_PATH;
try {
  await product.says("Everything runs");
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const holds = values.planted ? await findPlanted(browser) : await explore(browser);
    if (!holds) process.exitCode = 1;
  } finally {
    await browser.close();
  }
} finally {
  product.interrupt();
  await product.ended;
  await rm(folder, { recursive: true, force: true });
}
