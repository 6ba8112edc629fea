import { AapdError } from "bff/partner-client/errors";
import type { PartnerClient } from "bff/partner-client/partner-client";
import { AT_THE_DESK } from "../scenarios/services.ts";
import { forEach } from "./call-failures.ts";
import { createCheckouts, PAY_WITHIN_MINUTES } from "./checkouts.ts";

import type { Journal } from "./journal.ts";
import { createOrderStates, type WebhookFacts } from "./order-states.ts";
import { awaitsPayment, type Happening, type JournalEntry, type Purchase, type PurchaseStart } from "./purchase.ts";
import { openPurchaseBook } from "./purchase-book.ts";
import { createReceipts } from "./receipts.ts";
import { createRefunds } from "./refunds.ts";

export interface ClinicDependencies {
  readonly aapd: PartnerClient;
  readonly journal: Journal<JournalEntry>;
  readonly now: () => Date;
  readonly uuid: () => string;
  readonly parentOrigin: () => string;
}

/** How a patient at the front desk opens the checkout on their own phone. */
export interface DeskCode {
  readonly url: string;
  /** A QR code of the URL. */
  readonly qrSvg: string;
  readonly validMinutes: number;
}

export type DeskWish = Omit<PurchaseStart, "id" | "reference" | "startedAt" | "serviceId"> & {
  readonly amountClp: number;
};

/** The clinic's side of a sale: its purchases, its calls to the service, and its reactions to webhooks. */
export interface Clinic {
  purchases(): readonly Purchase[];
  purchase(id: string): Purchase | null;
  /** Creates the order and mints a widget token for it; returns the URL of the frame. */
  startCheckout(wish: Omit<PurchaseStart, "id" | "reference" | "startedAt">): Promise<{ id: string; url: string }>;
  /** The same at the front desk, where the patient uses their own phone. */
  startAtDesk(wish: DeskWish): Promise<DeskCode & { readonly id: string }>;
  /** A new code for a purchase whose code has expired, or is not on this screen. */
  codeAgain(id: string): Promise<DeskCode>;
  /** Has the service mail the checkout to the patient. */
  mailCheckout(id: string): Promise<void>;
  /** A new URL of the frame for a purchase whose token has expired. */
  mintAgain(id: string): Promise<string>;
  /** Records a verified webhook; returns false if no purchase of ours has this reference. */
  takeWebhook(facts: WebhookFacts): Promise<boolean>;
  /** Records that a webhook arrived and was refused. */
  noteRefusedWebhook(id: string, reason: string): Promise<void>;
  /** Submits the receipts that are due; called after a payment. */
  submitDueReceipts(): Promise<void>;
  /**
   * Runs at start and regularly: reads orders without a webhook, and submits the receipts that could not be submitted
   * before.
   */
  catchUp(): Promise<void>;
  /** Refunds an amount, or everything that is left. The timeline shows whether the service accepted it. */
  refund(id: string, amountClp: number | null): Promise<void>;
  /** Records what a tester did to the surroundings of a purchase. */
  note(id: string, happening: Extract<Happening, { kind: "days_passed" | "insurer_decided" }>): Promise<void>;
  /** Asks the service for the present state of the order and its claim. */
  refresh(id: string): Promise<void>;
  /** Calls back at every change, until the returned function is called. */
  watch(id: string, listener: (purchase: Purchase) => void): () => void;
}

export function createClinic({ aapd, journal, now, uuid, parentOrigin }: ClinicDependencies): Clinic {
  const book = openPurchaseBook({ journal, now });
  const { orderOf, mint } = createCheckouts({ aapd, book, parentOrigin });
  const submitDueReceipts = createReceipts({ aapd, book });
  const { takeWebhook, refresh } = createOrderStates({ aapd, book, now, submitDueReceipts });

  /** Starts a purchase and creates its order. */
  async function start(wish: Omit<PurchaseStart, "id" | "reference" | "startedAt">): Promise<Purchase> {
    const id = uuid();
    const reference = `CLA-${id.slice(0, 8).toUpperCase()}`;
    await orderOf(await book.start({ ...wish, id, reference, startedAt: now().toISOString() }));
    return book.get(id);
  }

  async function code(purchase: Purchase): Promise<DeskCode> {
    const { url, qr_svg: qrSvg = "" } = await mint(purchase, { qr: true });
    return { url, qrSvg, validMinutes: PAY_WITHIN_MINUTES };
  }

  return {
    purchases: book.all,
    purchase: book.find,
    async startCheckout(wish) {
      const purchase = await start(wish);
      return { id: purchase.id, url: (await mint(purchase)).url };
    },
    async startAtDesk(wish) {
      const purchase = await start({ ...wish, serviceId: AT_THE_DESK.id });
      return { id: purchase.id, ...(await code(purchase)) };
    },
    codeAgain: async (id) => code(book.get(id)),
    async mailCheckout(id) {
      const purchase = book.get(id);
      await mint(purchase, { deliver: { email: purchase.email } });
      await book.record(id, { kind: "checkout_mailed", to: purchase.email });
    },
    mintAgain: async (id) => (await mint(book.get(id))).url,
    takeWebhook,
    noteRefusedWebhook: (id, reason) => book.record(id, { kind: "webhook_refused", reason }),
    submitDueReceipts,
    async catchUp() {
      const silent = book.all().filter((purchase) => awaitsPayment(purchase, now()));
      await forEach(silent, async ({ id }) => {
        await refresh(id).catch((error: unknown) => {
          // The order belongs to another service: the journal is older than the service's database.
          if (!(error instanceof AapdError && error.status === 404)) throw error;
        });
      });
      await submitDueReceipts();
    },
    refund: createRefunds({ aapd, book, uuid }),
    note: book.record,
    refresh,
    watch: book.watch,
  };
}
