import fc from "fast-check";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { describe, expect, it, test } from "vitest";
import type { Tables } from "../platform/database/tables.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";
import { type AttemptCalls, type RetryDecision, runCall, timerOutcomeOf, timerOutcomeOfLeased } from "./run-call.ts";

/** A database that stores nothing; the tests keep the written state themselves. */
const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (any) => new PostgresIntrospector(any),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** The faults of one exchange with the gateway, or of one write. */
const FAULTS = ["none", "lost_before", "lost_after", "dies_before", "dies_after"] as const;
type Fault = (typeof FAULTS)[number];

class Died extends Error {}

interface Done {
  readonly outcome: "done";
  readonly receipt: string;
}

/** An attempt with several consecutive calls, as a feature stores it. */
interface Attempt {
  readonly step: number;
  readonly steps: number;
  readonly inquiries: number;
}

/** How the feature below implements them. */
type Calls = Extract<AttemptCalls<Attempt, Done>, { settle: unknown }>;

/**
 * A gateway that may recognise repeated keys, and a feature with its stored row. Both suffer the faults of a finite
 * list.
 */
class World {
  readonly effects: string[] = [];
  readonly booked: string[] = [];
  row: Attempt;
  readonly #faults: Fault[];
  readonly #knowsKeys: boolean;

  constructor(steps: number, faults: readonly Fault[], { knowsKeys = true } = {}) {
    this.row = { step: 0, steps, inquiries: 0 };
    this.#faults = [...faults];
    this.#knowsKeys = knowsKeys;
  }

  calls(given: Partial<Calls> = {}): Calls {
    return {
      nextCall: ({ step, steps }) =>
        step === steps
          ? null
          : {
              under: { providerId: "p", idempotencyKey: `step-${step}`, at: new Date(0), connector: null },
              call: (under) => this.#exchange(() => this.#perform(under)),
              inquire: (under) => this.#exchange(() => this.#recall(under)),
            },
      settle: async (_tx, attempt, answer) => this.#write(attempt, answer),
      release: async (attempt) => {
        this.row = { ...this.row, inquiries: attempt.inquiries + 1 };
        return attempt.inquiries;
      },
      ...given,
    };
  }

  #perform({ idempotencyKey }: GatewayCall): Done {
    if (!this.#knowsKeys || !this.effects.includes(idempotencyKey)) this.effects.push(idempotencyKey);
    return { outcome: "done", receipt: idempotencyKey };
  }

  #recall({ idempotencyKey }: GatewayCall): Done | NotFound {
    return this.effects.includes(idempotencyKey)
      ? { outcome: "done", receipt: idempotencyKey }
      : { outcome: "not_found" };
  }

  async #exchange<Answer>(perform: () => Answer): Promise<Answer | Unknown> {
    const fault = this.#faults.shift() ?? "none";
    // Lets another worker run in between.
    await Promise.resolve();
    if (fault === "dies_before") throw new Died();
    if (fault === "lost_before") return { outcome: "unknown" };
    const answer = perform();
    if (fault === "dies_after") throw new Died();
    return fault === "lost_after" ? { outcome: "unknown" } : answer;
  }

  /** One transaction: it commits completely or not at all, and only if the attempt is unchanged. */
  #write(attempt: Attempt, { receipt }: Done): Attempt | null {
    const fault = this.#faults.shift() ?? "none";
    if (fault === "dies_before" || fault === "lost_before") throw new Died();
    if (this.row.step !== attempt.step) return null;
    this.booked.push(receipt);
    this.row = { ...this.row, step: attempt.step + 1, inquiries: 0 };
    if (fault === "dies_after") throw new Died();
    return this.row;
  }
}

/** One run by a worker; `null` if its process died. */
async function turn(world: World, mayHaveArrived: boolean, calls: AttemptCalls<Attempt, Done> = world.calls()) {
  try {
    return await runCall(db, calls, { attempt: world.row, mayHaveArrived });
  } catch (error) {
    if (error instanceof Died) return null;
    throw error;
  }
}

