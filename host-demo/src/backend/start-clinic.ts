import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createPartnerClient } from "bff/partner-client/partner-client";
import { createBench } from "./bench.ts";
import { createClinic } from "./clinic.ts";
import { createClinicApp } from "./clinic-app.ts";
import type { ClinicConfig } from "./config.ts";
import { createExamination } from "./examination.ts";
import { openJournal } from "./journal.ts";
import type { Log } from "./log.ts";
import { journalEntrySchema } from "./purchase.ts";
import { createSandbox } from "./sandbox.ts";
import { createWebhookManagement } from "./webhook-management.ts";

const CATCH_UP_MS = 60_000;

/** Runs `act` at once and again `pauseMs` after each run has ended; returns a function that stops this. */
function repeat(pauseMs: number, act: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const run = async (): Promise<void> => {
    await act();
    if (!isStopped) timer = setTimeout(() => void run(), pauseMs);
  };
  void run();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Starts the clinic's web server; returns a function that stops it. */
export async function startClinic(config: ClinicConfig, log: Log): Promise<() => Promise<void>> {
  const journal = await openJournal(`${config.dataDir}/purchases.jsonl`, (value) => journalEntrySchema.parse(value));
  let ownOrigin = "";
  const { orderApiUrl, spotApiUrl, clientSecret, publicKey } = config;
  const clinic = createClinic({
    aapd: createPartnerClient({ orderApiUrl, spotApiUrl, clientSecret, publicKey }),
    journal,
    now: () => new Date(),
    uuid: randomUUID,
    parentOrigin: () => ownOrigin,
  });
  const app = createClinicApp({
    ...config,
    clinic,
    bench: createBench(clinic),
    examination: createExamination(config, () => ownOrigin),
    sandbox: createSandbox(config),
    webhooks: createWebhookManagement(config),
    log,
  });
  const server = app.listen(config.port, config.bind);
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  ownOrigin = `http://${config.bind}:${(server.address() as AddressInfo).port}`;
  log("listening", { address: ownOrigin });
  const stopCatchingUp = repeat(CATCH_UP_MS, () =>
    clinic.catchUp().catch((error: unknown) => log("catch_up_failed", { error })),
  );
  return async () => {
    stopCatchingUp();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
    // Work of an interrupted request may still be running.
    await journal.close();
  };
}
