import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import type { Logger } from "../../src/platform/logger.ts";
import type { KeptCalls } from "../kit/kept-calls.ts";
import type { LibredteApi } from "./libredte-api.ts";

export interface Libredte {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly api: LibredteApi;
  readonly calls: KeptCalls;
  readonly baseUrl: string;
  /** Whose documents LibreDTE issues. */
  readonly issuerRut: Rut;
  /** The line of the document. */
  readonly item: string;
}
