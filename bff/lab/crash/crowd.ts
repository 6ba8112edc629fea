import { setTimeout as pause } from "node:timers/promises";
import { Agent, type Dispatcher, fetch } from "undici";
import { NOT_TAKEN } from "../../src/app/listen.ts";
import { type Customer, type CustomerWorld, createCustomer } from "../sim/customer.ts";
import type { Acknowledged } from "../sim/facts.ts";
import type { InjectedAnswer, InjectedRequest } from "../sim/inject.ts";
import type { Instance } from "../sim/instance.ts";
import { GOOD_CARD, type OrderPlan, planLife, UNANSWERED_CARDS } from "../sim/life-plan.ts";
import { type Random, randomOf } from "../sim/random.ts";
import type { Partner } from "../sim/world.ts";

/** The address of the service, or of the proxy in front of it. */
export interface FaceUrls extends Readonly<Record<"order" | "spot", string>> {
  /** The certificate to trust if the addresses are https. */
  readonly ca?: string;
}

export interface Crowd {
  /** Keeps this many customers buying at the same time, until stopped. */
  come(atOnce: number): Promise<void>;
  stopComing(): void;
  /** Lets every customer who waits for an answer retry. Returns whether all were answered. */
  goOn(): Promise<boolean>;
  /** Lets every clinic send its refunds again, once. Returns whether there was any that had not been sent again. */
  sendRefundsAgain(): Promise<boolean>;
  customers(): readonly Customer[];
  acknowledged(): readonly Acknowledged[];
  /** Unexplained answers. */
  readonly wrong: string[];
}

export interface CrowdOptions {
  readonly seed: number;
  readonly world: CustomerWorld;
  readonly partners: readonly [Partner, ...Partner[]];
  readonly urls: FaceUrls;
  /** Whether the customers' cards always get an answer, as drills need whose alerts are read. */
  readonly isAnswered?: boolean;
  /** Called for every answer, with null if there is none. `sentAt` is a value of `performance.now()`. */
  readonly watch?: Watch;
}

export type Watch = (request: InjectedRequest, answer: InjectedAnswer | null, sentAt: number) => void;

const ANSWER_WITHIN_MS = 25_000;
/** The maximum number of steps of a customer. */
const DEEDS_MAX = 40;

export function createCrowd({ seed, world, partners, urls, isAnswered = false, watch }: CrowdOptions): Crowd {
  const wrong: string[] = [];
  const customers: Customer[] = [];
  const lines = new Map<Customer, Instance>();
  const repeated = new Set<Customer>();
  let isOver = false;

  const comeOne = (): { customer: Customer; line: Instance; random: Random } => {
    const number = customers.length;
    const plan = planOf(seed, number, isAnswered);
    const partner = partners[plan.provider] ?? partners[0];
    const customer = createCustomer(world, partner, plan, number, (_, request, answer) => {
      if (answer !== null && answer.status >= 500 && answer.status !== 503 && answer.status !== NOT_TAKEN)
        wrong.push(`${request.method} ${nameOf(request)} was answered ${answer.status} ${answer.body?.code}`);
    });
    customers.push(customer);
    const line = lineOf(urls, number, watch);
    lines.set(customer, line);
    return { customer, line, random: randomOf(`crowd:${seed}:${number}`) };
  };

  const live = async () => {
    while (!isOver) {
      const { customer, line, random } = comeOne();
      for (let deeds = 0; deeds < DEEDS_MAX && !isOver; deeds += 1) {
        await forgiving(wrong, () => doSomething(customer, line, random));
        if (!customer.waitsForAnswers() && random.percent(35)) break;
        await pause(5 + random.below(60));
      }
    }
  };

  return {
    wrong,
    customers: () => customers,
    acknowledged: () => customers.flatMap((customer) => customer.acknowledged),
    come: async (atOnce) => void (await Promise.all(Array.from({ length: atOnce }, live))),
    stopComing() {
      isOver = true;
    },
    async goOn() {
      const waiting = customers.filter((customer) => customer.waitsForAnswers());
      for (const customer of waiting) {
        const line = lines.get(customer);
        if (line !== undefined) await forgiving(wrong, () => customer.goOn(line));
      }
      return waiting.length === 0;
    },
    async sendRefundsAgain() {
      const left = customers.filter((customer) => !repeated.has(customer));
      for (const customer of left) {
        repeated.add(customer);
        const line = lines.get(customer);
        if (line !== undefined) await forgiving(wrong, () => customer.sendRefundsAgain(line));
      }
      return left.length > 0;
    },
  };
}

