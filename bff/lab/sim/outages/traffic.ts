import { checkDigitOf } from "../../../src/contract/vocabulary/rut.ts";
import { type Customer, createCustomer } from "../customer.ts";
import { createRecorder, EVERY_SECONDS, type Recorder } from "./series.ts";
import type { OutageService } from "./service.ts";

/** All steps of a patient and their clinic for an order: the order, registration, identity, card, payment, receipt. */
const STEPS_OF_A_LIFE = 8;
const GOOD_CARD = "4051885600446623";
const FIRST_RUT = 20_000_000;

/** The service and its arriving patients, as Prometheus sees them. */
export interface Traffic {
  /** Starts recording. */
  record(): Recorder;
  /** The number of lives started so far. */
  readonly lives: number;
  readonly now: () => Date;
  /** The card of all later payments. */
  card: string;
  /** The RUT of all later patients; null for a new one each. */
  rut: string | null;
  /** Advances by one sample, during which this many patients arrive. */
  next(arriving: number): Promise<void>;
  /** Moves to a moment without customers, running due work on the way. */
  skipTo(moment: Date): Promise<void>;
}

export function createTraffic(service: OutageService): Traffic {
  const { world, instance, partner } = service;
  const { stage } = world;
  let recorder: Recorder | null = null;
  const active: { readonly customer: Customer; steps: number }[] = [];
  let lives = 0;
  const begin = (card: string) => {
    const rut = traffic.rut ?? rutNumber(FIRST_RUT + lives);
    const plan = {
      provider: 0,
      center: null,
      rut,
      total: 40_000 + lives,
      cards: [card] as const,
      presses: "approve" as const,
      registers: true,
      receiptFirst: false,
    };
    active.push({ customer: createCustomer(world, partner, plan, lives, () => undefined), steps: 0 });
    lives += 1;
  };
  const happen = async (moment: Date, arriving: number) => {
    stage.beginStep(moment.toISOString());
    stage.clock.set(moment);
    for (let count = 0; count < arriving; count += 1) begin(traffic.card);
    for (const one of active) {
      await one.customer.goOn(instance);
      one.steps += 1;
    }
    for (const [index, { steps }] of [...active.entries()].toReversed())
      if (steps >= STEPS_OF_A_LIFE) active.splice(index, 1);
    await instance.runDue();
    recorder?.keep(moment, await service.metrics());
  };
  const traffic: Traffic = {
    record() {
      recorder = createRecorder(stage.clock.now());
      return recorder;
    },
    get lives() {
      return lives;
    },
    card: GOOD_CARD,
    rut: null,
    now: () => stage.clock.now(),
    next: (arriving) => happen(new Date(stage.clock.now().getTime() + EVERY_SECONDS * 1_000), arriving),
    skipTo: (moment) => happen(moment, 0),
  };
  return traffic;
}

function rutNumber(body: number): string {
  return `${body}-${checkDigitOf(body)}`;
}
