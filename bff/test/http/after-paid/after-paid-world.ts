import { afterAll, beforeAll, beforeEach } from "vitest";
import { SANDBOX_BANK_ACCOUNT } from "../../../sandbox/bank-account.ts";
import { type FaultKind, isFaultPoint } from "../../../sandbox/calls/faults.ts";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { readMessages, readNotifications } from "../../../sandbox/read-notifications.ts";
import { exceptionId, type ListedException } from "../../../src/back-office/exceptions/exception.ts";
import type { ExceptionKind, Resolution } from "../../../src/back-office/exceptions/exception-kinds.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { claimOfOrder, isClaimOver } from "../../../src/claims/claim-reads.ts";
import { type CardChange, changeCard } from "../../../src/collection/change-card.ts";
import type { CollectionKey, CollectionRecord } from "../../../src/collection/collection.ts";
import type { CollectionRequestDependencies } from "../../../src/collection/dependencies.ts";
import { pullTrigger } from "../../../src/collection/trigger-charge.ts";
import { collectionOf, dueNow, readChargeFacts } from "../../../src/collection/upcoming-charge.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { shownChargeOf } from "../../../src/contract/upcoming-charge.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import type { CardProcessor } from "../../../src/gateways/card-processor.ts";
import { findOrder } from "../../../src/orders/order-reads.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { type ReturnUrl, returnUrlOf } from "../../../src/orders/redirect.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { findBeneficiary, replaceInsurerAccess } from "../../../src/patients/patients.ts";
import { createBackgroundWork } from "../../../src/platform/background-work.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import type { Resolving } from "../../../src/platform/exceptions.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { santiagoDay, santiagoMoment } from "../../../src/platform/santiago-time.ts";
import { setPayoutTerms } from "../../../src/settlement/payout-terms.ts";
import { PAYOUT_RUN_TIMER } from "../../../src/settlement/payouts/owe-payee.ts";
import { RECONCILE_TIMER } from "../../../src/settlement/reconciliation/run-daily.ts";
import type { NewProvider } from "../../../src/tenants/manage-provider.ts";
import { Died } from "../../died.ts";
import { proveRegistrations } from "../../registered-patient.ts";
import { type StartOptions, startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { present } from "../orders/orders-world.ts";
import { expenseForm, pdf } from "../spot/expense-forms.ts";

/** A registration without its RUT. */
const PERSON = {
  first_name: "Camila",
  last_name: "Rojas Fuentes",
  email: "camila@example.com",
  phone_number: "+56 9 1234 5678",
  insurer: "colmena",
} as const;
const onboardingConsents = consentTexts("es-CL", "onboarding").map(({ purpose, text_version, text_sha256 }) => ({
  purpose,
  text_version,
  text_sha256,
}));

/** The afternoon of the default start. */
export const START = new Date("2026-11-21T18:00:00Z");

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** Cards of the sandbox's catalogue whose first charge is captured. The names say how later charges end. */
export const LATER = {
  captured: "4051885600446623",
  declined: "4051885600000065",
  declinedTwice: "5186059550000013",
  stolen: "5186059550000021",
  answerLost: "4051885600000073",
  debit: "4051884239937763",
  /** The issuer challenges this card when it is added for a later charge, or when it pays early. */
  challenged: "4051885600000115",
} as const;

/** Sandbox patients, by how their insurer behaves. */
export const PATIENTS = {
  approvedOnDay12: "40008548-K",
  approvedAfter5Days: "40100000-3",
  approvedOnDay46: "41890503-4",
  rejected: "40926386-0",
  held: "41064117-8",
  blockedOnDay2: "41201848-6",
  blockedAtOnce: "41477310-9",
  portalDown: "41339579-8",
  neverAnswered: "40000778-0",
} as const;

export interface Clinic extends Checkout {
  readonly clinic: TestProvider;
  key(hash: string): CollectionKey;
  /** The exceptions that operators see of this clinic. */
  exceptions(): Promise<ListedException[]>;
  /** Resolves the clinic's first exception of a kind, as an operator. Returns the resolution's result. */
  operatorDoes(
    kind: ExceptionKind,
    resolution: Resolution,
    note?: string | null,
    amount?: number,
    actor?: string,
  ): Promise<string>;
  /** The arguments of a resolution by an operator, at the current time. */
  resolving(): Pick<Resolving, "clock" | "ids" | "provider" | "at">;
  order(hash: string): Promise<OrderRecord>;
  /** The claim of an order's receipt; null if it has none. */
  claim(hash: string): ReturnType<typeof claimOfOrder>;
  /** The collection of a paid order. */
  collection(hash: string): Promise<CollectionRecord>;
  /** The collection's state and reason, separated by a space. */
  collectionStatus(hash: string): Promise<string>;
  /** When the next charge is due. */
  dueAt(hash: string): Promise<string | null>;
  /** Advances the clock past the insurer's approval. */
  approve(hash: string): Promise<boolean>;
  /**
   * The patient adds another card on a page that shows its consents, or, with `isShown: false`, on one that does not.
   * `processor` overrides the card processor.
   */
  giveCard(
    hash: string,
    number?: string,
    options?: { readonly cardProcessor?: CardProcessor; readonly isShown?: boolean },
  ): Promise<CardChange>;
  /** The statuses of the order's deferred charges. */
  tries(hash: string): Promise<string[]>;
  /** Pays an order of $40.000 and runs all work that this makes due. */
  justPaid(card?: string): Promise<string>;
  /** Registers a patient, with or without insurer access. */
  register(rut: string, email?: string, access?: "given" | "not_given"): Promise<void>;
  /** Submits the receipt of an order with this many files. An exam needs the medical order as a second file. */
  submitReceipt(hash: string, rut: string, files?: number, subtype?: "exam" | "medicine"): Promise<void>;
  /** Pays a registered patient's order and submits its receipt, so that its claim is filed. */
  claimedOrder(rut: string, card?: string): Promise<string>;
  /** The patient gives insurer access again. */
  giveAccessAgain(rut: string): Promise<void>;
  /** The subjects of the mails sent to patients, oldest first. */
  mails(): Promise<string[]>;
  /** The texts of the mails with this subject, oldest first. */
  mailTexts(subject: string): Promise<string[]>;
  /** The text messages sent to patients, oldest first. */
  messages(): Promise<string[]>;
  /** Replaces the injected faults of one or more methods of a party. */
  fault(party: string, methods: string | readonly string[], kind: FaultKind, calls?: number): Promise<void>;
  /** Agrees on a fee of 3 % and a payout account, by default the sandbox's. */
  agreeOnPayouts(accountNumber?: string): Promise<void>;
}

export interface AfterPaidWorld {
  readonly bff: TestBff;
  readonly collection: CollectionRequestDependencies;
  /** A separate provider, so that tests do not see each other's orders. */
  newClinic(overrides?: Partial<NewProvider>): Promise<Clinic>;
}

/** The whole service, with access to its collections. */
export async function startAfterPaid(options: StartOptions = {}): Promise<AfterPaidWorld> {
  const bff = await startBff({
    ...options,
    kill() {
      throw new Died("the process dies here");
    },
  });
  const { db } = bff.database;
  const { cardProcessor, financingProvider } = checkoutOf(bff).sandbox;
  const { keyring } = bff.context;
  const returnUrl: ReturnUrl = (redirect) => returnUrlOf({ keyring, widgetHostUrl: bff.widgetHost }, redirect);
  const { connectors } = bff.context.parties;
  const collection = {
    db,
    clock: bff.clock,
    ids: systemIds,
    cardProcessor,
    financingProvider,
    returnUrl,
    connectors,
    background: createBackgroundWork(silentLogger),
    // Real time. Tests of the limit set their own.
    answerWithinMs: 600_000,
  };
  return {
    bff,
    collection,
    async newClinic(overrides) {
      const clinic = await bff.createProvider(overrides);
      return clinicOf({ ...bff, clinic }, clinic, collection);
    },
  };
}

/** Skips the daily comparison of the books, which takes half of the time in tests that cover weeks of an order. */
export const UNRECONCILED = { without: [RECONCILE_TIMER] } as const satisfies StartOptions;

/** For tests that only concern patients' money: nothing is compared or paid out. */
export const WITHOUT_CLINICS_MONEY = { without: [RECONCILE_TIMER, PAYOUT_RUN_TIMER] } as const satisfies StartOptions;

/** The starting state of a test. */
export interface Beginning {
  readonly world: AfterPaidWorld;
  readonly clinic: Clinic;
}

/**
 * One world per file. Each test starts with a new clinic, at the given time or at 15:00 of a later day. Work left by
 * earlier tests stays asleep.
 */
export function beginEach(
  { at, options }: { readonly at?: Date; readonly options?: () => StartOptions },
  begin: (beginning: Beginning) => void | Promise<void>,
): void {
  let world: AfterPaidWorld;
  beforeAll(async () => {
    world = await startAfterPaid(options?.());
  });
  beforeEach(async () => {
    const { clock } = world.bff;
    await world.bff.forgetTimers();
    clock.set(at ?? santiagoMoment(santiagoDay(new Date(clock.now().getTime() + DAY_MS)), 15));
    await begin({ world, clinic: await world.newClinic() });
  });
  afterAll(() => world.bff.close());
}

function clinicOf(bff: TestBff, clinic: TestProvider, collection: CollectionRequestDependencies): Clinic {
  const { db } = bff.database;
  const providerId = clinic.provider.id;
  const key = (hash: string) => ({ providerId, orderId: present(readOrderId(hash)) });
  const checkout = checkoutOf(bff);
  const operating = { db, clock: bff.clock, ids: systemIds, environment: "staging" } as const;
  const sealAccess = async (rut: string, password: string) =>
    seal(await checkout.sandbox.insurer.sealingKey(), {
      insurer: PERSON.insurer,
      rut,
      password,
      iat: Math.floor(bff.clock.now().getTime() / 1_000),
    });
  return {
    ...checkout,
    async register(rut, email = PERSON.email, access = "given") {
      const { body } = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic, body: {} });
      const sealed = access === "given" ? { sealed_insurer_access: await sealAccess(rut, "clave-de-prueba") } : {};
      await bff.callSpotApi(spotEndpoints.registerPatient, {
        as: clinic,
        body: {
          ...PERSON,
          email,
          rut,
          consents: onboardingConsents,
          widget_token: body.widget_token,
          ...sealed,
        },
      });
      await proveRegistrations({ ...bff, db, keyring: bff.context.keyring }, clinic.provider);
    },
    async submitReceipt(hash, rut, files = 1, subtype) {
      const receipts = Array.from({ length: files }, (_, index) => pdf(500, String(index)));
      await bff.callSpotApi(spotEndpoints.submitExpense, {
        as: clinic,
        query: { rut },
        rawBody: expenseForm(receipts, {
          skip_pay_order_id: hash,
          ...(subtype === undefined ? {} : { expense_subtypes: subtype }),
        }),
      });
    },
    async claimedOrder(rut, card) {
      await this.register(rut);
      const hash = await checkout.paidOrder({ rut, ...(card === undefined ? {} : { card }) });
      await this.submitReceipt(hash, rut);
      await bff.runDue();
      return hash;
    },
    async justPaid(card = LATER.captured) {
      const hash = await checkout.paidOrder({ card });
      await bff.runDue();
      return hash;
    },
    async giveAccessAgain(rut) {
      const tenant = tenantOf(clinic.provider);
      const patient = present(await findBeneficiary(db, { tenant, rut: parseRut(rut) }));
      const given = { sealed: await sealAccess(rut, "otra-clave"), insurer: patient.insurer };
      await inTransaction(db, (tx) =>
        replaceInsurerAccess(tx, systemIds, patient, { ...given, providerId, at: bff.clock.now() }),
      );
    },
    async mails() {
      const mails = await readNotifications({ db }, { providerId, to: null, limit: 100 });
      return mails.toReversed().map(({ subject }) => subject);
    },
    async mailTexts(wanted) {
      const mails = await readNotifications({ db }, { providerId, to: null, limit: 100 });
      return mails
        .toReversed()
        .filter(({ subject }) => subject === wanted)
        .map(({ text }) => text);
    },
    async messages() {
      const messages = await readMessages({ db }, { providerId, to: null, limit: 100 });
      return messages.toReversed().map(({ text }) => text);
    },
    clinic,
    key,
    exceptions: () => listExceptions(operating, providerId),
    async operatorDoes(kind, resolution, note = null, amount, actor = "operator:camila") {
      const exception = present((await this.exceptions()).find((open) => open.kind === kind));
      const request = { resolution, actor, note, ...(amount === undefined ? {} : { amount: clp(amount) }) };
      return (await resolveException(operating, exceptionId(exception), request)).outcome;
    },
    resolving: () => ({ clock: bff.clock, ids: systemIds, provider: clinic.provider, at: bff.clock.now() }),
    order: async (hash) => present(await findOrder(db, { providerId, orderId: key(hash).orderId })),
    claim: (hash) => inTransaction(db, (tx) => claimOfOrder(tx, key(hash))),
    async collection(hash) {
      return present(await readChargeFacts(db, await this.order(hash), isClaimOver)).collection;
    },
    async collectionStatus(hash) {
      const shown = await collectionOf(db, await this.order(hash));
      return `${shown?.status} ${shown?.reason}`;
    },
    async dueAt(hash) {
      return (await collectionOf(db, await this.order(hash)))?.due_at ?? null;
    },
    async giveCard(hash, number = LATER.captured, { cardProcessor = collection.cardProcessor, isShown = true } = {}) {
      const now = bff.clock.now();
      const { orderId } = key(hash);
      const sealedCard = await seal(await cardProcessor.sealingKey(), cardFor(orderId, now, { number }));
      const due = await dueNow(db, key(hash), { at: now, purpose: "card_change", claimEnded: isClaimOver });
      const upcoming = isShown ? due?.upcoming_with_given_card : undefined;
      const shown = upcoming === undefined ? null : shownChargeOf(upcoming);
      const given = { provider: clinic.provider, key: key(hash), sealedCard, widgetTokenId: null, shown, now };
      return changeCard({ ...collection, cardProcessor }, given);
    },
    approve: (hash) =>
      inTransaction(db, (tx) =>
        pullTrigger(tx, key(hash), { reason: "approved", at: bff.clock.now(), evidence: { claim: "of a test" } }),
      ),
    async tries(hash) {
      const order = present(await findOrder(db, { providerId, orderId: key(hash).orderId }));
      return order.payments.filter(({ kind }) => kind === "deferred").map(({ status }) => status);
    },
    async fault(party, methods, kind, calls = 1) {
      const faults = [methods].flat().map((method) => {
        if (!isFaultPoint(party, method)) throw new Error(`No party ${party} has a method ${method}.`);
        return { party, method, kind, calls };
      });
      await inTransaction(db, (tx) => replaceFaults(tx, providerId, faults));
    },
    async agreeOnPayouts(accountNumber = SANDBOX_BANK_ACCOUNT.account_number) {
      const { context, clock } = bff;
      await setPayoutTerms(
        { db, ids: systemIds, clock, keyring: context.keyring },
        {
          providerId,
          fee: { percentage: 3, regime: "exempt" },
          bankAccount: { ...SANDBOX_BANK_ACCOUNT, account_number: accountNumber },
          actor: "operator:camila",
        },
      );
    },
  };
}