const stepNames = (steps: number) => Array.from({ length: steps }, (_value, step) => `step-${step}`);

describe("a call with several steps", () => {
  const faultLists = fc.array(fc.constantFrom(...FAULTS), { maxLength: 30 });

  it("makes and books each step exactly once, in order, whatever answer is lost or process dies", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), faultLists, async (steps, faults) => {
        // The inquiry alone keeps a single worker from repeating a call, even if the gateway does not recognise
        // repeated keys.
        const world = new World(steps, faults, { knowsKeys: false });
        let ran = await turn(world, false);
        for (let turns = 0; ran?.outcome !== "ran"; turns += 1) {
          expect(turns).toBeLessThan(100);
          ran = await turn(world, true);
        }
        expect(world.effects).toEqual(stepNames(steps));
        expect(world.booked).toEqual(stepNames(steps));
      }),
    );
  });

  it("runs each step once when several workers run one attempt: the second stops or finds it ended", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), faultLists, async (steps, faults) => {
        const world = new World(steps, faults);
        while (world.row.step < steps) await Promise.all([turn(world, true), turn(world, true), turn(world, true)]);
        expect(world.effects).toEqual(stepNames(steps));
        expect(world.booked).toEqual(stepNames(steps));
      }),
    );
  });
});

describe("a call", () => {
  it.each([
    [false, []],
    [true, ["step-0"]],
  ])("gets an inquiry only if it may have been made before (%s); the next call follows at once", async (may, asked) => {
    const world = new World(3, []);
    const calls = world.calls();
    const inquired: string[] = [];
    const nextCall = (attempt: Attempt) => {
      const next = calls.nextCall(attempt);
      const inquire = (under: GatewayCall) => {
        inquired.push(under.idempotencyKey);
        return next?.inquire(under) ?? expect.unreachable();
      };
      return next && { ...next, inquire };
    };
    expect(await turn(world, may, { ...calls, nextCall })).toMatchObject({ outcome: "ran" });
    expect(inquired).toEqual(asked);
  });

  it("releases an attempt whose answer is lost, and inquires again after the next interval", async () => {
    const world = new World(
      1,
      Array.from({ length: 6 }, (): Fault => "lost_before"),
    );
    const waits: unknown[] = [];
    for (let turns = 0; turns < 6; turns += 1) {
      const ran = await turn(world, true);
      if (ran !== null) waits.push(timerOutcomeOf(ran, new Date(0)));
    }
    expect(waits).toEqual([10, 30, 120, 600, 3_600, 3_600].map((seconds) => ({ again: new Date(seconds * 1_000) })));
    expect(await turn(world, true)).toMatchObject({ outcome: "ran", attempt: { step: 1, inquiries: 0 } });
  });

  it("counts as unanswered if its answer reports no progress", async () => {
    const world = new World(1, []);
    const ran = await turn(world, false, world.calls({ isNoProgress: () => true }));
    expect(ran).toMatchObject({ outcome: "unanswered", waited: 0 });
    expect(world.booked).toEqual([]);
  });

  it("is settled outside of a transaction by a feature that opens its own", async () => {
    const world = new World(2, []);
    const { settle, ...calls } = world.calls();
    const given: unknown[] = [];
    const ran = await turn(world, false, {
      ...calls,
      settleAlone: (database, attempt, answer) => {
        given.push(database);
        return settle(database as never, attempt, answer);
      },
    });
    expect(ran?.outcome).toBe("ran");
    expect(given).toEqual([db, db]);
  });

  it("records whether a lost call was inquired about, or was made right after another's answer", async () => {
    const lost: boolean[] = [];
    const release: AttemptCalls<Attempt, Done>["release"] = async (_, { wasInquired }) => lost.push(wasInquired);
    for (const mayHaveArrived of [false, true]) {
      const unanswered = new World(1, ["lost_before"]);
      await turn(unanswered, mayHaveArrived, unanswered.calls({ release }));
    }
    const second = new World(2, ["none", "none", "none", "lost_before"]);
    await turn(second, true, second.calls({ release }));
    expect(second.row.step).toBe(1);
    expect(lost).toEqual([false, true, false]);
  });

  it("reruns the timer of a leased attempt before the lease ends, or at its end", () => {
    const at = (seconds: number) => new Date(seconds * 1_000);
    expect(timerOutcomeOfLeased(at(30), at(0))).toEqual({ again: at(10) });
    expect(timerOutcomeOfLeased(at(30), at(25))).toEqual({ again: at(30) });
    expect(timerOutcomeOfLeased(null, at(0))).toBe("done");
  });

  it("writes nothing for an attempt that another worker has taken, and checks it again soon", async () => {
    const world = new World(2, []);
    const ran = await turn(world, true, world.calls({ settle: async () => null }));
    expect(ran).toMatchObject({ outcome: "lost", attempt: { step: 0 } });
    expect(ran && timerOutcomeOf(ran, new Date(0))).toEqual({ again: new Date(10_000) });
  });
});

