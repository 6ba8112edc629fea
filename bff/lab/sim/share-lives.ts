import { fork } from "node:child_process";
import { once } from "node:events";
import * as z from "zod";

/** The report of one process on its lives. */
const numbersSchema = z.record(z.string(), z.number());
export type LifeNumbers = z.infer<typeof numbersSchema>;

/** Thrown when a process that plays lives ends before its report. */
export class PlayerLost extends Error {
  override readonly name = "PlayerLost";
}

/**
 * Plays lives in several processes of this program, each with its own arguments, and adds up their reports. They write
 * to this one's output. With `untilFails` the first one with a violation ends the others.
 */
export async function shareLives(
  script: string,
  parts: readonly (readonly string[])[],
  { untilFails }: { readonly untilFails: boolean },
): Promise<LifeNumbers> {
  const players = parts.map((args) => fork(script, [...args]));
  const reported = await Promise.all(
    players.map(async (player) => {
      const ended = once(player, "exit");
      const numbers = await Promise.race([once(player, "message"), ended.then(() => null)]);
      const isEnded = untilFails && players.some((other) => other.killed);
      if (numbers === null && !isEnded) throw new PlayerLost("A process that plays lives has ended before its time.");
      const counts = numbersSchema.parse(numbers?.[0] ?? {});
      if (untilFails && (counts.violations ?? 0) > 0) for (const other of players) if (other !== player) other.kill();
      await ended;
      return counts;
    }),
  );
  const sums = new Map<string, number>();
  for (const counts of reported)
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** Reports the lives of this process to its parent. Returns whether it has a parent. */
export async function tellWhoShares(numbers: LifeNumbers): Promise<boolean> {
  if (process.send === undefined) return false;
  // This process may only end on request.
  await new Promise((reported) => process.send?.(numbers, reported));
  return true;
}
