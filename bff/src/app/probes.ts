import type { Express, RequestHandler } from "express";
import { resultWithin } from "../platform/background-work.ts";
import { DatabaseUnavailable } from "../platform/database/errors.ts";
import { sendAnswer } from "../platform/http/send-answer.ts";
import { type Program, programOf } from "../platform/program.ts";
import type { Context } from "./compose.ts";

/**
 * Its `status` says that the process is to be started again: the database has answered nothing for a minute, although
 * it was asked.
 */
const STUCK = "database_silent";
type ProbesContext = Pick<Context, "config" | "database" | "logger" | "isMigrated">;

const LIVELESS_AFTER_MS = 60_000;
/** A load balancer that asks has its answer within this time. */
export const READY_WITHIN_MS = 2_000;

/** The answer of `/healthz` while the process is alive: after a deploy it shows which build answers. */
export function alive(program: Program): object {
  return { status: "ok", ...program };
}

/** What supervisors and load balancers ask: `/healthz`, whether it lives, and `/readyz`, whether it can serve. */
export function mountProbes(app: Express, context: ProbesContext): void {
  const program = programOf(context.config);
  app.get("/healthz", (_request, response) => {
    const isStuck = context.database.silentMs() >= LIVELESS_AFTER_MS;
    const body = isStuck ? { ...alive(program), status: STUCK } : alive(program);
    sendAnswer(response, { status: isStuck ? 503 : 200, body });
  });
  app.get("/readyz", readiness(context));
}

/** What Prometheus asks, on the port of the probes alone: it tells how much is paid and what fails. */
export function mountMetrics(app: Express, { metrics }: Pick<Context, "metrics">): void {
  app.get("/metrics", async (_request, response) => {
    const text = await metrics.text();
    response.setHeader("Content-Type", metrics.contentType);
    response.end(text);
  });
}

/**
 * Ready if the database is there and has every migration of this program. Busy is ready: a process that cannot keep up
 * must not leave the others with its share. Callers that come while the database is being asked share that answer, and
 * none is refused by a limit: a load balancer that is told 429 would take the process out.
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
  // A process starts only with its migrations.
  let migrations = true;
  const probe = async (): Promise<boolean> => {
    try {
      await database.ping();
      migrations = await isMigrated().catch(refusedAsMissing);
      return true;
    } catch (error) {
      logger.warn("health.not_ready", { error });
      return false;
    }
  };
  const refusedAsMissing = (error: unknown) => {
    if (error instanceof DatabaseUnavailable) throw error;
    logger.warn("health.not_ready", { error });
    return false;
  };
  let asking: Promise<boolean> | null = null;
  return async (): Promise<Checks> => {
    const answersBefore = database.answers();
    asking ??= probe().finally(() => {
      asking = null;
    });
    const isAnswered = (await resultWithin(asking, READY_WITHIN_MS)) ?? false;
    // Late, or refused as one connection too many, while other statements are answered: it is there.
    const isBusy = !database.isFull() && database.answers() > answersBefore;
    return { database: isAnswered || isBusy, migrations };
  };
}
