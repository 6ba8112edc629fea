import type { CardProcessor } from "../gateways/card-processor/port.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";

/** Everything that the collection is given; each operation asks for just what it uses. */
export interface CollectionDependencies {
  readonly db: Database;
  /** Real time; what happens to a collection is in its provider's time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cardProcessor: CardProcessor;
}
