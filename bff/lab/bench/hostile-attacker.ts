import { setTimeout as wait } from "node:timers/promises";
import { type LoadConnection, openConnection } from "./load.ts";

/*
 * Sends requests from many addresses at a steady rate, without waiting for earlier answers. Runs each attack that its
 * parent sends, and returns the answers by status.
 */

export interface Attack {
  /** Whole requests with the placeholder `FROM` for the address; each address sends them in rotation. */
  readonly requests: readonly { readonly port: number; readonly text: string }[];
  readonly addresses: number;
  readonly perSecond: number;
  readonly milliseconds: number;
}

export interface AttackResult {
  readonly sent: number;
  /** Not sent because all connections of the address were waiting for answers. */
  readonly left: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

export const FROM = "203.0.113.FROM";
/** As many as a browser opens to one host. */
const CONNECTIONS = 6;

async function run({ requests, addresses, perSecond, milliseconds }: Attack): Promise<AttackResult> {
  const statuses: Record<string, number> = {};
  let [sent, left] = [0, 0];
  const attackFrom = async (address: number) => {
    const idle = new Map<number, LoadConnection[]>();
    let open = 0;
    const send = async ({ port, text }: Attack["requests"][number]) => {
      const free = idle.get(port) ?? [];
      idle.set(port, free);
      if (free.length === 0 && open === CONNECTIONS) {
        left += 1;
        return;
      }
      if (free.length === 0) open += 1;
      sent += 1;
      const connection = free.pop() ?? (await openConnection(port));
      try {
        const { status } = await connection.send(text.replace(FROM, `203.0.113.${address}`));
        statuses[status] = (statuses[status] ?? 0) + 1;
        free.push(connection);
      } catch {
        statuses.closed = (statuses.closed ?? 0) + 1;
        connection.close();
        open -= 1;
      }
    };
    const everyMs = 1_000 / perSecond;
    await wait((everyMs * address) / addresses);
    const begun = performance.now();
    const answers: Promise<void>[] = [];
    for (let turn = 0; turn * everyMs < milliseconds; turn += 1) {
      await wait(Math.max(0, begun + turn * everyMs - performance.now()));
      const request = requests[(turn + address) % requests.length];
      if (request !== undefined) answers.push(send(request));
    }
    await Promise.all(answers);
    for (const connection of [...idle.values()].flat()) connection.close();
  };
  await Promise.all(Array.from({ length: addresses }, (_, address) => attackFrom(address)));
  return { sent, left, statuses };
}

process.once("disconnect", () => process.exit(0));
process.on("message", (attack: Attack) => void run(attack).then((result) => process.send?.(result)));
process.send?.("ready");
