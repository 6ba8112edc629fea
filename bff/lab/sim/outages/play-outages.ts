import { DAY_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { Ground } from "../world.ts";
import { deadlinesOf, goTo, OUTAGES, type Outage } from "./outages.ts";
import { type Expected, evaluate } from "./promtool.ts";
import { EVERY_SECONDS } from "./series.ts";
import { startOutageService } from "./service.ts";
import { createTraffic } from "./traffic.ts";

/** The number of patients who arrive between two samples. */
const ARRIVING = 1;
/** Samples before the outage. */
const HEALTHY_SAMPLES = 20;

/**
 * Plays one outage as Prometheus sees it. No alert may fire before it begins, and each of its alerts must fire in time.
 */
async function playOutage(ground: Ground, name: string, outage: Outage): Promise<Expected> {
  const { before, begin, arriving = ARRIVING, strideMs = EVERY_SECONDS * 1_000 } = outage;
  await ground.clear();
  const { database } = ground;
  const service = await startOutageService(database, name);
  const traffic = createTraffic(service);
  await before?.(traffic, database);
  const recorder = traffic.record();
  const healthy = before === undefined ? HEALTHY_SAMPLES : 1;
  for (let sample = 0; sample < healthy; sample += 1) await traffic.next(before === undefined ? ARRIVING : 0);
  const begunAt = traffic.now();
  await begin(service, traffic, database);
  const firing = deadlinesOf(outage, begunAt);
  const end = Math.max(...firing.map(({ at }) => at.getTime()));
  while (traffic.now().getTime() < end) {
    if (strideMs === EVERY_SECONDS * 1_000) await traffic.next(arriving);
    else await traffic.skipTo(new Date(traffic.now().getTime() + strideMs));
  }
  service.broken.isProcessGone = true;
  await service.close();
  return { name, recorder, firing, quietUntil: begunAt };
}

/**
 * Plays lives without an outage, from the order until the deferred part is collected and paid out. No alert may fire.
 */
export async function playHealthyLives(
  ground: Ground,
  { lives, seed }: { readonly lives: number; readonly seed: string },
): Promise<Expected> {
  await ground.clear();
  const { database } = ground;
  const service = await startOutageService(database, seed);
  const traffic = createTraffic(service);
  const recorder = traffic.record();
  while (traffic.lives < lives) await traffic.next(ARRIVING);
  for (let sample = 0; sample < HEALTHY_SAMPLES; sample += 1) await traffic.next(0);
  const end = traffic.now().getTime() + HEALTHY_DAYS * DAY_MS;
  await goTo(traffic, database, end);
  const collected = await countCollected(ground);
  if (collected !== lives) throw new Error(`Of ${lives} healthy lives ${collected} came to their end.`);
  await service.close();
  return { name: `${lives} healthy lives`, recorder, firing: [], quietUntil: traffic.now() };
}

/** Days until the claim is approved, after five, and the charge is made on the next morning. */
const HEALTHY_DAYS = 8;

function countCollected({ database }: Ground): Promise<number> {
  return database.withSession(async (session) => {
    const { rows } = await session.query(
      "select count(*)::int as collected from orders where deferred_collected = deferred_part",
      [],
    );
    return Number(rows[0]?.collected);
  });
}

/** Plays every outage whose name contains the text, and this many healthy lives. Returns the alerts that were wrong. */
export async function playOutages(
  ground: Ground,
  {
    only,
    lives,
    seed,
    say,
  }: {
    readonly only: string;
    readonly lives: number;
    readonly seed: string;
    readonly say: (line: string) => void;
  },
): Promise<string> {
  const wrong: string[] = [];
  const outages: Expected[] = [];
  for (const [name, outage] of Object.entries(OUTAGES)) {
    if (!name.includes(only)) continue;
    const played = await playOutage(ground, name, outage);
    say(`${name}: ${played.recorder.count} samples, ${outage.alerts.map((alert) => alert.name).join(" and ")}`);
    outages.push(played);
  }
  if (outages.length > 0) wrong.push(await evaluate(outages));
  for (let played = 0; played < lives; played += LIVES_TOGETHER) {
    const together = Math.min(LIVES_TOGETHER, lives - played);
    const healthy = await playHealthyLives(ground, { lives: together, seed: `${seed}:${played}` });
    wrong.push(await evaluate([healthy]));
    say(
      `${healthy.name}: ${healthy.recorder.count} samples; wrong so far: ${wrong.filter((text) => text !== "").length}`,
    );
  }
  return wrong.filter((text) => text !== "").join("\n");
}

/** The maximum number of lives in one world at a time. */
const LIVES_TOGETHER = 100;
