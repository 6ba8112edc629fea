import { HOUR_MS, MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { OpenDatabase } from "../../../src/platform/database/database.ts";
import { EVERY_SECONDS } from "./series.ts";
import type { OutageService } from "./service.ts";
import type { Traffic } from "./traffic.ts";

/** The maximum delay of an alert, in addition to the `for` of its rule. */
const NOTICED_WITHIN_MS = 2 * MINUTE_MS;

/** A fault, and the production alerts that name it. */
export interface Outage {
  readonly alerts: readonly {
    readonly name: string;
    /** How long the rule's condition must have lasted, and the rule's own `for`. */
    readonly clockMs: number;
    readonly forMs: number;
  }[];
  /** Prepares the service for the outage, without recording. */
  readonly before?: (traffic: Traffic, database: OpenDatabase) => Promise<void>;
  readonly begin: (service: OutageService, traffic: Traffic, database: OpenDatabase) => Promise<void> | void;
  /** The number of patients who arrive in each sample of the outage. */
  readonly arriving?: number;
  /** The interval between the samples of the outage. */
  readonly strideMs?: number;
}

const BROKEN_PARTY: Outage["alerts"] = [
  { name: "GatewayAway", clockMs: 0, forMs: 0 },
  { name: "CircuitOpen", clockMs: 0, forMs: MINUTE_MS },
];

function partyAway(party: string): Outage {
  return {
    alerts: BROKEN_PARTY,
    begin: ({ broken }) => {
      broken.party = party;
    },
  };
}

export const OUTAGES: Readonly<Record<string, Outage>> = {
  "the card processor is away": partyAway("card-processor"),
  "the card processor answers everything but charges": {
    alerts: [
      { name: "GatewayAway", clockMs: 0, forMs: 0 },
      { name: "OutcomesUnknown", clockMs: 2 * MINUTE_MS, forMs: MINUTE_MS },
    ],
    begin: ({ broken }) => {
      broken.party = "card-processor/charge";
    },
  },
  "the financing provider is away": partyAway("financing-provider"),
  "the identity registry is away": partyAway("identity-registry"),
  "the partner's receiver is down": {
    alerts: [{ name: "WebhooksNotTaken", clockMs: 0, forMs: 0 }],
    begin: ({ broken }) => {
      broken.isReceiverDown = true;
    },
  },
  "nobody runs timers": {
    alerts: [{ name: "EventsNotDispatched", clockMs: MINUTE_MS, forMs: MINUTE_MS }],
    begin: ({ broken }) => {
      broken.isWorkStopped = true;
    },
  },
  "an event cannot be passed on": {
    alerts: [
      { name: "EventsNotDispatched", clockMs: MINUTE_MS, forMs: MINUTE_MS },
      { name: "TimersFail", clockMs: MINUTE_MS, forMs: 0 },
    ],
    begin: ({ partner, instance }, traffic, database) =>
      database.withSession(async (session) => {
        const id = "00000000-0000-4000-8000-00000000dead";
        const { id: providerId } = partner.provider;
        await session.query(
          "insert into events (id, provider_id, order_id, kind, sequence, payload, created_at) values ($1, $2, null, 'order.paid', null, '{}', $3)",
          [id, providerId, traffic.now()],
        );
        await session.query(
          "insert into timers (kind, key, provider_id, due_at, payload) values ('outbox.dispatch', $1, $2, 'epoch', '{}')",
          [id, providerId],
        );
        instance.life.stage.note("an event cannot be passed on");
      }),
  },
  "the database does not answer": {
    alerts: [
      { name: "DatabaseSilent", clockMs: 0, forMs: MINUTE_MS },
      { name: "RequestsFailFast", clockMs: 0, forMs: 0 },
    ],
    begin: ({ broken }) => {
      broken.isDatabaseAway = true;
    },
  },
  "the database's disk is full": {
    alerts: [{ name: "DatabaseRefusesWrites", clockMs: 0, forMs: MINUTE_MS }],
    begin: ({ broken }) => {
      broken.refusesWrites = "disk_full";
    },
  },
  "the database is read-only": {
    alerts: [{ name: "DatabaseRefusesWrites", clockMs: 0, forMs: MINUTE_MS }],
    begin: ({ broken }) => {
      broken.refusesWrites = "read_only";
    },
  },
  "the process is gone": {
    alerts: [{ name: "ProcessGone", clockMs: 0, forMs: MINUTE_MS }],
    begin: ({ broken }) => {
      broken.isProcessGone = true;
    },
  },
  "every card is declined": {
    // Enough cards for a significant share, and more than the number charged before.
    alerts: [{ name: "CheckoutsDoNotEnd", clockMs: 20 * MINUTE_MS, forMs: MINUTE_MS }],
    begin: (_service, traffic) => {
      traffic.card = "5186059559590568";
    },
  },
  "the reconciliation is not run": {
    alerts: [{ name: "ReconciliationOld", clockMs: 26 * HOUR_MS, forMs: 5 * MINUTE_MS }],
    before: untilReconciled,
    begin: (_service, _traffic, database) =>
      database.withSession(async (session) => {
        await session.query("delete from timers where kind = 'reconciliation.run'", []);
      }),
    arriving: 0,
    strideMs: 10 * MINUTE_MS,
  },
  "collections are not run on their day": {
    alerts: [{ name: "CollectionsLate", clockMs: HOUR_MS, forMs: MINUTE_MS }],
    before: untilCollectionIsDue,
    begin: ({ broken }) => {
      broken.isWorkStopped = true;
    },
    arriving: 0,
    strideMs: MINUTE_MS,
  },
};

/** Passes a day with a payment, and the first reconciliation after it. */
async function untilReconciled(traffic: Traffic, database: OpenDatabase): Promise<void> {
  await payOneOrder(traffic);
  await traffic.skipTo(await momentOf(database, "reconciliation.run"));
}

/** Waits with an insurer that never answers until a minute before the charge of day 45 is announced. */
async function untilCollectionIsDue(traffic: Traffic, database: OpenDatabase): Promise<void> {
  traffic.rut = NEVER_ANSWERED;
  await payOneOrder(traffic);
  const announced = await momentOf(database, "collection.announce");
  await traffic.skipTo(new Date(announced.getTime() - MINUTE_MS));
}

const NEVER_ANSWERED = "40000778-0";

async function payOneOrder(traffic: Traffic): Promise<void> {
  for (let sample = 0; sample < 20; sample += 1) await traffic.next(sample === 0 ? 1 : 0);
}

async function momentOf(database: OpenDatabase, kind: string): Promise<Date> {
  const due = await dueOf(database, kind);
  if (due === null) throw new Error("The awaited work is scheduled.");
  return new Date(due);
}

/** Moves from one due time to the next, so that nothing waits. */
export async function goTo(traffic: Traffic, database: OpenDatabase, end: number): Promise<void> {
  while (await goOn(traffic, database, end));
}

/**
 * Moves to the next due time, at most an hour later. Returns whether that is before the end; otherwise does nothing.
 */
async function goOn(traffic: Traffic, database: OpenDatabase, end: number): Promise<boolean> {
  const sample = EVERY_SECONDS * 1_000;
  const now = traffic.now().getTime();
  const due = (await dueOf(database, null)) ?? now + HOUR_MS;
  const next = Math.min(Math.max(Math.ceil(due / sample) * sample, now + sample), now + HOUR_MS);
  if (next >= end) return false;
  await traffic.skipTo(new Date(next));
  return true;
}

/** When the next timer of a kind is due, or null. */
function dueOf(database: OpenDatabase, kind: string | null): Promise<number | null> {
  return database.withSession(async (session) => {
    const statement = `select least(
      (select min(due_at) from timers where done_at is null and ($1::text is null or kind = $1)),
      (select min(coalesce(lease_until, queued_at)) from webhook_deliveries where status = 'queued' and $1::text is null)) as due`;
    const { rows } = await session.query(statement, [kind]);
    const due: unknown = rows[0]?.due;
    return due instanceof Date ? due.getTime() : null;
  });
}

/** When each alert of an outage must have fired. */
export function deadlinesOf({ alerts }: Outage, begunAt: Date): { readonly alert: string; readonly at: Date }[] {
  return alerts.map(({ name, clockMs, forMs }) => ({
    alert: name,
    at: new Date(begunAt.getTime() + clockMs + forMs + NOTICED_WITHIN_MS),
  }));
}
