import type { Order, PatientOrder, UpcomingCharge } from "../contract/orders.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { CardProcessor } from "../gateways/card-processor.ts";
import type { FinancingProvider } from "../gateways/financing-provider.ts";
import type { CallConnectors } from "../gateways/gateway-call.ts";
import type { IdentityRegistry } from "../gateways/identity-registry.ts";
import type { TaxDocuments } from "../gateways/tax-documents.ts";
import type { NotifyPatientDependencies } from "../notifications/notify-patient.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import type { BackgroundWork } from "../platform/background-work.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, StatementPart } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import type { Environment, Principal, Provider } from "../platform/provider.ts";
import type { Within } from "../platform/within.ts";
import type { DocumentPrinter, Logos } from "./document-printer.ts";
import type { OrderRecord } from "./order-record.ts";
import type { AnnualCostTerms } from "./quote.ts";
import type { ReturnUrl } from "./redirect.ts";
import type { NamedCard } from "./saved-cards.ts";
import type { StampTaxTerms } from "./stamp-tax.ts";

/** The parts of other rooms that the events of an order show, read in the transaction of the event. */
export interface RelatedToOrder {
  expenseOf(db: Database, providerId: string, orderId: OrderId): Promise<Order["expense"]>;
  collectionOf(db: Database, order: OrderRecord): Promise<Order["collection"]>;
}

/** The views of an order with the parts of other rooms. `now` is in the provider's time. */
export interface OrderViews {
  forPartner(order: OrderRecord, now: Date): Promise<Order>;
  /** The same for each order, by one statement. */
  listForPartner(orders: readonly OrderRecord[], now: Date): Promise<Order[]>;
  /** Once the order is paid, with the steps left to do and the consents withdrawn. */
  forPatient(order: OrderRecord, now: Date): Promise<PatientOrder>;
  /**
   * With the fields that the caller's credential may see. Only here a partner sees the address of the payment page,
   * which opens it: the other views are stored as answers and events.
   */
  forCaller(caller: Pick<Principal, "credential">, order: OrderRecord, now: Date): Promise<Order | PatientOrder>;
  /** The next charge of a paid order. */
  upcomingCharge(order: OrderRecord, now: Date): Promise<UpcomingCharge | null>;
}

/** Access to the patient of an order. */
export interface PatientOfOrder {
  /**
   * The patient who was recognised for an order within the window, by a code to their registered address; null if there
   * is none.
   */
  recognised(
    db: Database,
    of: { readonly provider: Provider; readonly order: OrderRecord; readonly now: Date },
  ): Promise<RecognisedPatient | null>;
  /** Throws 409 `RUT_OTHER_EMAIL` if the order names an e-mail address other than its patient's proven one. */
  refuseCollision(db: Database, order: OrderRecord, patient: Beneficiary | null): Promise<void>;
  /** The texts that the patient saw on an order's pages: the body of the CTE of `consentsRecordedWith`. */
  shownTexts(order: { readonly providerId: string; readonly orderId: OrderId }): StatementPart;
}

/** An order to which something happens in a transaction. */
interface OrderMoment {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** In the provider's time. */
  readonly at: Date;
}

/** A refund that ended without returning anything, so no `order.refunded` follows. */
export interface FailedRefund extends OrderMoment {
  readonly requestedAt: Date;
  /** The price of the later charge that it had claimed, and that is owed again. */
  readonly released: Clp;
  /** False if the answer to its own request reports the failure. */
  readonly wasAnswered: boolean;
}

declare module "../platform/within.ts" {
  interface WithinEvents {
    /** The registry has matched the order's patient, which proves their registered address. */
    readonly identity_matched: { readonly provider: Provider; readonly order: OrderRecord; readonly at: Date };
    readonly order_paid: OrderMoment;
    readonly refund_without_return: FailedRefund;
  }
}

/** The connectors that take the calls of a payment or refund; null if none was recorded. */
export interface AttemptConnectors {
  readonly cardProcessor: string | null;
  readonly financingProvider: string | null;
}

export interface PaymentGateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly returnUrl: ReturnUrl;
  readonly connectors: CallConnectors;
}

/** The patient of an order, recognised by a code. */
export interface RecognisedPatient {
  readonly patient: Beneficiary;
  /** Whether the registry's earlier match counts. If not, only saved cards are offered. */
  readonly isTrusted: boolean;
  /** The saved card that the code was for, as its message named it; null if it was for none. */
  readonly card: NamedCard | null;
}

/** Everything that the orders feature needs. Each operation picks only what it uses. */
export interface OrdersDependencies extends PaymentGateways {
  readonly environment: Environment;
  readonly db: Database;
  /** Real time. Events of an order are dated in its provider's time instead. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly background: BackgroundWork;
  readonly documents: DocumentPrinter;
  readonly logos: Logos;
  readonly identityRegistry: IdentityRegistry;
  readonly taxDocuments: TaxDocuments;
  /** Keyed hash: equal values give equal hashes, and a hash does not reveal its value. `seal` is for notifications. */
  readonly keyring: Pick<Keyring, "hmac" | "hmacsOfAllKeys" | "seal">;
  readonly paymentPage: NotifyPatientDependencies["paymentPage"];
  readonly consultationDay: NotifyPatientDependencies["consultationDay"];
  readonly related: RelatedToOrder;
  /** Reads the provider with its current clock; for timers, which run without a request. */
  readonly findProvider: (providerId: string) => Promise<Provider>;
  /** Finds one of a meta-provider's own centres by its RUT. */
  readonly findCenter: (db: Database, providerId: string, rut: Rut) => Promise<{ id: string; rut: Rut } | null>;
  /** Passes events inside a transaction to the rooms that listen. */
  readonly within: Within;
  readonly patient: PatientOfOrder;
  /** The pattern of an identity document's serial. Configured, because the newest format is not public. */
  readonly documentSerialPattern: string;
  readonly annualCost: AnnualCostTerms;
  readonly stampTax: StampTaxTerms;
  /** How long a request waits for the gateways, in all, before it answers `processing`. */
  readonly answerWithinMs: number;
}
