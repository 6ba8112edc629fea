import type { MintWidgetTokenRequest, MintWidgetTokenResponse } from "bff/contract/widget-tokens";
import { AapdError, AapdUnreachable } from "bff/partner-client/errors";
import type { PartnerClient } from "bff/partner-client/partner-client";
import { AT_THE_DESK, soldIn } from "../scenarios/services.ts";
import type { Journal } from "./journal.ts";
import {
  awaitsPayment,
  type Happening,
  happen,
  hasSeenEvent,
  type JournalEntry,
  owesReceipt,
  type Purchase,
  type PurchaseStart,
  startPurchase,
} from "./purchase.ts";
import { receiptPdf } from "./receipt-pdf.ts";

export const CLINIC = { name: "Clínica Los Aromos del Sur SpA", rut: "76.900.001-1" } as const;

export interface ClinicDependencies {
  readonly aapd: PartnerClient;
  readonly journal: Journal<JournalEntry>;
  readonly now: () => Date;
  readonly uuid: () => string;
  readonly parentOrigin: () => string;
}

export interface WebhookFacts {
  readonly eventId: string;
  readonly event: string;
  readonly sequence: number;
  readonly status: string;
  readonly reference: string;
}

/** How a patient at the front desk gets to the checkout on their own phone. */
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
  /** The same at the front desk, where the patient opens it on a phone. */
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
   * Run at start and regularly: asks about orders without a webhook, and submits the receipts that could not be submitted
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

const PAY_WITHIN_MINUTES = 60;
/** If no webhook confirms a status within this time, the status that the service returned is accepted. */
const WEBHOOK_WITHIN_MS = 60_000;

/**
 * Whether it is certain that the service did not carry out the call. Otherwise it may have, so the call is repeated with
 * the same key.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof AapdError && error.status < 500;
}

/** Statuses that do not concern the request itself, so that the same request may be accepted later. */
const MAY_PASS_LATER: readonly number[] = [401, 403, 408, 429];

/** Whether the same receipt would be refused every time. */
function isRefusedForGood(error: unknown): boolean {
  return error instanceof AapdError && error.status < 500 && !MAY_PASS_LATER.includes(error.status);
}

/** Uses the day in Chile, because from 20:00 or 21:00 in Chile the UTC date is already the next day. */
const DAY_IN_CHILE = new Intl.DateTimeFormat("en-GB", {
  timeZone: "America/Santiago",
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
});

function explain(error: unknown): string {
  if (error instanceof AapdError) return `${error.code ?? error.status}: ${error.message}`;
  if (error instanceof AapdUnreachable) return error.message;
  throw error;
}

