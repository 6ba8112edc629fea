import { answerVisit } from "../../sandbox/card-processor/card-page-visit.ts";
import { answerChallenge } from "../../sandbox/card-processor/challenge.ts";
import { catalogueCard } from "../../sandbox/catalogue.ts";
import { chargeBack } from "../../sandbox/charge-back.ts";
import { listEmails, listMessages } from "../../sandbox/messenger/messenger-store.ts";
import { readOrderId } from "../../src/contract/vocabulary/identifiers.ts";
import { ApiError } from "../../src/platform/http/api-error.ts";
import { seededIds } from "../../src/platform/ids.ts";
import { cardFor, newOrderId, seal } from "../../test/http/gateways/start-gateways.ts";
import type { Acknowledged } from "./facts.ts";
import type { InjectedAnswer, InjectedRequest } from "./inject.ts";
import type { Instance } from "./instance.ts";
import type { OrderPlan, PatientWish } from "./life-plan.ts";
import { createPatient, type Patient } from "./patient.ts";
import { formRequest, jsonRequest, receiptFile } from "./requests.ts";
import { consentsTo, type Partner, type World } from "./world.ts";

/** A refund that the partner wants exactly once, however often it sends the request. */
interface WantedRefund {
  readonly key: string;
  readonly by: "header" | "reference";
  readonly amount: number | null;
  /** The final answer: made, or refused. */
  isAnswered: boolean;
}

/**
 * A patient, the partner's back end and the widget, for one order: their knowledge, their next step, and the requests
 * that they repeat because an answer was lost.
 */
export interface Customer {
  /** Takes the customer's next step. */
  goOn(instance: Instance): Promise<void>;
  refund(instance: Instance, wanted: { readonly share: number; readonly by: "header" | "reference" }): Promise<void>;
  /** The clinic sends each of its refunds again, as it does after a restore. */
  sendRefundsAgain(instance: Instance): Promise<void>;
  cancel(instance: Instance): Promise<void>;
  /** `document`: another file than the first. */
  sendReceipt(instance: Instance, document?: string): Promise<void>;
  /** The patient opens the checkout's page. */
  openPage(instance: Instance): Promise<void>;
  /** The patient acts on a mail. Returns whether there was one to act on. */
  wish(instances: readonly Instance[], wish: PatientWish): Promise<boolean>;
  /** When the payment was acknowledged; null if it was not. */
  readonly paidAt: Date | null;
  /** The patient's bank takes the latest charge back. Returns whether there was one. */
  chargeBack(): Promise<boolean>;
  /** Whether any request is unanswered. */
  waitsForAnswers(): boolean;
  readonly acknowledged: readonly Acknowledged[];
}

/** Called with each answer and the instance that gave it. */
export type OnAnswer = (instance: Instance, request: InjectedRequest, answer: InjectedAnswer | null) => void;

/** The parts of the world that customers need. */
export type CustomerWorld = Pick<World, "stage" | "parties" | "database" | "wishes">;

export function createCustomer(
  world: CustomerWorld,
  partner: Partner,
  plan: OrderPlan,
  number: number,
  onAnswer: OnAnswer,
): Customer {
  return new ForgetfulCustomer(world, partner, plan, number, onAnswer);
}

const CODES_READ = 50;
/** The beginning of the subject of the mail with a known patient's code. */
const PAYING_CODE = "Tu código para pagar en";

type Phase = "ordering" | "registering" | "recognising" | "identifying" | "adding_card" | "paying" | "paid" | "over";

class ForgetfulCustomer implements Customer {
  readonly acknowledged: Acknowledged[] = [];
  readonly #world: CustomerWorld;
  readonly #partner: Partner;
  readonly #plan: OrderPlan;
  readonly #number: number;
  readonly #onAnswer: OnAnswer;
  readonly #refunds: WantedRefund[] = [];
  #hash: string | null = null;
  #phase: Phase = "ordering";
  #cardsTried = 0;
  #payments = 1;
  /** Whether a page of the processor may be open, which is then queried. */
  #mayHavePage = false;
  #hasLeftPage = false;
  #isRegistered = false;
  #paidAt: Date | null = null;
  readonly #patient: Patient;
  #isReceiptTaken = false;
  #widgetToken: string | null = null;
  /** Saved cards that a recognition has offered and that were not refused. */
  #offered: string[] = [];

