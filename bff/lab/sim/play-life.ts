import { exceptionId } from "../../src/back-office/exceptions/exception.ts";
import { takesResolution } from "../../src/back-office/exceptions/exception-kinds.ts";
import { isClaimOver } from "../../src/claims/claim-reads.ts";
import { dueNow } from "../../src/collection/upcoming-charge.ts";
import { cellOf, type Met, takeTransitions } from "./coverage.ts";
import { type Customer, createCustomer } from "./customer.ts";
import { deployBefore } from "./deploy.ts";
import { type Facts, noFacts, readFacts, readLog, type Seen } from "./facts.ts";
import type { Instance, Tampering } from "./instance.ts";
import { ALWAYS, AT_REST, statesOnlyAlongTheTable, violations } from "./invariants.ts";
import type { Happening, LifePlan, OperatorResolution, Step } from "./life-plan.ts";
import { readMoment, takeHistory } from "./moment.ts";
import { type Histories, notBySteps } from "./path-rule.ts";
import { type Random, randomOf } from "./random.ts";
import { jsonRequest } from "./requests.ts";
import { countTroubles, type Moment, type Trouble } from "./trouble.ts";
import { type Failure, type Ground, openWorld, registerCenter, type World } from "./world.ts";

/** The result of a life. */
export interface LifeOutcome {
  /** The first violation; none in a good life. */
  readonly violations: readonly string[];
  /** Failures of processes of the previous version, if one started the life. */
  readonly failedBefore: readonly string[];
  /** The number of the step after which the violation was seen; null if it was seen at rest, or never. */
  readonly step: number | null;
  /** Hash of everything that happened, to compare with another run of the same life. */
  readonly fingerprint: string;
  /** The last events, for the reader of a failure. */
  readonly tail: readonly string[];
  /** All facts at the end of the life. */
  readonly facts: Facts;
  /** The played steps, for counts over many lives. */
  readonly counts: LifeCounts;
  /** The covered cells; see `coverage.ts`. */
  readonly met: Met;
  /** Where each line of the coverage was first hit in a step. */
  readonly moments: ReadonlyMap<string, Moment>;
}

export interface LifeCounts {
  readonly orders: number;
  readonly paid: number;
  readonly collected: number;
  readonly refunds: number;
  readonly payouts: number;
  /** Charges that patients have requested themselves. */
  readonly asked: number;
  readonly cards_changed: number;
  readonly written_off: number;
  readonly withdrawn: number;
  /** Payments with a card that was saved earlier, and removed saved cards. */
  readonly paid_with_saved: number;
  readonly cards_removed: number;
  readonly erased: number;
  readonly deaths: number;
  readonly acknowledged: number;
}

interface Playing {
  readonly world: World;
  readonly customers: readonly Customer[];
  readonly wrong: string[];
  /** The state of each order when it was last read. */
  readonly histories: Histories;
  deaths: number;
  facts: Facts;
  /** The WAL position when the facts were last read; null before that. */
  log: string | null;
}