describe("a call that the gateway accepts now and completes later", () => {
  interface Taking {
    readonly isTaken: boolean;
    readonly inquiries: number;
    readonly end: string | null;
  }
  type GatewayAnswer = { readonly outcome: "taken" } | { readonly outcome: "ended" } | NotFound | Unknown;

  /** A feature whose gateway gives the listed answers, one after the other. */
  function taking(...answers: GatewayAnswer["outcome"][]) {
    const asked: string[] = [];
    let row: Taking = { isTaken: false, inquiries: 0, end: null };
    const exchange = (how: string) => async () => {
      asked.push(how);
      return { outcome: answers.shift() ?? "unknown" } as GatewayAnswer;
    };
    const calls: AttemptCalls<Taking, Extract<GatewayAnswer, { outcome: "taken" | "ended" }>> = {
      nextCall: ({ end }) =>
        end !== null
          ? null
          : {
              under: { providerId: "p", idempotencyKey: "k", at: new Date(0), connector: null },
              call: exchange("call") as () => Promise<{ outcome: "taken" }>,
              inquire: exchange("inquiry") as () => Promise<{ outcome: "taken" }>,
            },
      accepts: { isTaken: ({ outcome }) => outcome === "taken", wasTaken: ({ isTaken }) => isTaken },
      settle: async (_tx, _attempt, { outcome }) => {
        row = { isTaken: true, inquiries: 0, end: outcome === "ended" ? outcome : null };
        return row;
      },
      release: async () => {
        row = { ...row, inquiries: row.inquiries + 1 };
        return row.inquiries;
      },
    };
    const run = (mayHaveArrived = true) => runCall(db, calls, { attempt: row, mayHaveArrived });
    return { asked, run };
  }

  it("is stored as accepted, and inquired about ever more rarely until it has ended", async () => {
    const { run, asked } = taking("taken", "taken", "taken", "unknown", "taken", "ended");
    const waits: unknown[] = [];
    for (let turns = 0; turns < 5; turns += 1) waits.push(timerOutcomeOf(await run(turns > 0), new Date(0)));
    expect(waits).toEqual(
      // Soon again after the inquiry without an answer.
      [600, 3_600, 10_800, 600, 21_600].map((seconds) => ({ again: new Date(seconds * 1_000) })),
    );
    expect(timerOutcomeOf(await run(), new Date(0))).toBe("done");
    expect(asked).toEqual(["call", ...Array(5).fill("inquiry")]);
  });

  it("is found by inquiry if the answer to the call was lost", async () => {
    const { run, asked } = taking("unknown", "taken", "ended");
    expect((await run(false)).outcome).toBe("unanswered");
    expect((await run()).outcome).toBe("taken");
    expect((await run()).outcome).toBe("ran");
    expect(asked).toEqual(["call", "inquiry", "inquiry"]);
  });

  it("is never repeated, even if the gateway reports it as unknown", async () => {
    const { run, asked } = taking("taken", "not_found", "not_found", "ended");
    for (let turns = 0; turns < 3; turns += 1) expect((await run(turns > 0)).outcome).toBe("taken");
    expect((await run(false)).outcome).toBe("ran");
    expect(asked).toEqual(["call", "inquiry", "inquiry", "inquiry"]);
  });
});

