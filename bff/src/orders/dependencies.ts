import type { MissingStep, Order, OrderClaim, UpcomingCharge } from "../contract/orders.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { CardProcessor } from "../gateways/card-processor.ts";
import type { FinancingProvider } from "../gateways/financing-provider.ts";
import type { IdentityRegistry } from "../gateways/identity-registry.ts";
import type { TaxDocuments } from "../gateways/tax-documents.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import type { BackgroundWork } from "../platform/background-work.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, StatementPart } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import type { Environment, Provider } from "../platform/provider.ts";
import type { Within } from "../platform/within.ts";
import type { AgreementPrinter } from "./agreement-printer.ts";
import type { OrderRecord } from "./order-record.ts";
import type { AnnualCostTerms } from "./quote.ts";
import type { ReturnUrl } from "./redirect.ts";
import type { NamedCard } from "./saved-cards.ts";

/** What other features contribute to the view of an order. */
export interface RelatedToOrder {
  expenseOf(db: Database, providerId: string, orderId: OrderId): Promise<Order["expense"]>;
  /** What the patient of a paid order sees of other features; `now` is in the provider's time. */
  ofPatient(db: Database, order: OrderRecord, now: Date): Promise<RelatedOfPatient>;
  /** What the partner sees of other features, of an order in any state. */
  ofPartner(db: Database, order: OrderRecord): Promise<RelatedOfPartner>;
  /** What the page around the checkout is told of a paid order, signed. */
  signedReceiptOf(order: OrderRecord): string | null;
  collectionOf(db: Database, order: OrderRecord): Promise<Order["collection"]>;
}

export interface RelatedOfPatient {
  /** What the patient has still to do so that the claim can be filed; `null`: nothing. */
  readonly missing_step: MissingStep | null;
  /** Whether the patient has revoked the mandate for what is still to be charged. */
  readonly mandate_revoked: boolean;
  /** What is charged next, and when. */
  readonly upcoming_charge: UpcomingCharge | null;
}

export interface RelatedOfPartner extends Pick<Order, "expense" | "collection"> {
  /** The claim of a paid order. */
  readonly claim: OrderClaim | null;
  readonly missing_step: MissingStep | null;
}

/** What the checkout knows of an order's patient. */
export interface PatientOfOrder {
  /**
   * The patient who was recognised for an order a while ago, by a code to their registered address, and could be now;
   * `null` if there is none.
   */
  recognised(
    db: Database,
    of: { readonly provider: Provider; readonly order: OrderRecord; readonly now: Date },
  ): Promise<RecognisedPatient | null>;
  /** Throws 409 `RUT_OTHER_EMAIL` if the order names another mailbox than the proven registration of its patient. */
  refuseCollision(
    db: Database,
    about: { readonly order: OrderRecord; readonly record: Beneficiary | null },
  ): Promise<void>;
  /** The texts that the patient was shown on an order's pages: the body of the CTE of `consentsRecordedWith`. */
  shownTexts(order: { readonly providerId: string; readonly orderId: OrderId }): StatementPart;
}

/** An order of which something happens in a transaction. */
interface OrderMoment {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** In the provider's time. */
  readonly at: Date;
}

declare module "../platform/within.ts" {
  interface WithinEvents {
    /** The registry has matched the order's patient, which proves what they have registered. */
    readonly identity_matched: { readonly provider: Provider; readonly order: OrderRecord; readonly at: Date };
    readonly order_paid: OrderMoment;
    /** A refund has ended that returned nothing, so that no `order.refunded` follows. */
    readonly refund_without_return: OrderMoment;
  }
}

export interface PaymentGateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly returnUrl: ReturnUrl;
}

/** The patient of an order, whom a code has recognised. */
export interface RecognisedPatient {
  readonly patient: Beneficiary;
  /** Whether the registry's match of before counts; otherwise only saved cards are offered. */
  readonly isTrusted: boolean;
  /** The saved card that the code was for, as its message named it; null: none. */
  readonly card: NamedCard | null;
}

/** Everything that the orders feature needs; each operation asks only for what it uses. */
export interface OrdersDependencies extends PaymentGateways {
  readonly environment: Environment;
  readonly db: Database;
  /** Real time. Events of an order are dated in its provider's time instead. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly background: BackgroundWork;
  readonly agreements: AgreementPrinter;
  readonly identityRegistry: IdentityRegistry;
  readonly taxDocuments: TaxDocuments;
  /**
   * Keyed hash: equal values give equal hashes, and a value cannot be derived from its hash. `seal` is for
   * notifications.
   */
  readonly keyring: Pick<Keyring, "hmac" | "hmacsOfAllKeys" | "seal">;
  readonly related: RelatedToOrder;
  /** Reads the provider with its current clock; for timers, which run without a request. */
  readonly findProvider: (providerId: string) => Promise<Provider>;
  /** Finds one of a meta-provider's own centres by its RUT. */
  readonly findCenter: (db: Database, providerId: string, rut: Rut) => Promise<{ id: string; rut: Rut } | null>;
  /** Passes what happens in a transaction to the rooms that listen. */
  readonly within: Within;
  readonly patient: PatientOfOrder;
  /** The pattern of an identity document's serial. It is configured because the newest format is not public. */
  readonly documentSerialPattern: string;
  readonly annualCost: AnnualCostTerms;
  /** How long a request waits for the gateways before it answers `processing`. */
  readonly answerWithinMs: number;
}
