import { type OrderId, readOrderId } from "../../src/contract/vocabulary/identifiers.ts";
import { cardFor, seal } from "../../test/http/gateways/start-gateways.ts";
import type { InjectedAnswer } from "../sim/inject.ts";
import type { Instance } from "../sim/instance.ts";
import type { LifePlan } from "../sim/life-plan.ts";
import { jsonRequest } from "../sim/requests.ts";
import { consentsTo, type Ground, openWorld, type Partner, type World } from "../sim/world.ts";
import { type HeldCalls, holdCalls } from "./held-calls.ts";
import type { ModelState } from "./model-state.ts";

/*
 * The simulation's world, in which one process of the service serves one order after the other, nothing happens by itself,
 * and each call by which money moves waits until a trace lets it go.
 */

export interface ReplayWorld {
  readonly world: World;
  readonly calls: HeldCalls;
  /** What the service logged as a failure since this was last emptied. */
  readonly failures: string[];
}

/** A provider that captures after the credit is decided, and one that captures first. */
const PLAN: Omit<LifePlan, "seed"> = {
  providers: [false, true].map((captureFirst) => ({
    captureFirst,
    unpaidOrderExpiryMinutes: 24 * 60,
    centers: [],
    feePercentage: 0,
    knownPatients: true,
  })),
  orders: [],
  steps: [],
};

export async function openReplayWorld(ground: Ground, seed: number): Promise<ReplayWorld> {
  const calls = holdCalls();
  const failures: string[] = [];
  const world = await openWorld(
    ground,
    { ...PLAN, seed },
    {
      tampering: { call: calls.tamper },
      onFailure: ({ event, error }) => {
        if (error !== undefined) failures.push(`${event}: ${String(error)}`);
      },
    },
  );
  // Partners' receivers are not modelled.
  await ground.database.withSession((session) =>
    session.script("update webhook_endpoints set deleted_at = created_at"),
  );
  return { world, calls, failures };
}

/** When a timer falls due that no step of a trace has fired: never. */
const PARKED = "2100-01-01T00:00:00Z";

/**
 * Timers fall due when a trace says so, apart from the outbox: a timer may always be late. What is not modelled, as mails and
 * payouts, does not run at all.
 */
export async function parkTimers({ database }: Ground): Promise<void> {
  await database.withSession((session) =>
    session.script(`
      create function model_park_timer() returns trigger language plpgsql as $$
      begin
        if new.kind <> 'outbox.dispatch' and current_setting('model.fires', true) is distinct from 'on' then
          new.due_at := '${PARKED}';
        end if;
        return new;
      end $$;
      create trigger model_park before insert or update of due_at on timers
        for each row execute function model_park_timer();`),
  );
}

/** One order, as its patient, its partner and its lender know it. */
export interface Replayed {
  readonly orderId: OrderId;
  readonly partner: Partner;
  readonly instance: () => Instance;
}

const RUTS: Readonly<Record<ModelState["lender"], string>> = {
  good: "40100000-3",
  refused: "40237731-3",
  review_authorised: "40375462-5",
  review_refused: "40513193-5",
  confirmation_refused: "40650924-9",
};

export const TOTAL = 100_000;

/** An order whose patient is known and may give a card. */
export async function createReplayed(
  { world }: ReplayWorld,
  { captureFirst, lender }: ModelState,
  number: number,
): Promise<Replayed> {
  const partner = world.partners[captureFirst ? 1 : 0];
  const instance = () => {
    const [first] = world.instances;
    if (first === undefined) throw new Error("A world has instances.");
    return first;
  };
  if (partner === undefined) throw new Error("The world has both providers.");
  const customer = {
    rut: RUTS[lender],
    first_name: "Camila",
    last_name: "Rojas Fuentes",
    email: `${lender}@example.com`,
    phone_number: "+56912345678",
  };
  const headers = { authorization: `Bearer ${partner.credentials.client_secret}` };
  const body = { reference: `trace-${number}`, total_amount: TOTAL, customer };
  const made = await answered(world, instance().ask("order", jsonRequest("POST", "/orders", { headers, body })));
  const hash: unknown = made?.status === 201 ? made.body.hash : null;
  const orderId = typeof hash === "string" ? readOrderId(hash) : null;
  if (orderId === null) throw new Error(`An order was answered ${made?.status} ${JSON.stringify(made?.body)}.`);
  const replayed = { orderId, partner, instance };
  const known = await asPatient(world, replayed, "/validate_customer_identity", { document_serial: "123.456.789" });
  if (known?.status !== 200)
    throw new Error(`An identity was answered ${known?.status} ${JSON.stringify(known?.body)}.`);
  return replayed;
}