describe("a call that never arrived", () => {
  const decided = (decision: RetryDecision<Attempt>) => async (world: World) =>
    turn(world, true, world.calls({ retryDecision: async () => decision }));

  test("is made if it is still needed", async () => {
    const world = new World(1, []);
    expect((await decided("call")(world))?.outcome).toBe("ran");
    expect(world.effects).toEqual(["step-0"]);
  });

  test("is not made if it is no longer needed, and its attempt has ended", async () => {
    const world = new World(1, []);
    const ended = { step: 1, steps: 1, inquiries: 0 };
    expect(await decided({ ended })(world)).toEqual({ outcome: "ran", attempt: ended });
    expect([world.effects, world.booked]).toEqual([[], []]);
  });

  test("is inquired about later if another worker has just made it", async () => {
    const world = new World(1, []);
    expect(await decided("inquire_later")(world)).toMatchObject({ outcome: "unanswered", waited: 0 });
    expect(world.effects).toEqual([]);
  });

  test("is decided again only if the gateway reported that it never arrived", async () => {
    const world = new World(1, ["lost_before"]);
    const never = async () => expect.unreachable();
    expect((await turn(world, true, world.calls({ retryDecision: never })))?.outcome).toBe("unanswered");
  });
});

describe("a call that its gateway may have forgotten", () => {
  const NEVER: NotFound = { outcome: "not_found" };
  const LISTED: Done = { outcome: "done", receipt: "listed" };

  /** One step whose inquiry and list give these answers, `hours` after the attempt began. */
  async function run(hours: number, inquired: Done | Unknown | NotFound, listed: Done | Unknown | NotFound) {
    const world = new World(1, []);
    const { nextCall } = world.calls();
    const ran = await turn(world, true, {
      ...world.calls(),
      nextCall: (attempt) => {
        const next = nextCall(attempt);
        const at = new Date(hours * 3_600_000);
        return (
          next && {
            ...next,
            under: { ...next.under, at },
            inquire: async () => inquired,
            listed: { since: new Date(0), find: async () => listed },
          }
        );
      },
    });
    return { outcome: ran?.outcome, made: world.effects.length, booked: world.booked };
  }

  test.each([
    ["not found", NEVER],
    ["unanswered", { outcome: "unknown" } as const],
  ])("%s after a day: the gateway's list decides, and the call is not repeated", async (_, inquired) => {
    expect(await run(24, inquired, LISTED)).toEqual({ outcome: "ran", made: 0, booked: ["listed"] });
  });

  test("stays unknown if it is not found after a day and there is no list", async () => {
    expect(await run(24, NEVER, { outcome: "unknown" })).toEqual({ outcome: "unanswered", made: 0, booked: [] });
  });

  test("is made if it is neither found nor listed", async () => {
    expect(await run(24, NEVER, NEVER)).toEqual({ outcome: "ran", made: 1, booked: ["step-0"] });
  });

  test("stays unknown if it is unanswered and not listed", async () => {
    expect(await run(24, { outcome: "unknown" }, NEVER)).toEqual({ outcome: "unanswered", made: 0, booked: [] });
  });

  test("within a day, the inquiry alone decides", async () => {
    expect(await run(23, NEVER, LISTED)).toEqual({ outcome: "ran", made: 1, booked: ["step-0"] });
  });
});