/** Plays a life to its end, or to its first violation. The same plan always gives the same result. */
export async function playLife(ground: Ground, plan: LifePlan, tampering: Tampering = {}): Promise<LifeOutcome> {
  const wrong: string[] = [];
  const failedBefore: string[] = [];
  const onFailure = (failure: Failure) => {
    const text = unexplained(failure);
    if (text === null) return;
    if (failure.isOfBefore) failedBefore.push(text);
    else wrong.push(`noFailureWithoutACause: ${failure.instance} ${text}`);
  };
  const world = await openWorld(ground, plan, { tampering, onFailure });
  const customers = plan.orders.map((order, number) => {
    const partner = world.partners[order.provider];
    if (partner === undefined) throw new Error("An order is of a partner.");
    return createCustomer(world, partner, order, number, (instance, { method, url }, answer) => {
      world.stage.note(`${instance.life.name} ${method} ${url.split("?")[0]} ${answer?.status ?? "no answer"}`);
      if (answer === null || answer.status < 500 || instance.life.troubles().happened().length > 0) return;
      const text = `${method} ${url.split("?")[0]} was answered ${answer.status}`;
      if (world.isOfBefore(instance)) failedBefore.push(text);
      else wrong.push(`noFailureWithoutACause: ${text}`);
    });
  });
  const facts = noFacts(seen(world));
  const playing: Playing = { world, customers, wrong, histories: new Map(), deaths: 0, facts, log: null };
  let step: number | null = null;
  for (const each of plan.steps) {
    step = each.number;
    await goOnDeploying(playing, plan, each.number);
    await playStep(playing, each);
    await look(playing);
    if (wrong.length > 0) break;
    step = null;
  }
  if (wrong.length === 0) {
    await goOnDeploying(playing, plan, plan.steps.length);
    await comeToRest(playing);
  }
  // Their pending work must not run in the next life.
  for (const { life } of world.instances) life.die();
  return { violations: [...new Set(wrong)], failedBefore, step, ...received(playing) };
}

function received({
  world,
  facts,
  customers,
  deaths,
}: Playing): Pick<LifeOutcome, "fingerprint" | "tail" | "facts" | "counts" | "met" | "moments"> {
  const counts: LifeCounts = {
    orders: facts.orders.length,
    paid: facts.events.filter(({ kind }) => kind === "order.paid").length,
    collected: facts.collections.filter(({ state }) => state === "collected").length,
    refunds: facts.order_refunds.length,
    payouts: facts.payouts.filter(({ state }) => state === "paid").length,
    asked: facts.collection_attempts.filter(({ initiator }) => initiator === "patient").length,
    cards_changed: facts.collections.filter(({ card_ending }) => card_ending !== null).length,
    written_off: facts.collections.filter(({ failure }) => failure === "written_off").length,
    withdrawn: facts.consents.filter(({ withdrawn_at }) => withdrawn_at !== null).length,
    paid_with_saved: facts.sandbox_movements.filter(
      ({ kind, card_id }) =>
        kind === "charge" &&
        facts.sandbox_cards.some(({ id, stored_card_id }) => id === card_id && stored_card_id !== null),
    ).length,
    cards_removed: facts.removed_cards.length,
    erased: facts.erasures.length,
    deaths,
    acknowledged: customers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0),
  };
  return {
    fingerprint: world.stage.fingerprint(),
    tail: world.stage.tail(),
    facts,
    counts,
    met: world.stage.met,
    moments: world.stage.moments,
  };
}

function seen({
  stage,
  receivers,
  stored,
  wishes,
  replacedAt,
}: Pick<World, "stage" | "receivers" | "stored" | "wishes" | "replacedAt">): Seen {
  return {
    now: stage.clock.now(),
    received: receivers.flatMap(({ received }) => received),
    stored: stored(),
    asked_to_keep: [...wishes.keepingCards],
    removed_cards: wishes.removedCards,
    shown_charges: wishes.shownCharges,
    of_this_version_since: replacedAt,
  };
}

/**
 * Failures that the simulated world explains, by name, because each version has its own classes. Any other failure is a
 * defect, even if the service continues.
 */
const EXPLAINED = ["GatewayUnavailable", "OrderMoved", "ApiError"];
/** Like `EXPLAINED`, also as the cause of another error. */
const EXPLAINED_CAUSES = ["StatementRefused", "DatabaseUnavailable", "TransactionRolledBack", "LeaseLost"];

function unexplained({ event, error }: Failure): string | null {
  if (error === undefined) return null;
  if (!(error instanceof Error)) return `logged ${event}: ${String(error)}`;
  const { name, message, cause } = error;
  const isCaused = [error, cause].some((one) => one instanceof Error && EXPLAINED_CAUSES.includes(one.name));
  return isCaused || EXPLAINED.includes(name) ? null : `logged ${event}: ${name}: ${message}`;
}