/** A request that needs no call which is held. */
async function answered(
  { stage }: Pick<World, "stage">,
  asked: Promise<InjectedAnswer | null>,
): Promise<InjectedAnswer | null> {
  const answer = await asked;
  await stage.quiet();
  return answer;
}

export function asPatient(
  world: World,
  { orderId, partner, instance }: Replayed,
  path: string,
  body: object,
): Promise<InjectedAnswer | null> {
  const headers = { authorization: `Bearer ${partner.credentials.client_id}` };
  return answered(world, instance().ask("order", jsonRequest("POST", `/orders/${orderId}${path}`, { headers, body })));
}

export function asPartner(
  { orderId, partner, instance }: Replayed,
  method: string,
  path: string,
  body?: object,
): Promise<InjectedAnswer | null> {
  const headers = { authorization: `Bearer ${partner.credentials.client_secret}` };
  return instance().ask("order", jsonRequest(method, `/orders/${orderId}${path}`, { headers, body }));
}

/** The patient presses *pay*; the answer comes when the calls are through. */
export function pay({ orderId, partner, instance }: Replayed): Promise<InjectedAnswer | null> {
  const headers = { authorization: `Bearer ${partner.credentials.client_id}` };
  const body = { consents: consentsTo("payment") };
  return instance().ask("order", jsonRequest("POST", `/orders/${orderId}/payment`, { headers, body }));
}

/** The sandbox's cards, by what the model calls them. */
const CARDS: Readonly<Record<string, string>> = {
  good: "4051885600446623",
  declined: "4051885600000016",
  challenge: "4051885600000040",
  later_declined: "4051885600000065",
  later_stolen: "5186059550000021",
};

export async function addCard(world: World, replayed: Replayed, card: string): Promise<void> {
  const { stage, parties } = world;
  // Each trace may pass 45 days, so that a world comes to years in which a card of today has expired.
  const sealed = cardFor(replayed.orderId, stage.clock.now(), {
    number: CARDS[card],
    exp_year: stage.clock.now().getUTCFullYear() + 5,
  });
  const sealed_card = await stage.alone(async () => seal(await parties.cardProcessor.sealingKey(), sealed));
  const answer = await asPatient(world, replayed, "/add_payment_method", { sealed_card });
  if (answer?.status !== 200) throw new Error(`A card was answered ${answer?.status} ${JSON.stringify(answer?.body)}.`);
}

/** Does what is due now: what a trace has fired, and the outbox. Calls that are held do not hold this up. */
export async function runDue({ world }: ReplayWorld, { instance }: Pick<Replayed, "instance">): Promise<void> {
  if (!(await isAnythingDue(world))) return;
  void instance().runDue();
  await world.stage.quiet();
  // A living worker renews its leases.
  await world.database.withSession((session) =>
    session.query("update timers set lease_until = $1 where lease_until is not null and done_at is null", [PARKED]),
  );
}

/** To ask costs a fifth of what a worker's own look at timers and deliveries does, and after most steps there is nothing. */
async function isAnythingDue({ database, stage }: World): Promise<boolean> {
  const isDue = "due_at <= $1 and done_at is null and (lease_until is null or lease_until <= $1)";
  const { rows } = await database.withSession((session) =>
    session.query(`select from timers where ${isDue} limit 1`, [stage.clock.now()]),
  );
  return rows.length > 0;
}

export interface TimerOf {
  readonly kind: string;
  readonly key: string;
}

/** Makes a timer due now. Of a kind that comes in series, the latest of the order that `key` names. */
export async function fire({ world }: ReplayWorld, { kind, key }: TimerOf): Promise<void> {
  await world.stage.busy(() =>
    world.database.withSession((session) =>
      session.query(
        `update timers set due_at = $1 from (select set_config('model.fires', 'on', true)) fires
          where kind = $2 and done_at is null and lease_until is null and key =
            (select max(key) from timers where kind = $2 and key ~ ('^' || $3 || '(:[0-9]{13})?$'))`,
        [world.stage.clock.now(), kind, key],
      ),
    ),
  );
}

/** Its leases run out before anything goes on. */
const LEASES_MS = 31_000;

export async function killProcess({ world, calls }: ReplayWorld, { instance }: Replayed): Promise<void> {
  instance().life.die();
  calls.forget();
  world.restart(0);
  // What it was about to do waits for the trace again.
  await world.database.withSession((session) =>
    session.query("update timers set lease_id = null, lease_until = null, due_at = due_at where done_at is null", []),
  );
  passTime(world, LEASES_MS);
}

export function passTime({ stage: { clock } }: World, milliseconds: number): void {
  clock.set(new Date(clock.now().getTime() + milliseconds));
}
