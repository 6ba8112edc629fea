import type { Express, RequestHandler } from "express";
import { resultWithin } from "../platform/background-work.ts";
import { DatabaseUnavailable } from "../platform/database/errors.ts";
import { sendAnswer } from "../platform/http/send-answer.ts";
import { type Program, programOf } from "../platform/program.ts";
import type { Context } from "./compose.ts";

/** The status that requests a restart: the database has answered no query for a minute. */
const STUCK = "database_silent";
type ProbesContext = Pick<Context, "config" | "database" | "logger" | "isMigrated">;

const LIVELESS_AFTER_MS = 60_000;
/** A load balancer gets its answer within this time. */
export const READY_WITHIN_MS = 2_000;

/** The answer of `/healthz` while the process is alive; after a deploy it shows the running build. */
export function alive(program: Program): object {
  return { status: "ok", ...program };
}

/** The probes of supervisors and load balancers: `/healthz` reports liveness, `/readyz` readiness. */
export function mountProbes(app: Express, context: ProbesContext): void {
  const program = programOf(context.config);
  app.get("/healthz", (_request, response) => {
    const isStuck = context.database.silentMs() >= LIVELESS_AFTER_MS;
    const body = isStuck ? { ...alive(program), status: STUCK } : alive(program);
    sendAnswer(response, { status: isStuck ? 503 : 200, body });
  });
  app.get("/readyz", readiness(context));
}

/** The metrics for Prometheus, only on the probes' port: they reveal payments and failures. */
export function mountMetrics(app: Express, { metrics }: Pick<Context, "metrics">): void {
  app.get("/metrics", async (_request, response) => {
    const text = await metrics.text();
    response.setHeader("Content-Type", metrics.contentType);
    response.end(text);
  });
}

/**
 * Reports readiness: the database answers and has every migration of this program. A busy process is ready, because
 * taking it out would overload the others. Concurrent callers share one query of the database, and no limit applies: a
 * load balancer that gets 429 would take the process out.
 */
function readiness(context: Pick<Context, "database" | "logger" | "isMigrated">): RequestHandler {
  const look = createLook(context);
  return async (_request, response) => {
    const checks = await look();
    const isReady = checks.database && checks.migrations;
    sendAnswer(response, { status: isReady ? 200 : 503, body: { status: isReady ? "ready" : "not_ready", checks } });
  };
}

interface Checks {
  readonly database: boolean;
  readonly migrations: boolean;
}

function createLook({ database, logger, isMigrated }: Pick<Context, "database" | "logger" | "isMigrated">) {
  // A process starts only after its migrations have been applied.
  let migrations = true;
  const look = createPing({ database, logger }, async () => {
    migrations = await isMigrated().catch(refusedAsMissing);
  });
  const refusedAsMissing = (error: unknown) => {
    if (error instanceof DatabaseUnavailable) throw error;
    logger.warn("health.not_ready", { error });
    return false;
  };
  return async (): Promise<Checks> => {
    const isAnswered = await look();
    return { database: isAnswered && database.writeRefusal() === null, migrations };
  };
}

/**
 * Whether the database can be reached, although it may refuse writes. Without it a process cannot handle any request,
 * and another one may.
 */
export function createReach({ database, logger }: Pick<Context, "database" | "logger">): () => Promise<boolean> {
  const look = createPing({ database, logger }, async () => undefined);
  return async () => (await look()) || database.writeRefusal() !== null;
}

/** Asks the database, once for all concurrent callers. Resolves with whether it answers within `READY_WITHIN_MS`. */
function createPing(
  { database, logger }: Pick<Context, "database" | "logger">,
  afterwards: () => Promise<void>,
): () => Promise<boolean> {
  const ping = async (): Promise<boolean> => {
    try {
      await database.ping();
      await afterwards();
      return true;
    } catch (error) {
      logger.warn("health.not_ready", { error });
      return false;
    }
  };
  let asking: Promise<boolean> | null = null;
  return async () => {
    const answersBefore = database.answers();
    asking ??= ping().finally(() => {
      asking = null;
    });
    const isAnswered = (await resultWithin(asking, READY_WITHIN_MS)) ?? false;
    // A late or refused connection while other statements are answered: the database is available.
    return isAnswered || database.answers() > answersBefore;
  };
}
