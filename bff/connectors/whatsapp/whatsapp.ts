import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Logger } from "../../src/platform/logger.ts";
import type { KeptCalls } from "../kit/kept-calls.ts";
import type { Fallback } from "./fallback.ts";
import type { WhatsappApi } from "./whatsapp-api.ts";

export interface Whatsapp {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly api: WhatsappApi;
  readonly calls: KeptCalls;
  /** Sends what WhatsApp cannot; null if there is none. */
  readonly fallback: Fallback | null;
}
