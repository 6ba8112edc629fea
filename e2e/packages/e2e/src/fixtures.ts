import {
  findScenario,
  getKeys,
  keysOfVariables,
  moveClock,
  newTenant,
  type Played,
  playScenario,
  readClock,
  readEvents,
  readMail,
  type SandboxKeys,
  type ScenarioName,
  variablesOf,
} from "@aapd/server/sandbox";
import { test as base, expect } from "@playwright/test";

/* Fixtures for partners' own browser tests: a tenant of the sandbox for each worker, its clock, events and messages. */

export interface SandboxOptions {
  /** The order API of the sandbox. Default: the variable `ORDER_API`. */
  readonly orderApi?: string;
  /** Pages that may frame the checkout. Default: the origin of `baseURL`. */
  readonly origins?: readonly string[];
  /**
   * `worker` (default): each worker creates its own tenant. `variables`: all workers use the keys in the variables of
   * `aapd-dev env`, for a back end that is already running with them.
   */
  readonly tenant?: "worker" | "variables";
  /** Whether each worker's tenant is a meta-provider. */
  readonly meta?: boolean;
}

/** A provider of the sandbox, with its own credentials, patients and clock. */
export interface Tenant {
  readonly keys: SandboxKeys;
  /** The variables that the guide's code reads, for a back end that the test starts. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Clock {
  /** Moves the tenant's time forward (`5d`, `1d12h`), and waits until all work due meanwhile is done. */
  advance(duration: string): Promise<void>;
  now(): Promise<Date>;
}

export type SandboxEvent = Awaited<ReturnType<typeof readEvents>>["events"][number] & {
  /** The order's hash, of an event about an order. */
  readonly order_hash?: string;
};

export interface Events {
  /** Every event since the test began, in order. */
  all(): Promise<readonly SandboxEvent[]>;
  /** Waits for an event of this kind since the test began, of this order if its hash is given. */
  next(kind: string, orderHash?: string): Promise<SandboxEvent>;
}

/** An e-mail or a phone message to a patient. */
export interface Message {
  readonly to: string;
  /** Null for a phone message. */
  readonly subject: string | null;
  readonly text: string;
  /** The first address in the text, such as the link to a patient's payment page. */
  readonly link: string | null;
  /** The code of six digits in the text. */
  readonly code: string | null;
}

export interface Mail {
  /** The messages to an e-mail address or a telephone number (E.164), newest first. */
  to(address: string): Promise<readonly Message[]>;
  /** Waits for a message to this address; of several, the newest. */
  next(address: string, subject?: string | RegExp): Promise<Message>;
}

export interface SandboxFixtures {
  readonly clock: Clock;
  readonly events: Events;
  readonly mail: Mail;
  /** Plays an order of another patient through a scenario of `aapd-dev trigger`, without a browser. */
  readonly trigger: (scenario: ScenarioName) => Promise<Played>;
}

/** Test with the sandbox. Extend it with your own fixtures. */
export const test = base.extend<SandboxFixtures, { readonly sandbox: SandboxOptions; readonly tenant: Tenant }>({
  sandbox: [{}, { option: true, scope: "worker" }],
  tenant: [
    async ({ sandbox }, use, { project, workerIndex }) => {
      const { baseURL } = project.use;
      const origins = sandbox.origins ?? (baseURL === undefined ? [] : [new URL(baseURL).origin]);
      const keys = await keysFor(sandbox, origins, workerIndex);
      await use({ keys, variables: variablesOf(keys) });
    },
    { scope: "worker", timeout: 60_000 },
  ],
  clock: async ({ tenant: { keys } }, use) => {
    await use({
      advance: async (duration) => {
        await moveClock(keys, duration);
      },
      now: async () => new Date((await readClock(keys)).now),
    });
  },
  events: async ({ tenant: { keys } }, use) => {
    const { after } = await readEvents(keys, null);
    const all = async (): Promise<readonly SandboxEvent[]> => (await readEvents(keys, after)).events;
    await use({
      all,
      next: (kind, orderHash) =>
        awaited(`the event ${kind}`, async () =>
          (await all()).find(
            (event) => event.event === kind && (orderHash === undefined || event.order_hash === orderHash),
          ),
        ),
    });
  },
  mail: async ({ tenant: { keys } }, use) => {
    const to = async (address: string) => messagesOf(await readMail(keys, { to: address.replaceAll(" ", "") }));
    await use({
      to,
      next: (address, subject = "") =>
        awaited(`a message to ${address}`, async () =>
          (await to(address)).find((message) => contains(message.subject ?? "", subject)),
        ),
    });
  },
  trigger: async ({ tenant: { keys } }, use) => {
    await use((name) => {
      const scenario = findScenario(name);
      if (scenario === null) throw new Error(`There is no scenario ${name}.`);
      return playScenario(keys, scenario);
    });
  },
});

const WAIT_MS = 30_000;

async function keysFor(
  { orderApi = process.env.ORDER_API, tenant = "worker", meta }: SandboxOptions,
  origins: readonly string[],
  worker: number,
): Promise<SandboxKeys> {
  const given = keysOfVariables(process.env);
  const wanted = { name: `Worker ${worker}`, origins, meta };
  if (given !== null) return tenant === "variables" ? given : newTenant(given, wanted);
  if (tenant === "variables") throw new Error('Set the variables that "npx aapd-dev env" prints.');
  if (orderApi === undefined) throw new Error("Set ORDER_API, or the option sandbox.orderApi.");
  return getKeys(orderApi, wanted);
}

async function awaited<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined;
  await expect
    .poll(
      async () => {
        found = await find();
        return found !== undefined;
      },
      { message: what, timeout: WAIT_MS },
    )
    .toBe(true);
  return found as T;
}

function contains(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}

function messagesOf({ notices, messages }: Awaited<ReturnType<typeof readMail>>): Message[] {
  const sent = [...notices, ...messages.map((message) => ({ ...message, subject: null }))];
  return sent
    .toSorted((one, other) => other.sent_at.localeCompare(one.sent_at))
    .map(({ to, subject, text }) => ({
      to,
      subject,
      text,
      link: /https?:\/\/\S+/.exec(text)?.[0] ?? null,
      code: /(?:^|#)(\d{6})$/m.exec(text)?.[1] ?? null,
    }));
}
