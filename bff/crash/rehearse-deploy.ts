import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createKeyring } from "../src/platform/keyring.ts";
import { readOrMakeKeyringFile } from "../src/platform/keyring-file.ts";
import { createCrowd } from "./crowd.ts";
import { prepareGround } from "./ground.ts";
import { startProcesses, tellReceivers } from "./processes.ts";
import { startPartnerReceiver } from "./receivers.ts";

export interface DeployOptions {
  readonly seed: number;
  /** How often every process is replaced. */
  readonly times: number;
  readonly folder: string;
  readonly databaseUrl: string;
  readonly customersAtOnce: number;
  /** Processes are killed, and nobody is told: to see that errors are noticed. */
  readonly isAbrupt: boolean;
  readonly say: (line: string) => void;
}

export interface DeployOutcome {
  readonly processesReplaced: number;
  readonly answers: number;
  /** Requests of customers that were answered by nobody, or with an error of the service's. */
  readonly errors: readonly string[];
}

const PROCESSES = 2;
/** Longer than nginx takes to have every new connection served by its new configuration. */
const DRAIN_SECONDS = 2;

/**
 * Replaces every process again and again, as the runbook says, while customers use the service: nginx is told to leave it out,
 * it drains, ends, is started again, and is taken back once it is ready.
 */
export async function rehearseDeploys(options: DeployOptions): Promise<DeployOutcome> {
  const { folder, seed, databaseUrl, isAbrupt, say } = options;
  const closing: (() => unknown)[] = [];
  try {
    const receivers = [await startPartnerReceiver(), await startPartnerReceiver()];
    closing.push(() => receivers.map(({ close }) => close()));
    await mkdir(join(folder, "bff"), { recursive: true });
    const keys = await readOrMakeKeyringFile(join(folder, "bff/keyring.json"));
    const ground = await prepareGround(databaseUrl, createKeyring({ keys, environment: "staging" }), receivers);
    closing.push(() => ground.database.close());
    const wanted = { folder, databaseUrl, count: PROCESSES, plant: null, drainSeconds: isAbrupt ? 0 : DRAIN_SECONDS };
    const { services, urls, leaveOut } = await startProcesses(wanted, closing);
    await tellReceivers(ground, urls);
    const outcome = { processesReplaced: 0, answers: 0, errors: [] as string[] };
    const crowd = createCrowd({
      ...{ seed, world: ground.world, partners: ground.partners, urls },
      watch({ method, url }, answer) {
        outcome.answers += 1;
        const isError = answer === null || (answer.status >= 500 && !SIMULATED.has(answer.body?.code));
        const where = `${method} ${url.split("?")[0]?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{hash}")}`;
        if (isError) outcome.errors.push(`${where}: ${answer === null ? "no answer" : answer.status}`);
      },
    });
    const coming = crowd.come(options.customersAtOnce);
    for (let time = 1; time <= options.times; time += 1) {
      for (const service of services) {
        if (isAbrupt) await service.kill();
        else {
          await leaveOut(service);
          await service.stop();
        }
        await service.start();
        if (!isAbrupt) await leaveOut(null);
        outcome.processesReplaced += 1;
      }
      say(`deploy ${time}: ${outcome.answers} answers, ${outcome.errors.length} errors`);
    }
    crowd.stopComing();
    await coming;
    return { ...outcome, errors: [...outcome.errors, ...crowd.wrong] };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** What the sandbox's parties answer of themselves: their outage is not the service's. */
const SIMULATED: ReadonlySet<unknown> = new Set(["identity_registry_unavailable"]);