/** This many of the first customers have claims of every kind. */
const VARIOUS_CLAIMS = 12;
const SOON_APPROVED = "40100000-3";
/** Claims of these patients are polled for weeks, each at its own times. A few of them cover as much as a hundred. */
const LONG_CLAIMS = ["41064117-8", "41201848-6", "41339579-8", "40008548-K", "40000778-0", "41477310-9", "41752772-9"];

function planOf(seed: number, number: number, isAnswered: boolean): OrderPlan {
  const [planned] = planLife(seed + number).orders;
  if (planned === undefined) throw new Error("Every life has an order.");
  // The partners here have no centres.
  const plan = { ...planned, cards: isAnswered ? answeredCards(planned.cards) : planned.cards, center: null };
  const isLong = LONG_CLAIMS.includes(plan.rut);
  return isLong && number >= VARIOUS_CLAIMS ? { ...plan, rut: SOON_APPROVED } : plan;
}

function answeredCards([first, ...others]: OrderPlan["cards"]): OrderPlan["cards"] {
  const answered = (card: string) => (UNANSWERED_CARDS.includes(card) ? GOOD_CARD : card);
  return [answered(first), ...others.map(answered)];
}

/** Takes the next step, occasionally twice at once, and performs partners' actions at any time, also concurrently. */
async function doSomething(customer: Customer, line: Instance, random: Random): Promise<void> {
  const refund = () => customer.refund(line, { share: random.below(4), by: random.pick(["header", "reference"]) });
  const dice = random.below(100);
  if (dice < 10) await Promise.all([customer.goOn(line), customer.goOn(line)]);
  else if (dice < 16) await refund();
  else if (dice < 24) await Promise.all([refund(), refund()]);
  else if (dice < 26) await Promise.all([refund(), customer.goOn(line)]);
  else if (dice < 27) await customer.cancel(line);
  else if (dice < 29) await Promise.all([customer.cancel(line), customer.goOn(line)]);
  else await customer.goOn(line);
}

/** The customers' own actions write to the sandbox's database. If it is unavailable, they retry later. */
async function forgiving(wrong: string[], deed: () => Promise<void>): Promise<void> {
  try {
    await deed();
  } catch (error) {
    const isAway = error instanceof Error && ["DatabaseUnavailable", "DatabaseClosed"].includes(error.name);
    if (!isAway) wrong.push(`a customer threw ${String(error)}`);
  }
}

function nameOf({ url }: InjectedRequest): string {
  return (url.split("?")[0] ?? "").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{hash}");
}

/** A customer's connection to the service, over the network. */
function lineOf(urls: FaceUrls, number: number, watch: Watch = () => undefined): Instance {
  const address = addressOf(number);
  const connect = urls.ca === undefined ? {} : { ca: urls.ca };
  // Idle connections are closed soon, because there are thousands of customers.
  const dispatcher = new Agent({ connect, localAddress: address, keepAliveTimeout: 500, keepAliveMaxTimeout: 500 });
  return {
    get life(): never {
      throw new Error("A separate process has no state that could be inspected.");
    },
    skewMs: 0,
    command: () => Promise.resolve(),
    runDue: () => Promise.resolve(),
    async ask(face, request) {
      const sentAt = performance.now();
      const answer = await ask(`${urls[face]}${request.url}`, request, address, dispatcher);
      watch(request, answer, sentAt);
      return answer;
    },
  };
}

/**
 * Unique per customer, so that no limit by address is reached. nginx sees it as the connection's address; a process
 * that is called directly reads it from a header.
 */
function addressOf(number: number): string {
  return `127.${1 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
}

/** Null without an answer; then it is unknown whether the request took effect. */
async function ask(
  url: string,
  { method, headers, body }: InjectedRequest,
  address: string,
  dispatcher: Dispatcher,
): Promise<InjectedAnswer | null> {
  try {
    const response = await fetch(url, {
      dispatcher,
      method,
      headers: { ...headers, "x-forwarded-for": address },
      body: body === undefined ? null : new Uint8Array(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    // A proxy answers 502 for a process that gave no answer.
    if (response.status === 502) return null;
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  } catch {
    return null;
  }
}