/** Acts on the items one after the other, continues after a failure, and throws the first failure at the end. */
async function forEach<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await act(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

export function createClinic({ aapd, journal, now, uuid, parentOrigin }: ClinicDependencies): Clinic {
  const purchases = new Map<string, Purchase>();
  const listeners = new Map<string, Set<(purchase: Purchase) => void>>();
  const submitting = new Map<string, Promise<void>>();
  const refreshing = new Map<string, Promise<void>>();
  /** Statuses that the service returned and no webhook has confirmed yet, with the time since when. */
  const unheard = new Map<string, { readonly status: string; readonly sinceMs: number }>();
  /** The keys of refunds without an answer. A repeated request uses the same key, so that it is not refunded twice. */
  const unansweredRefunds = new Map<string, string>();
  let lastWebhook: Promise<unknown> = Promise.resolve();

  function apply(entry: JournalEntry): void {
    if (entry.type === "started") {
      purchases.set(entry.purchase.id, startPurchase(entry.purchase));
      return;
    }
    const purchase = purchases.get(entry.purchaseId);
    if (purchase === undefined) return;
    const next = happen(purchase, entry.at, entry.happening);
    purchases.set(entry.purchaseId, next);
    for (const listener of listeners.get(entry.purchaseId) ?? []) listener(next);
  }

  async function record(purchaseId: string, happening: Happening): Promise<void> {
    const entry: JournalEntry = { type: "happened", purchaseId, at: now().toISOString(), happening };
    await journal.append(entry);
    apply(entry);
  }

  function known(id: string): Purchase {
    const purchase = purchases.get(id);
    if (purchase === undefined) throw new Error("unknown purchase");
    return purchase;
  }

  async function mint(
    purchase: Purchase,
    orderHash: string,
    how: Pick<MintWidgetTokenRequest, "qr" | "deliver"> = {},
  ): Promise<MintWidgetTokenResponse> {
    const wish = {
      order_token: orderHash,
      rut: purchase.rut,
      user_data: {
        name: purchase.firstName,
        surname: purchase.lastName,
        email: purchase.email,
        phone_number: purchase.phone,
        rut: purchase.rut,
      },
      expires_in_minutes: PAY_WITHIN_MINUTES,
      parent_origin: parentOrigin(),
      ...how,
    };
    const minted = await aapd.mintWidgetToken(wish).catch(async (error: unknown) => {
      await record(purchase.id, { kind: "widget_token_refused", message: explain(error) });
      throw error;
    });
    await record(purchase.id, { kind: "widget_token_minted", expiresAt: minted.expires_at });
    return minted;
  }

  async function mintCode(purchase: Purchase, orderHash: string): Promise<DeskCode> {
    const { url, qr_svg: qrSvg = "" } = await mint(purchase, orderHash, { qr: true });
    return { url, qrSvg, validMinutes: PAY_WITHIN_MINUTES };
  }

  /** The order of a purchase, created now if the service did not answer before. */
  async function orderOf(purchase: Purchase): Promise<string> {
    return purchase.orderHash ?? createOrder(purchase);
  }

  async function start(wish: Omit<PurchaseStart, "id" | "reference" | "startedAt">): Promise<Purchase> {
    const id = uuid();
    const reference = `CLA-${id.slice(0, 8).toUpperCase()}`;
    const entry: JournalEntry = {
      type: "started",
      purchase: { ...wish, id, reference, startedAt: now().toISOString() },
    };
    await journal.append(entry);
    apply(entry);
    return known(id);
  }

  async function createOrder(purchase: Purchase): Promise<string> {
    const service = soldIn(purchase);
    const wish = {
      reference: purchase.reference,
      total_amount: service?.priceClp ?? 0,
      ...(service?.items === undefined ? {} : { items: [...service.items] }),
      customer: {
        rut: purchase.rut,
        first_name: purchase.firstName,
        last_name: purchase.lastName,
        email: purchase.email,
        phone_number: purchase.phone,
      },
    };
    // The key is our own id of the purchase: if this process dies before the answer is recorded, the repeated call finds
    // the same order.
    const order = await aapd.createOrder(wish, { idempotencyKey: purchase.id }).catch(async (error: unknown) => {
      const kind = isRefusal(error) ? "order_refused" : "order_unanswered";
      await record(purchase.id, { kind, message: explain(error) });
      throw error;
    });
    await record(purchase.id, { kind: "order_created", orderHash: order.hash, reference: order.reference });
    return order.hash;
  }

  async function submitReceipt(purchase: Purchase): Promise<void> {
    const service = soldIn(purchase);
    if (service === null || purchase.orderHash === null) return;
    const date = DAY_IN_CHILE.format(new Date(purchase.startedAt));
    const bytes = receiptPdf({
      clinic: CLINIC.name,
      clinicRut: CLINIC.rut,
      number: purchase.reference,
      date,
      patient: `${purchase.firstName} ${purchase.lastName}`,
      patientRut: purchase.rut,
      service: service.name,
      professional: service.professional,
      total: `$${service.priceClp.toLocaleString("es-CL")}`,
    });
    try {
      const expense = await aapd.submitExpense({
        rut: purchase.rut,
        orderHash: purchase.orderHash,
        files: [{ name: "boleta.pdf", type: "application/pdf", bytes }],
        name: `${purchase.firstName} ${purchase.lastName}`,
        date,
        receiptId: purchase.reference,
        receiptRut: CLINIC.rut,
        totalClp: service.priceClp,
        subtypes: [service.subtype],
      });
      const { id: expenseId, status, created } = expense;
      await record(purchase.id, { kind: "receipt_submitted", expenseId, status, created });
    } catch (error) {
      await noteUnsubmitted(purchase.id, {
        kind: isRefusedForGood(error) ? "receipt_refused" : "receipt_unanswered",
        message: explain(error),
      });
    }
  }

  /** Records each reason once in a row, however often the receipt is sent in vain. */
  async function noteUnsubmitted(
    id: string,
    why: Extract<Happening, { kind: "receipt_refused" | "receipt_unanswered" }>,
  ): Promise<void> {
    const last = known(id).timeline.at(-1)?.happening;
    if (last?.kind !== why.kind || last.message !== why.message) await record(id, why);
  }

  async function submitDueReceipts(): Promise<void> {
    await forEach([...purchases.values()].filter(owesReceipt), async ({ id }) => {
      const running = submitting.get(id);
      if (running !== undefined) return running;
      const purchase = known(id);
      // The receipt may have been submitted elsewhere while the ones before it were submitted.
      if (!owesReceipt(purchase)) return;
      const submission = submitReceipt(purchase).finally(() => submitting.delete(id));
      submitting.set(id, submission);
      await submission;
    });
  }

  async function keepWebhook({ reference, ...facts }: WebhookFacts): Promise<boolean> {
    const purchase = [...purchases.values()].find((candidate) => candidate.reference === reference);
    if (purchase === undefined) return false;
    if (!hasSeenEvent(purchase, facts.eventId)) await record(purchase.id, { kind: "webhook_received", ...facts });
    return true;
  }

  async function reconcile(id: string): Promise<void> {
    const { orderHash } = known(id);
    if (orderHash === null) return;
    const { status: orderStatus, expense, collection } = await aapd.getOrder(orderHash);
    const before = known(id);
    await believe(id, orderStatus);
    if (expense !== null && expense.status !== before.receiptStatus) {
      await record(id, { kind: "claim_changed", status: expense.status });
    }
    if (collection === null) return;
    const { status, reason, due_at: dueAt } = collection;
    const had = before.collection;
    if (had?.status !== status || had.reason !== reason || had.dueAt !== dueAt) {
      await record(id, { kind: "collection_changed", status, reason, dueAt });
    }
  }

  /** Accepts the status that the service returned if no webhook confirms it in time. */
  async function believe(id: string, status: string): Promise<void> {
    const nowMs = now().getTime();
    const heard = unheard.get(id);
    if (status === known(id).orderStatus) unheard.delete(id);
    else if (heard?.status !== status) unheard.set(id, { status, sinceMs: nowMs });
    else if (nowMs - heard.sinceMs >= WEBHOOK_WITHIN_MS) {
      unheard.delete(id);
      await record(id, { kind: "order_read", status });
      await submitDueReceipts();
    }
  }

  function refresh(id: string): Promise<void> {
    const running = refreshing.get(id) ?? reconcile(id).finally(() => refreshing.delete(id));
    refreshing.set(id, running);
    return running;
  }

  for (const entry of journal.entries) apply(entry);

  return {
    purchases: () => [...purchases.values()],
    purchase: (id) => purchases.get(id) ?? null,
    async startCheckout(wish) {
      const purchase = await start(wish);
      const { url } = await mint(purchase, await createOrder(purchase));
      return { id: purchase.id, url };
    },
    async startAtDesk(wish) {
      const purchase = await start({ ...wish, serviceId: AT_THE_DESK.id });
      return { id: purchase.id, ...(await mintCode(purchase, await createOrder(purchase))) };
    },
    async codeAgain(id) {
      const purchase = known(id);
      return mintCode(purchase, await orderOf(purchase));
    },
    async mailCheckout(id) {
      const purchase = known(id);
      await mint(purchase, await orderOf(purchase), { deliver: { email: purchase.email } });
      await record(id, { kind: "checkout_mailed", to: purchase.email });
    },
    async mintAgain(id) {
      const purchase = known(id);
      return (await mint(purchase, await orderOf(purchase))).url;
    },
    takeWebhook(facts) {
      // Webhooks are recorded one at a time, so that of two copies the second finds the first.
      const taken = lastWebhook.then(() => keepWebhook(facts));
      lastWebhook = taken.catch(() => undefined);
      return taken;
    },
    noteRefusedWebhook: (id, reason) => record(id, { kind: "webhook_refused", reason }),
    submitDueReceipts,
    async catchUp() {
      const silent = [...purchases.values()].filter((purchase) => awaitsPayment(purchase, now()));
      await forEach(silent, async ({ id }) => {
        await refresh(id).catch((error: unknown) => {
          // The order belongs to another service: the journal is older than the service's database.
          if (!(error instanceof AapdError && error.status === 404)) throw error;
        });
      });
      await submitDueReceipts();
    },
    async refund(id, amountClp) {
      const { orderHash } = known(id);
      if (orderHash === null) return;
      const wish = `${id} ${amountClp ?? "all"}`;
      const idempotencyKey = unansweredRefunds.get(wish) ?? uuid();
      try {
        const { refund } = await aapd.refundOrder(
          orderHash,
          { reason: "Pedida en la clínica", ...(amountClp === null ? {} : { amount: amountClp }) },
          { idempotencyKey },
        );
        unansweredRefunds.delete(wish);
        await record(id, { kind: "refund_asked", amountClp: refund.amount, status: refund.status });
      } catch (error) {
        const message = explain(error);
        if (isRefusal(error)) unansweredRefunds.delete(wish);
        else unansweredRefunds.set(wish, idempotencyKey);
        await record(id, { kind: isRefusal(error) ? "refund_refused" : "refund_unanswered", message });
      }
    },
    note: (id, happening) => record(id, happening),
    refresh,
    watch(id, listener) {
      const those = listeners.get(id) ?? new Set();
      listeners.set(id, those.add(listener));
      return () => {
        those.delete(listener);
      };
    },
  };
}