/** Histories recorded by this version start with the rows that the previous version left. */
async function goOnDeploying(playing: Playing, plan: LifePlan, step: number): Promise<void> {
  const { world, histories } = playing;
  if (!world.isOfBefore()) return deployBefore(step, plan, world);
  await deployBefore(step, plan, world);
  if (world.isOfBefore()) return;
  playing.facts = await readFacts(world.database, seen(world));
  for (const { id } of playing.facts.orders) histories.set(id, await readMoment(world.database, id));
}

async function look(playing: Playing): Promise<void> {
  const { world, customers, wrong } = playing;
  if (world.isOfBefore()) return;
  if (world.stage.isEndless()) wrong.push("theSystemHasComeToRest: what is due is done and is due again, without end");
  const before = playing.facts;
  const history = await takeHistory(world.database);
  const log = await readLog(world.database);
  const facts = log === playing.log ? { ...before, ...seen(world) } : await readFacts(world.database, seen(world));
  playing.facts = facts;
  playing.log = log;
  wrong.push(...violations(ALWAYS, facts), ...statesOnlyAlongTheTable(before, facts));
  wrong.push(...notBySteps(playing.histories, history));
  for (const { acknowledged } of customers)
    for (const { what, holds } of acknowledged)
      if (!holds(facts)) wrong.push(`acknowledgedIsThere: ${what}, and it is not so`);
}

async function playStep(playing: Playing, step: Step): Promise<void> {
  const { world } = playing;
  world.stage.beginStep(`step ${step.number}`);
  world.stage.note(`step ${step.number}: ${JSON.stringify(step.happening)} on i${step.on}`);
  const instance = bringUp(playing, step.on);
  const others = world.instances.filter((other) => other !== instance && !other.life.isDead());
  for (const other of others) other.life.trouble(countTroubles([]));
  const troubles = countTroubles(step.troubles, step.number);
  instance.life.trouble(troubles);
  const tasks = [happen(playing, step.happening, instance)];
  const secondInstance = others[0];
  if (step.alongside && secondInstance !== undefined) tasks.push(secondInstance.runDue());
  for (const task of tasks)
    task.catch((error: unknown) => playing.wrong.push(`noFailureWithoutACause: a step threw ${String(error)}`));
  await world.stage.quiet();
  playing.deaths += world.instances.filter(({ life }) => life.isDead()).length;
  await meetTransitions(playing, troubles.happened());
}

/** Counts the transitions of a step without faults. Those with faults are counted where the fault occurs. */
async function meetTransitions({ world }: Playing, happened: readonly Trouble[]): Promise<void> {
  const lines = await takeTransitions(world.database);
  if (happened.length === 0) for (const line of lines) world.stage.meet(cellOf(line, null));
}

/** The instance with this number, restarted if it is dead. In half of the cases all others are restarted too. */
function bringUp({ world }: Playing, wanted: number): Instance {
  for (const [number, { life }] of world.instances.entries())
    if (life.isDead() && (number === wanted || world.stage.random().percent(50))) world.restart(number);
  const instance = world.instances[wanted];
  if (instance === undefined) throw new Error("A step names an instance that there is not.");
  return instance;
}

