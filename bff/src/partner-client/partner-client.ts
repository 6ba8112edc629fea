import {
  type UpsertCentersRequest,
  type UpsertCentersResponse,
  upsertCentersResponseSchema,
} from "../contract/centers.ts";
import { type ExpenseResponse, type ExpenseSubtype, expenseResponseSchema } from "../contract/expenses.ts";
import {
  profileSchema,
  type SetSubscriptionRequest,
  type SubscriptionStatus,
  setSubscriptionResponseSchema,
  subscriptionStatusSchema,
} from "../contract/onboarding.ts";
import {
  type CreateOrderRequest,
  type Order,
  orderSchema,
  type RefundOrderRequest,
  type RefundOrderResponse,
  refundOrderResponseSchema,
} from "../contract/orders.ts";
import {
  type MintWidgetTokenRequest,
  type MintWidgetTokenResponse,
  mintWidgetTokenResponseSchema,
} from "../contract/widget-tokens.ts";
import {
  DEFAULT_RETRY_POLICY,
  type PartnerRequest,
  type RetryPolicy,
  type Surroundings,
  sendRequest,
} from "./send-request.ts";

const JSON_HEADERS = { "content-type": "application/json" };

export interface PartnerClientOptions {
  /** {base_url} of the order API. */
  readonly orderApiUrl: string;
  /** {backend_url} of the onboarding and expense API. */
  readonly spotApiUrl: string;
  /** Belongs to the backend only. */
  readonly clientSecret: string;
  readonly publicKey: string;
  /** Belongs to the backend only; needed for `setSubscription` and `upsertCenters`. */
  readonly secretKey?: string;
  readonly retry?: Partial<RetryPolicy>;
  readonly surroundings?: Partial<Surroundings>;
}

/** One file of an expense. The first one is the receipt, the others support it. */
export interface ExpenseFile {
  readonly name: string;
  readonly type: "application/pdf" | "image/jpeg" | "image/png";
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Expense {
  readonly rut: string;
  readonly files: readonly ExpenseFile[];
  /** The order's `hash`: required for AAPD. */
  readonly orderHash?: string;
  readonly name?: string;
  readonly date?: string;
  readonly receiptId?: string;
  readonly receiptRut?: string;
  readonly doctorRut?: string;
  readonly totalClp?: number;
  readonly subtypes?: readonly ExpenseSubtype[];
}

/** `idempotencyKey`: give one that you keep (your own id of the act) to make a repeat safe after a crash of yours too. */
export interface CallOptions {
  readonly idempotencyKey?: string;
}

/** What a partner's backend does with the service. Every method may throw `AapdError` and `AapdUnreachable`. */
export interface PartnerClient {
  createOrder(order: CreateOrderRequest, options?: CallOptions): Promise<Order>;
  getOrder(hash: string): Promise<Order>;
  refundOrder(hash: string, refund?: RefundOrderRequest, options?: CallOptions): Promise<RefundOrderResponse>;
  cancelOrder(hash: string, options?: CallOptions): Promise<Order>;
  mintWidgetToken(request?: MintWidgetTokenRequest): Promise<MintWidgetTokenResponse>;
  /**
   * Safe to repeat for an order: the service keeps one expense for each. Without `orderHash` every
   * submission is another expense, so that the client sends it again only where nothing can have been done; after
   * `AapdUnreachable` or a 5xx only you can tell whether to.
   */
  submitExpense(expense: Expense): Promise<ExpenseResponse>;
  /** The same with public HTTPS addresses in the place of files. */
  submitExpenseByUrl(expense: ExpenseByUrl): Promise<ExpenseResponse>;
  isUserSubscribed(rut: string): Promise<SubscriptionStatus>;
  setSubscription(rut: string, subscription: SetSubscriptionRequest): Promise<Subscription>;
  /** Sub-clinics of a meta-provider: made or changed by RUT, all or nothing. */
  upsertCenters(centers: UpsertCentersRequest): Promise<UpsertCentersResponse>;
  /** Who the service takes you for: name, environment, scopes. */
  readProfile(): Promise<Profile>;
  /** Has a patient sent the link to their own data, at the registered address. Says nothing of whether there is one. */
  sendDataLink(rut: string): Promise<void>;
}

export type ExpenseByUrl = Omit<Expense, "files"> & { readonly urls: readonly string[] };
type Subscription = ReturnType<typeof setSubscriptionResponseSchema.parse>;
type Profile = ReturnType<typeof profileSchema.parse>;

/** An expense's fields, as the service calls them. */
function fieldsOf(expense: Omit<Expense, "files">): Record<string, string | number | undefined> {
  return {
    name: expense.name,
    date: expense.date,
    receipt_id: expense.receiptId,
    receipt_rut: expense.receiptRut,
    doctor_rut: expense.doctorRut,
    total: expense.totalClp,
    skip_pay_order_id: expense.orderHash,
  };
}

function expenseForm(expense: Expense): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fieldsOf(expense)))
    if (value !== undefined) form.append(name, String(value));
  for (const subtype of expense.subtypes ?? []) form.append("expense_subtypes", subtype);
  for (const file of expense.files) {
    form.append("uploaded_files", new Blob([file.bytes], { type: file.type }), file.name);
  }
  return form;
}

