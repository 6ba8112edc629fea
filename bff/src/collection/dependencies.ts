import type { CardProcessor } from "../gateways/card-processor.ts";
import type { FinancingProvider } from "../gateways/financing-provider.ts";
import type { CallConnectors } from "../gateways/gateway-call.ts";
import type { OrdersDependencies } from "../orders/dependencies.ts";
import type { ReturnUrl } from "../orders/redirect.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";

/** Everything that the collection feature needs. Each operation picks only what it uses. */
export interface CollectionDependencies {
  readonly db: Database;
  /** Real time. Events of a collection are dated in its provider's time instead. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cardProcessor: CardProcessor;
  readonly returnUrl: ReturnUrl;
  readonly financingProvider: FinancingProvider;
  readonly connectors: CallConnectors;
}

/** Everything that a patient's request needs, which answers in time although its calls may take longer. */
export type CollectionRequestDependencies = CollectionDependencies &
  Pick<OrdersDependencies, "background" | "answerWithinMs">;