async function happen(playing: Playing, happening: Happening, instance: Instance): Promise<void> {
  const { world, customers } = playing;
  const { stage } = world;
  switch (happening.does) {
    case "go_on": {
      const customer = customers[happening.order];
      const other = world.instances.find((one) => one !== instance && !one.life.isDead());
      const asked = happening.twice && other !== undefined ? [instance, other] : [instance];
      await Promise.all(asked.map(async (one) => customer?.goOn(one)));
      return;
    }
    case "refund":
      return customers[happening.order]?.refund(instance, { share: happening.share, by: happening.key });
    case "cancel":
      return customers[happening.order]?.cancel(instance);
    case "charge_back":
      for (const customer of [...customers.slice(happening.order), ...customers.slice(0, happening.order)])
        if (await customer.chargeBack()) return;
      return;
    case "receipt":
      return customers[happening.order]?.sendReceipt(instance, happening.document);
    case "open_page":
      return customers[happening.order]?.openPage(instance);
    case "patient": {
      const other = world.instances.find((one) => one !== instance && !one.life.isDead());
      const reached = other === undefined ? [instance] : [instance, other];
      for (const customer of [...customers.slice(happening.order), ...customers.slice(0, happening.order)])
        if (await customer.wish(reached, happening.wish)) return;
      return;
    }
    case "operator":
      return operate(world, instance, happening.provider, happening.resolution);
    case "account": {
      const partner = world.partners[happening.provider];
      if (partner !== undefined) await registerCenter(instance, partner, happening.center, happening.account);
      return;
    }
    case "pass_to_announcement": {
      const paidAt = customers[happening.order]?.paidAt ?? null;
      const wait = paidAt === null ? 0 : paidAt.getTime() + ANNOUNCED_MS - stage.clock.now().getTime();
      return wait > 0 ? pass(playing, instance, wait) : undefined;
    }
    case "run_due":
      await Promise.all(world.instances.filter(({ life }) => !life.isDead()).map((one) => one.runDue()));
      return;
    case "pass":
      return pass(playing, instance, happening.milliseconds);
    case "stand_still":
      stage.clock.set(new Date(stage.clock.now().getTime() + happening.milliseconds));
      return;
    case "receiver": {
      const partner = world.partners[happening.provider];
      if (partner !== undefined) partner.receiver.mode = happening.mode;
      return;
    }
    case "kill":
      instance.life.die();
      return;
    case "skew":
      instance.skewMs = happening.milliseconds;
      return;
    case "slow_answers":
      for (let count = 0; count < happening.count && world.slow.release(); count += 1) await stage.jitter();
      return;
    case "replay":
      return replay(playing, instance, happening.provider);
  }
}

/** An operator resolves the oldest exception that accepts the resolution, by the commands of the instance's version. */
async function operate(
  { stage, partners, versionOf }: World,
  instance: Instance,
  number: number,
  resolution: OperatorResolution,
): Promise<void> {
  const provider = partners[number]?.provider;
  if (provider === undefined) return;
  const { listExceptions, resolveException } = versionOf(instance);
  await instance.command(async (parts) => {
    const dependencies = { ...parts, environment: "staging" as const };
    const exceptions = await listExceptions(dependencies, provider.id);
    const exception = exceptions.find((each) => takesResolution(each, resolution));
    if (exception === undefined) return;
    stage.note(`${instance.life.name} operator ${resolution} ${exception.kind}`);
    const due =
      exception.orderId === null
        ? null
        : await dueNow(
            parts.db,
            { ...exception, orderId: exception.orderId },
            { at: stage.clock.now(), claimEnded: isClaimOver },
          );
    const paid = resolution === "paid_otherwise" && due !== null ? { amount: due.amount } : {};
    const request = { resolution, note: "as the bank's list says", ...paid };
    const ask = (actor: string) => resolveException(dependencies, exceptionId(exception), { ...request, actor });
    try {
      const { isDone } = await ask("operator:simulation");
      if (!isDone) await ask("operator:second");
    } catch (error) {
      // By name, because each version has another class.
      if (!(error instanceof Error && error.name === "ResolutionRefused")) throw error;
    }
  });
}

async function replay({ world }: Playing, instance: Instance, number: number): Promise<void> {
  const partner = world.partners[number];
  if (partner === undefined) return;
  const { credentials, endpointId } = partner;
  await instance.ask(
    "spot",
    jsonRequest("POST", `/api/webhook_endpoints/${endpointId}/replay?public_key=${credentials.public_key}`, {
      headers: { "x-secret-key": credentials.secret_key },
      body: { since: "2026-01-01T00:00:00Z" },
    }),
  );
}