type Send = (request: PartnerRequest) => Promise<Record<string, unknown>>;

function orderCalls(options: PartnerClientOptions, send: Send, uuid: () => string) {
  const bearer = { authorization: `Bearer ${options.clientSecret}` };
  const act = (method: "POST" | "PUT", path: string, body: unknown, call: CallOptions = {}) =>
    send({
      method,
      url: new URL(path, options.orderApiUrl),
      headers: { ...bearer, ...JSON_HEADERS, "idempotency-key": call.idempotencyKey ?? uuid() },
      body: () => JSON.stringify(body),
    });
  const pathOf = (hash: string, act = "") => `/orders/${encodeURIComponent(hash)}${act}`;

  return {
    createOrder: async (order: CreateOrderRequest, call?: CallOptions) =>
      orderSchema.parse(await act("POST", "/orders", order, call)),
    getOrder: async (hash: string) =>
      orderSchema.parse(
        await send({ method: "GET", url: new URL(pathOf(hash), options.orderApiUrl), headers: bearer }),
      ),
    refundOrder: async (hash: string, refund: RefundOrderRequest = {}, call?: CallOptions) =>
      refundOrderResponseSchema.parse(await act("PUT", pathOf(hash, "/refund"), refund, call)),
    cancelOrder: async (hash: string, call?: CallOptions) =>
      orderSchema.parse(await act("POST", pathOf(hash, "/cancel"), {}, call)),
  };
}

function spotCalls(options: PartnerClientOptions, send: Send, { expenseTimeoutMs: timeoutMs }: RetryPolicy) {
  const urlOf = (path: string, query: Record<string, string> = {}) => {
    const url = new URL(path, options.spotApiUrl);
    for (const [name, value] of Object.entries({ public_key: options.publicKey, ...query })) {
      url.searchParams.set(name, value);
    }
    return url;
  };
  const secretHeaders = () => {
    if (options.secretKey === undefined) throw new TypeError("This call needs the client's option secretKey.");
    return { ...JSON_HEADERS, "x-secret-key": options.secretKey };
  };

  const howToSend = ({ orderHash }: Pick<Expense, "orderHash">) => ({ timeoutMs, once: orderHash === undefined });

  return {
    mintWidgetToken: async (request: MintWidgetTokenRequest = {}) => {
      const body = () => JSON.stringify(request);
      return mintWidgetTokenResponseSchema.parse(
        await send({ method: "POST", url: urlOf("/api/spot/widget"), headers: JSON_HEADERS, body }),
      );
    },
    submitExpense: async (expense: Expense) => {
      const url = urlOf("/api/spot/gastos", { rut: expense.rut });
      return expenseResponseSchema.parse(
        await send({ method: "POST", url, headers: {}, body: () => expenseForm(expense), ...howToSend(expense) }),
      );
    },
    submitExpenseByUrl: async (expense: ExpenseByUrl) => {
      const { urls, subtypes } = expense;
      const url = urlOf("/api/spot/gastos-url", { rut: expense.rut });
      const body = () =>
        JSON.stringify({
          urls,
          ...fieldsOf(expense),
          ...(subtypes === undefined ? {} : { expense_subtypes: subtypes }),
        });
      return expenseResponseSchema.parse(
        await send({ method: "POST", url, headers: JSON_HEADERS, body, ...howToSend(expense) }),
      );
    },
    isUserSubscribed: async (rut: string) => {
      const url = urlOf("/api/spot/is_user_subscribed", { rut });
      return subscriptionStatusSchema.parse(await send({ method: "GET", url, headers: {} }));
    },
    setSubscription: async (rut: string, subscription: SetSubscriptionRequest) => {
      const url = new URL(`/api/spot/subscriptions/${encodeURIComponent(rut)}`, options.spotApiUrl);
      const body = () => JSON.stringify(subscription);
      return setSubscriptionResponseSchema.parse(await send({ method: "PUT", url, headers: secretHeaders(), body }));
    },
    upsertCenters: async (centers: UpsertCentersRequest) => {
      const url = urlOf("/api/spot/sacmed/centers");
      const body = () => JSON.stringify(centers);
      return upsertCentersResponseSchema.parse(await send({ method: "POST", url, headers: secretHeaders(), body }));
    },
    readProfile: async () =>
      profileSchema.parse(await send({ method: "GET", url: urlOf("/api/profile"), headers: {} })),
    sendDataLink: async (rut: string) => {
      const url = urlOf("/api/spot/patient/data_link");
      await send({ method: "POST", url, headers: JSON_HEADERS, body: () => JSON.stringify({ rut }) });
    },
  };
}

/** A client for partners' Node backends: time-outs, and retries that cannot do a thing twice. */
export function createPartnerClient(options: PartnerClientOptions): PartnerClient {
  const policy = { ...DEFAULT_RETRY_POLICY, ...options.retry };
  const surroundings: Surroundings = {
    fetch: globalThis.fetch,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: Math.random,
    uuid: () => crypto.randomUUID(),
    ...options.surroundings,
  };
  const send: Send = (request) => sendRequest(request, policy, surroundings);
  return { ...orderCalls(options, send, surroundings.uuid), ...spotCalls(options, send, policy) };
}
