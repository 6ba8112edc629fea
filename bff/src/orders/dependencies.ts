import type { Order } from "../contract/orders.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { IdentityRegistry } from "../gateways/identity-registry/port.ts";
import type { BackgroundWork } from "../platform/background-work.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import type { Provider } from "../platform/provider.ts";
import type { PaymentGateways } from "./payments/payment-calls.ts";

/** What other features know of an order. */
export interface RelatedToOrder {
  expenseOf(db: Database, providerId: string, orderId: OrderId): Promise<Order["expense"]>;
  collectionOf(db: Database, providerId: string, orderId: OrderId): Promise<Order["collection"]>;
}

/** Everything that orders are given; each operation asks for just what it uses. */
export interface OrdersDependencies extends PaymentGateways {
  readonly db: Database;
  /** Real time; what happens to an order is in its provider's time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly background: BackgroundWork;
  readonly identityRegistry: IdentityRegistry;
  /** A keyed hash: the same value gives the same text, and the text does not give the value. */
  readonly keyring: Pick<Keyring, "hmac" | "hmacsOfAllKeys">;
  readonly related: RelatedToOrder;
  /** The provider with its clock as it is now; for timers, which have no request. */
  readonly findProvider: (providerId: string) => Promise<Provider>;
  /** One of a meta-provider's own centres, by its RUT. */
  readonly findCenter: (db: Database, providerId: string, rut: Rut) => Promise<{ id: string; rut: Rut } | null>;
  /** What else happens in the transaction in which an order becomes paid: its widget tokens are used up. */
  readonly withinPaid: (tx: Transaction, paid: { providerId: string; orderId: OrderId; at: Date }) => Promise<void>;
  /**
   * In which page, and since when, the patient sees this order's checkout, as far as it is known: the body of a CTE with the
   * columns `embedding_origin` and `shown_at`, of one row or none.
   */
  readonly checkoutPage: (order: { providerId: string; orderId: OrderId }) => StatementPart;
  /** Of an identity document's serial (the newest format is not public). */
  readonly documentSerialPattern: string;
  /** How long a request waits for the outside parties before it answers `processing`. */
  readonly answerWithinMs: number;
}