/** The maximum number of due times at which a passing of time stops. */
const STOPS_MAX = 6;

/** Time passes from one due time to the next for a while, then jumps to the end, as after an outage. */
async function pass({ world }: Playing, instance: Instance, milliseconds: number): Promise<void> {
  const { clock } = world.stage;
  const end = clock.now().getTime() + milliseconds;
  let due = await nextDue(world);
  for (let stops = 0; stops < STOPS_MAX && due !== null && due.at < end; stops += 1) {
    if (due.at > clock.now().getTime()) clock.set(new Date(due.at));
    await instance.runDue();
    due = await nextDue(world);
  }
  if (end > clock.now().getTime()) clock.set(new Date(end));
  if (due !== null && due.at <= end) await instance.runDue();
}

/** Polls that repeat and mostly find nothing, so nothing waits for them. */
const REPEATED = [
  "reconciliation.run",
  "collection.daily",
  "payouts.run",
  "reimbursements.daily",
  "reimbursements.poll_claim",
  "reimbursements.file_claim",
];

/** Polls that are awaited once. A poll that found nothing repeats hourly or daily until something else ends it. */
const WAITED_FOR_ONCE = ["collection.announce", "patient_rights.erase"];

/** When a timer, named by its kind and key, or a delivery is due. */
interface Due {
  readonly at: number;
  readonly timer: string | null;
}

function isWaitedForOnce(due: Due): due is Due & { readonly timer: string } {
  return WAITED_FOR_ONCE.some((kind) => due.timer?.startsWith(`${kind} `));
}

/** The next due timer or delivery, except some timers given by kind, or by kind and key. */
async function nextDue(
  { stage, database }: Pick<World, "stage" | "database">,
  except: { readonly kinds: readonly string[]; readonly timers: ReadonlySet<string> } = NONE,
): Promise<Due | null> {
  const statement = `select due_at, timer from (
      (select due_at, kind || ' ' || key as timer from timers
        where done_at is null and kind <> all($1) and kind || ' ' || key <> all($2) order by due_at, kind, key limit 1)
      union all
      select min(coalesce(lease_until, queued_at)), null from webhook_deliveries where status = 'queued'
    ) due where due_at is not null order by due_at, timer limit 1`;
  return stage.busy(() =>
    database.withSession(async (session) => {
      const { rows } = await session.query(statement, [except.kinds, [...except.timers]]);
      const row: { due_at: Date; timer: string | null } | undefined = rows[0];
      return row === undefined ? null : { at: row.due_at.getTime(), timer: row.timer };
    }),
  );
}

const NONE = { kinds: [], timers: new Set<string>() };

/** Three days before day 45, after nine in the morning in Chile, whatever the hour of the payment was. */
const ANNOUNCED_MS = (42 * 24 + 20) * 60 * 60 * 1_000;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long customers repeat requests whose answers were lost: retries first, then reviews. */
const ASKING_PAUSES: readonly number[] = [
  ...Array.from({ length: 6 }, () => 11 * MINUTE_MS),
  ...Array.from({ length: 4 }, () => HOUR_MS + MINUTE_MS),
];
/** The time until day 45 and all collection attempts are past. */
const REST_MS = 75 * DAY_MS;
/** A day and some hours, so that each day is checked at another hour. */
const LONG_DAY_MS = DAY_MS + 5 * HOUR_MS;
/** The minimum time that passes if something stays due. */
const STEP_MS = 11 * MINUTE_MS;
/** The maximum number of waits for something due. A correct system needs fewer. */
const WAITS_MAX = 400;
/** The maximum time that passes before claims, clinics and books are checked again. */
const STRIDE_MS = 4 * DAY_MS + 7 * HOUR_MS;
/** Days on which only recurring work may run before everything counts as finished. */
const QUIET_DAYS = 2;

