import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Logger } from "../../src/platform/logger.ts";
import type { KeptCalls } from "../kit/kept-calls.ts";
import type { FintocApi } from "./fintoc-api.ts";

export interface Fintoc {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly api: FintocApi;
  readonly calls: KeptCalls;
  /** The account at Fintoc that pays. */
  readonly accountId: string;
}