  constructor(world: CustomerWorld, partner: Partner, plan: OrderPlan, number: number, onAnswer: OnAnswer) {
    this.#world = world;
    this.#partner = partner;
    this.#plan = plan;
    this.#number = number;
    this.#onAnswer = onAnswer;
    this.#patient = createPatient({
      world,
      partner,
      identity: () => ({
        rut: plan.rut,
        mailbox: this.#mailbox(),
        orderId: this.#hash,
      }),
      presses: plan.presses,
      ask: (instance, request) => this.#ask(instance, "spot", request),
      acknowledge: (what, holds) => this.#acknowledge(what, holds),
    });
  }

  wish(instances: readonly Instance[], wish: PatientWish): Promise<boolean> {
    return this.#patient.wish(instances, wish);
  }

  get paidAt(): Date | null {
    return this.#paidAt;
  }

  /**
   * One mailbox for each order. A returning patient has one for all: of two orders under one RUT, one could have
   * another mailbox than the registered one.
   */
  #mailbox(): string {
    return `paciente-${this.#plan.returnsFrom ?? this.#number}@example.com`;
  }

  async goOn(instance: Instance): Promise<void> {
    const again = this.#refunds.find(({ isAnswered }) => !isAnswered);
    if (again !== undefined) return this.#askForRefund(instance, again);
    switch (this.#phase) {
      case "ordering":
        return this.#order(instance);
      case "registering":
        return this.#register(instance);
      case "recognising":
        return this.#recognise(instance);
      case "identifying":
        return this.#identify(instance);
      case "adding_card":
        return this.#addCard(instance);
      case "paying":
        return this.#pay(instance);
      case "paid":
        return this.#isReceiptTaken ? this.#read(instance) : this.sendReceipt(instance);
      case "over":
        return this.#read(instance);
    }
  }

  waitsForAnswers(): boolean {
    const isOnTheWay = this.#phase !== "paid" && this.#phase !== "over";
    return isOnTheWay || this.#refunds.some(({ isAnswered }) => !isAnswered);
  }

  async refund(instance: Instance, { share, by }: { share: number; by: "header" | "reference" }): Promise<void> {
    if (this.#phase !== "paid") return;
    const amount = share === 0 ? null : Math.max(1, Math.floor((this.#plan.total * share) / 7));
    const wanted = { key: `refund-${this.#number}-${this.#refunds.length}`, by, amount, isAnswered: false };
    this.#refunds.push(wanted);
    await this.#askForRefund(instance, wanted);
  }

  async sendRefundsAgain(instance: Instance): Promise<void> {
    for (const wanted of this.#refunds) await this.#askForRefund(instance, wanted);
  }

  async cancel(instance: Instance): Promise<void> {
    if (this.#hash === null) return;
    const answer = await this.#askOrders(instance, "POST", "/cancel", "client_secret", { key: "cancel" });
    if (answer?.status !== 200) return;
    this.#phase = "over";
    const hash = this.#hash;
    this.#acknowledge(`order ${hash} was cancelled`, ({ orders }) =>
      orders.some(({ id, state }) => id === hash && (state === "cancelled" || state === "expired")),
    );
  }

  async openPage(instance: Instance): Promise<void> {
    const token = await this.#token(instance);
    if (token === null) return;
    await this.#ask(instance, "spot", { method: "GET", url: `/api/spot/widget/${token}`, headers: {} });
  }

  async sendReceipt(instance: Instance, document = "receipt"): Promise<void> {
    if (this.#hash === null) return;
    const hash = this.#hash;
    const query = new URLSearchParams({ public_key: this.#partner.credentials.public_key, rut: this.#plan.rut });
    const file = receiptFile(`${document} of ${this.#number}`);
    const answer = await this.#ask(
      instance,
      "spot",
      formRequest(`/api/spot/gastos?${query.toString()}`, { skip_pay_order_id: hash, date: "21/11/2026" }, [file]),
    );
    if (answer?.status === 404) this.#isReceiptTaken = true;
    if (answer?.status !== 200) return;
    this.#isReceiptTaken = true;
    const { id } = answer.body;
    const { erased } = this.#world.wishes;
    this.#acknowledge(`the receipt of order ${hash} was taken`, ({ expenses, expense_files }) => {
      const kept = expenses.find((expense) => expense.id === id && expense.order_id === hash);
      if (kept === undefined) return false;
      return erased.has(kept.beneficiary_id) || expense_files.some(({ expense_id }) => expense_id === id);
    });
  }

  async chargeBack(): Promise<boolean> {
    const orderId = readOrderId(this.#hash ?? "");
    if (orderId === null || this.#phase !== "paid") return false;
    const { database, stage } = this.#world;
    const ids = seededIds(`chargeback:${orderId}:${stage.clock.now().getTime()}`);
    const order = { providerId: this.#partner.provider.id, orderHash: orderId, at: stage.clock.now() };
    try {
      await stage.busy(() => chargeBack({ db: database.db, ids }, order));
      return true;
    } catch (error) {
      // Everything was refunded already.
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  async #order(instance: Instance): Promise<void> {
    const { total, rut } = this.#plan;
    const reference = `reference-${this.#number}`;
    const center = this.#plan.center === null ? undefined : this.#partner.centers[this.#plan.center];
    const customer = {
      rut,
      first_name: "Camila",
      last_name: "Rojas Fuentes",
      email: this.#mailbox(),
      phone_number: "+56912345678",
    };
    const answer = await this.#ask(
      instance,
      "order",
      jsonRequest("POST", "/orders", {
        headers: { ...this.#bearer("client_secret"), "idempotency-key": `order-${this.#number}` },
        body: { reference, total_amount: total, customer, ...(center !== undefined && { provider_rut: center.rut }) },
      }),
    );
    // Our first attempt, whose answer was lost, is found by its hash.
    const hash: unknown =
      answer?.status === 201 ? answer.body.hash : answer?.status === 409 ? answer.body.order_hash : null;
    if (typeof hash !== "string") return;
    this.#hash = hash;
    const isBack = this.#plan.returnsFrom !== undefined;
    this.#phase = isBack ? "recognising" : this.#plan.registers ? "registering" : "identifying";
    this.#acknowledge(`order ${hash} was made`, ({ orders }) =>
      orders.some((order) => order.id === hash && order.reference === reference && order.total === total),
    );
  }

  async #register(instance: Instance): Promise<void> {
    const token = await this.#token(instance);
    if (token === null) return;
    const { rut } = this.#plan;
    const body = {
      widget_token: token,
      rut,
      first_name: "Camila",
      last_name: "Rojas Fuentes",
      email: this.#mailbox(),
      phone_number: "+56 9 1234 5678",
      insurer: "colmena",
      consents: consentsTo("onboarding"),
      sealed_insurer_access: await this.#sealAccess(),
    };
    const answer = await this.#ask(
      instance,
      "spot",
      jsonRequest("POST", `/api/spot/user?public_key=${this.#partner.credentials.public_key}`, { body }),
    );
    if (answer === null || answer.status >= 500) return;
    this.#phase = "identifying";
    this.#widgetToken = null;
    if (answer.status !== 201 && answer.status !== 200) return;
    this.#isRegistered = true;
    const { beneficiary_id: id } = answer.body;
    const { erased } = this.#world.wishes;
    this.#acknowledge(`${rut} was registered`, ({ beneficiaries }) =>
      beneficiaries.some((beneficiary) => beneficiary.id === id && (beneficiary.rut === rut || erased.has(id))),
    );
  }

  async #token(instance: Instance): Promise<string | null> {
    if (this.#widgetToken !== null) return this.#widgetToken;
    const { public_key: key } = this.#partner.credentials;
    const answer = await this.#ask(
      instance,
      "spot",
      jsonRequest("POST", `/api/spot/widget?public_key=${key}`, { body: { order_token: this.#hash } }),
    );
    this.#widgetToken = answer?.status === 201 ? answer.body.widget_token : null;
    return this.#widgetToken;
  }

  /**
   * Requests a code and types the received one. If no code was right or none arrived, the patient continues without
   * recognition.
   */
  async #recognise(instance: Instance): Promise<void> {
    const started = await this.#askOrders(instance, "POST", "/recognition", "client_id", { body: {} });
    if (started === null || started.status >= 500) return;
    if (started.status === 202) await instance.runDue();
    await this.#lookAtPage(instance);
    for (const code of await this.#codes()) {
      const answer = await this.#askOrders(instance, "POST", "/recognition/verify", "client_id", { body: { code } });
      if (answer === null || answer.status >= 500) return;
      if (answer.status !== 200) continue;
      const { identity_validated: isKnown, payment_method_added: hasCard } = answer.body.order.readiness;
      this.#offered = [answer.body.stored_card ?? []].flat();
      this.#phase = hasCard ? "paying" : isKnown ? "adding_card" : "identifying";
      return;
    }
    this.#phase = started.status === 409 ? "over" : "identifying";
  }

  /** Opens the page and acts on it. A required code is answered there. */
  async #lookAtPage(instance: Instance): Promise<void> {
    const token = await this.#token(instance);
    if (token === null) return;
    const { public_key: key } = this.#partner.credentials;
    const body = { widget_token: token, texts: consentsTo("payment") };
    await this.#ask(instance, "spot", jsonRequest("POST", `/api/spot/widget/shown?public_key=${key}`, { body }));
  }

  /** The newest codes that came by message and by mail. */
  async #codes(): Promise<readonly string[]> {
    const { database, stage } = this.#world;
    const of = { providerId: this.#partner.provider.id, limit: CODES_READ };
    const messages = await stage.busy(() => listMessages(database.db, { ...of, to: null }));
    const mails = await stage.busy(() => listEmails(database.db, { ...of, to: this.#mailbox() }));
    const texts = [
      messages
        .find(({ text }) => text.includes("codigo para pagar"))
        ?.text.split("#")
        .at(-1),
      mails.find(({ subject }) => subject.startsWith(PAYING_CODE))?.text,
    ];
    return texts.flatMap((text) => /\b\d{6}\b/.exec(text ?? "")?.[0] ?? []);
  }

  async #identify(instance: Instance): Promise<void> {
    if (this.#plan.receiptFirst && this.#isRegistered && !this.#isReceiptTaken) await this.sendReceipt(instance);
    const answer = await this.#askOrders(instance, "POST", "/validate_customer_identity", "client_id", {
      body: { document_serial: "123.456.789" },
    });
    if (answer?.status === 409 || answer?.status === 410) this.#phase = "over";
    if (answer?.status !== 200) return;
    this.#phase = "adding_card";
    const hash = this.#hash;
    this.#acknowledge(`the identity of ${hash} was validated`, ({ orders }) =>
      orders.some(({ id, identity_validated_at: at }) => id === hash && at !== null),
    );
  }

  async #addCard(instance: Instance): Promise<void> {
    if (this.#offered[0] !== undefined) return this.#chooseSavedCard(instance, this.#offered[0]);
    const { keeps = false } = this.#plan;
    if (keeps && this.#hash !== null) this.#world.wishes.keepingCards.add(this.#hash);
    const consents = keeps ? { consents: consentsTo("card") } : {};
    if (this.#partner.provider.settings.cardPage) return this.#giveCardOnPage(instance, consents);
    const body = { sealed_card: await this.#sealCard(), ...consents };
    const answer = await this.#askOrders(instance, "POST", "/add_payment_method", "client_id", { body });
    if (answer?.status === 400) this.#cardsTried += 1;
    if (answer?.status === 409) this.#phase = "paying";
    if (answer?.status === 200) this.#cardWasAdded();
  }

  /** Opens the processor's page and types a card there. A patient who rejects at the bank leaves the first page. */
  async #giveCardOnPage(instance: Instance, consents: object): Promise<void> {
    const body = this.#mayHavePage ? { inquire: true } : consents;
    const answer = await this.#askOrders(instance, "POST", "/card_page", "client_id", { body });
    if (answer === null || answer.status >= 500 || answer.status === 429) return;
    if (answer.status === 409) this.#phase = "paying";
    if (answer.body.code === "card_declined") this.#cardsTried += 1;
    // Declined, left, or never opened: the patient opens another page.
    if (answer.status !== 200 || answer.body.status === "none") this.#mayHavePage = false;
    else if (answer.body.status === "added") this.#cardWasAdded();
    else if (answer.body.status === "open") await this.#typeCard(answer.body.page.url);
    else this.#mayHavePage = true;
  }

  async #typeCard(url: string): Promise<void> {
    const { database, stage } = this.#world;
    const id = url.split("/").at(-1) ?? "";
    this.#mayHavePage = true;
    const choice = this.#plan.presses === "reject" && !this.#hasLeftPage ? ("cancel" as const) : ("register" as const);
    this.#hasLeftPage = true;
    const body = { number: this.#card(), expiry: "12/29", cvc: "123", holder_name: "CAMILA ROJAS" };
    const ids = seededIds(`page:${id}`);
    const page = { db: database.db, clock: stage.clock, ids, magicCard: catalogueCard };
    await stage.busy(() => answerVisit(page, id, { choice, body }));
  }

  #cardWasAdded(): void {
    this.#phase = "paying";
    const hash = this.#hash;
    // An erased patient's unpaid order loses its card and telephone.
    this.#acknowledge(`a card was added to ${hash}`, ({ orders }) =>
      orders.some(({ id, card, customer_phone }) => id === hash && (card !== null || customer_phone === "")),
    );
  }

  async #chooseSavedCard(instance: Instance, stored_card: string): Promise<void> {
    const body = { stored_card };
    const answer = await this.#askOrders(instance, "POST", "/add_payment_method", "client_id", { body });
    if (answer === null || answer.status >= 500) return;
    if (answer.status === 200 || answer.status === 409) this.#phase = "paying";
    else this.#offered.shift();
  }

  async #pay(instance: Instance): Promise<void> {
    const answer = await this.#askOrders(instance, "POST", "/payment", "client_id", {
      body: { consents: consentsTo("payment") },
      key: `payment-${this.#number}-${this.#payments}`,
    });
    if (answer === null || answer.status >= 500 || answer.status === 429) return;
    if (answer.status === 200) return this.#afterPayment(answer.body.payment, answer.body.order.status);
    const { code } = answer.body;
    if (code === "idempotency_in_flight" || code === "payment_in_progress") return;
    // The answer was final, so another attempt is another payment.
    this.#payments += 1;
    if (code === "card_declined") {
      this.#offered.shift();
      this.#cardsTried += 1;
      this.#phase = "adding_card";
    } else if (this.#plan.returnsFrom !== undefined && code === "processor_customer_identity_not_validated")
      this.#phase = "identifying";
    else if (this.#plan.returnsFrom !== undefined && code === "processor_payment_method_not_found")
      this.#phase = "adding_card";
    else if (code !== "service_unavailable") this.#phase = "over";
  }

  async #afterPayment(payment: { status: string; action?: { url: string } }, shown: string): Promise<void> {
    const hash = this.#hash;
    if (payment.status === "succeeded") {
      this.#phase = "paid";
      this.#paidAt ??= this.#world.stage.clock.now();
      this.#acknowledge(`order ${hash} was paid (${shown})`, ({ orders }) =>
        orders.some(({ id, state }) => id === hash && ["paid", "partially_refunded", "refunded"].includes(state)),
      );
    }
    const challenge = payment.action?.url.split("/").at(-1);
    if (challenge === undefined) return;
    const { database, stage } = this.#world;
    await stage.busy(() => answerChallenge({ db: database.db, clock: stage.clock }, challenge, this.#plan.presses));
  }

  async #askForRefund(instance: Instance, wanted: WantedRefund): Promise<void> {
    const { key, by, amount } = wanted;
    const body = { ...(amount !== null && { amount }), ...(by === "reference" && { refund_reference: key }) };
    const answer = await this.#askOrders(instance, "PUT", "/refund", "client_secret", {
      body,
      ...(by === "header" && { key }),
    });
    if (answer === null || answer.status >= 500 || answer.status === 429) return;
    if (answer.body.code === "idempotency_in_flight") return;
    wanted.isAnswered = true;
    if (answer.status !== 200) return;
    const { id, amount: made } = answer.body.refund;
    const isRight = amount === null || made === amount;
    this.#acknowledge(
      `refund ${id} of ${made}${isRight ? "" : `, not the ${amount} asked for,`} was accepted`,
      ({ order_refunds }) => isRight && order_refunds.some((refund) => refund.id === id && refund.amount === made),
    );
    const hash = this.#hash;
    const accepted = this.#refunds.filter(({ isAnswered }) => isAnswered).length;
    const wantedInAll = this.#refunds.length;
    this.#acknowledge(
      `${accepted} refunds were answered`,
      ({ order_refunds }) =>
        order_refunds.filter(({ order_id }) => order_id === hash).length <= Math.max(wantedInAll, this.#refunds.length),
    );
  }

  async #read(instance: Instance): Promise<void> {
    await this.#askOrders(instance, "GET", "", "client_secret", {});
  }

  #askOrders(
    instance: Instance,
    method: string,
    path: string,
    as: "client_secret" | "client_id",
    { body, key }: { readonly body?: unknown; readonly key?: string },
  ): Promise<InjectedAnswer | null> {
    const headers = { ...this.#bearer(as), ...(key !== undefined && { "idempotency-key": key }) };
    return this.#ask(instance, "order", jsonRequest(method, `/orders/${this.#hash}${path}`, { headers, body }));
  }

  async #ask(instance: Instance, face: "order" | "spot", request: InjectedRequest): Promise<InjectedAnswer | null> {
    const answer = await instance.ask(face, request);
    this.#onAnswer(instance, request, answer);
    return answer;
  }

  #bearer(kind: "client_secret" | "client_id"): Record<string, string> {
    return { authorization: `Bearer ${this.#partner.credentials[kind]}` };
  }

  #acknowledge(what: string, holds: Acknowledged["holds"]): void {
    this.acknowledged.push({ what, holds });
  }

  /** Sends the same card again while its seal is valid, so that a repeat is the same request. */
  async #sealCard(): Promise<string> {
    const { stage, parties } = this.#world;
    const now = stage.clock.now();
    const number = this.#card();
    const hash = readOrderId(this.#hash ?? "") ?? newOrderId();
    return stage.alone(async () => seal(await parties.cardProcessor.sealingKey(), cardFor(hash, now, { number })));
  }

  #card(): string {
    const { cards } = this.#plan;
    return cards[Math.min(this.#cardsTried, cards.length - 1)] ?? cards[0];
  }

  async #sealAccess(): Promise<string> {
    const { stage, parties } = this.#world;
    const access = {
      insurer: "colmena",
      rut: this.#plan.rut,
      password: "clave-de-prueba",
      iat: Math.floor(stage.clock.now().getTime() / 1_000),
    };
    return stage.alone(async () => seal(await parties.insurer.sealingKey(), access));
  }
}