/** The faults end: every party answers, and time passes until everything must have ended. */
async function comeToRest(playing: Playing): Promise<void> {
  const { world, customers } = playing;
  const { clock } = world.stage;
  await makeWhole(playing);
  const end = clock.now().getTime() + REST_MS;
  const random = randomOf(`rest:${world.seed}`);
  const goOn = async (to: number) => {
    world.stage.beginStep(`rest ${to}`);
    if (to > clock.now().getTime()) clock.set(new Date(to));
    const due = await nextDue(world);
    const isDue = due !== null && due.at <= clock.now().getTime();
    if (isDue) await settled(playing, pickInstance(world, random).runDue());
    for (const provider of await providersWithNewAccounts(world))
      await settled(playing, operate(world, pickInstance(world, random), provider, "confirm_account"));
  };
  for (const pause of ASKING_PAUSES) {
    for (const customer of customers)
      if (customer.waitsForAnswers()) await settled(playing, customer.goOn(pickInstance(world, random)));
    await goOn(clock.now().getTime() + pause);
  }
  const looked = new Set<string>();
  let quietDays = 0;
  for (let waits = 0; waits < WAITS_MAX && quietDays < QUIET_DAYS && playing.wrong.length === 0; waits += 1) {
    const due = await nextDue(world, { kinds: REPEATED, timers: looked });
    quietDays = due === null ? quietDays + 1 : 0;
    const now = clock.now().getTime();
    const next = due === null ? now + LONG_DAY_MS : Math.max(due.at, now + STEP_MS);
    const to = Math.min(next, now + STRIDE_MS, end);
    if (due !== null && due.at <= to && isWaitedForOnce(due)) looked.add(due.timer);
    await goOn(to);
    if (next >= end) break;
  }
  // Unfinished work at this point never finishes. Daily work runs at the very end.
  for (const to of [end, end + LONG_DAY_MS, end + 2 * LONG_DAY_MS]) await goOn(to);
  if (playing.wrong.length > 0) return;
  await look(playing);
  playing.wrong.push(...violations(AT_REST, playing.facts));
}

/** The numbers of the partners with a new account that waits for two operators. */
async function providersWithNewAccounts({ stage, database: { db }, partners }: World): Promise<number[]> {
  const waiting = await stage.busy(() =>
    db.selectFrom("payee_accounts").select("provider_id").where("confirmed_at", "is", null).execute(),
  );
  return waiting.map(({ provider_id }) => partners.findIndex(({ provider }) => provider.id === provider_id));
}

async function makeWhole({ world }: Playing): Promise<void> {
  world.stage.beginStep("rest");
  world.stage.note("rest");
  for (const [number, { life }] of world.instances.entries()) if (life.isDead()) world.restart(number);
  for (const instance of world.instances) {
    instance.life.trouble(countTroubles([]));
    instance.skewMs = 0;
  }
  for (const partner of world.partners) {
    partner.receiver.mode = "up";
    const [instance] = world.instances;
    for (const center of partner.centers.keys())
      if (instance !== undefined) await registerCenter(instance, partner, center, "there");
  }
  while (world.slow.release()) await world.stage.quiet();
}

function pickInstance({ instances }: World, random: Random): Instance {
  const instance = instances[random.below(instances.length)];
  if (instance === undefined) throw new Error("A world has instances.");
  return instance;
}

/** In a world without faults, every request gets an answer. */
async function settled({ world, wrong }: Playing, task: Promise<void>): Promise<void> {
  let isDone = false;
  task.then(
    () => {
      isDone = true;
    },
    (error: unknown) => wrong.push(`noFailureWithoutACause: a step threw ${String(error)}`),
  );
  await world.stage.quiet();
  if (world.stage.isEndless()) wrong.push("theSystemHasComeToRest: what is due is done and is due again, without end");
  if (!isDone && wrong.length === 0) wrong.push("theSystemHasComeToRest: something that was asked for never came back");
}
