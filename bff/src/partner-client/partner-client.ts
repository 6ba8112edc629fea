import type { UpsertCentersRequest } from "../contract/centers.ts";
import type { SetSubscriptionRequest } from "../contract/onboarding.ts";
import type { CreateOrderRequest, RefundOrderRequest } from "../contract/orders.ts";
import type { MintWidgetTokenRequest } from "../contract/widget-tokens.ts";
import type {
  MintedWidgetToken,
  Order,
  OrderRefunds,
  Orders,
  Profile,
  RefundedOrder,
  RegisteredCenters,
  StoredExpense,
  StoredExpenses,
  SubmittedExpense,
  Subscription,
  SubscriptionStatus,
  UpsertedCenters,
} from "./answers.ts";
import {
  CALL_OPTIONS,
  type CallOptions,
  CENTERS,
  EXPENSE,
  EXPENSE_BY_URL,
  EXPENSES_QUERY,
  type Expense,
  type ExpenseByUrl,
  type ExpensesQuery,
  ORDER,
  ORDERS_QUERY,
  type OrdersQuery,
  PAGE_QUERY,
  type PageQuery,
  type PartnerClientOptions,
  REFUND,
  SUBSCRIPTION,
  WIDGET_TOKEN,
} from "./call-arguments.ts";
import { requireFiles, requireKnownFields, requireNotUndefined, requireText } from "./require-known-fields.ts";
import {
  DEFAULT_RETRY_POLICY,
  type PartnerRequest,
  type RetryPolicy,
  type Surroundings,
  sendRequest,
} from "./send-request.ts";

const JSON_HEADERS = { "content-type": "application/json" };

/**
 * The service's operations for a partner's backend. Every method may throw `AapdError` and `AapdUnreachable`. An
 * argument that the call does not know throws `TypeError` before anything is sent. Answers are returned word for word:
 * values, kinds and fields newer than this client pass through.
 */
export interface PartnerClient {
  createOrder(order: CreateOrderRequest, options?: CallOptions): Promise<Order>;
  getOrder(hash: string): Promise<Order>;
  /** One page of your orders, newest first. Continue with `after` until `next` is null. */
  listOrders(query?: OrdersQuery): Promise<Orders>;
  refundOrder(hash: string, refund?: RefundOrderRequest, options?: CallOptions): Promise<RefundedOrder>;
  cancelOrder(hash: string, options?: CallOptions): Promise<Order>;
  /** All refunds of an order, including failed ones. */
  listRefunds(hash: string): Promise<OrderRefunds>;
  /**
   * Safe to repeat, except with `deliver`: each such call mails another link, so the client resends it only if it
   * cannot have taken effect. After `AapdUnreachable` or a 5xx, mint without `deliver` to get a link without a mail.
   */
  mintWidgetToken(request?: MintWidgetTokenRequest): Promise<MintedWidgetToken>;
  /** Revokes a token that you minted. A repeat changes nothing. A checkout that is already open can still be paid. */
  revokeWidgetToken(widgetToken: string): Promise<void>;
  /** A repeat with the same idempotency key and content submits nothing new, also without `orderHash`. */
  submitExpense(expense: Expense, options?: CallOptions): Promise<SubmittedExpense>;
  /** The same with public HTTPS addresses instead of files. */
  submitExpenseByUrl(expense: ExpenseByUrl, options?: CallOptions): Promise<SubmittedExpense>;
  /** One page of your expenses, newest first. Continue with `after` until `next` is null. */
  listExpenses(query?: ExpensesQuery): Promise<StoredExpenses>;
  /** An expense by the `id` of its submission, with its current status. */
  readExpense(id: string): Promise<StoredExpense>;
  isUserSubscribed(rut: string): Promise<SubscriptionStatus>;
  setSubscription(rut: string, subscription: SetSubscriptionRequest): Promise<Subscription>;
  /** Creates or changes sub-clinics of a meta-provider by RUT, all or none. */
  upsertCenters(centers: UpsertCentersRequest): Promise<UpsertedCenters>;
  /** One page of your sub-clinics, by RUT. */
  listCenters(query?: PageQuery): Promise<RegisteredCenters>;
  /** Your provider as stored by the service: name, environment, scopes. */
  readProfile(): Promise<Profile>;
  /**
   * Sends a patient the link to their own data, at the registered address. The answer does not reveal whether there is
   * one.
   */
  sendDataLink(rut: string): Promise<void>;
}

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

function bearerOf({ clientSecret }: PartnerClientOptions) {
  return { authorization: `Bearer ${clientSecret}` };
}

function keyOf(call: CallOptions, uuid: () => string) {
  requireKnownFields("The options of a call", call, CALL_OPTIONS);
  return { "idempotency-key": call.idempotencyKey ?? uuid() };
}

type Send = <Answer extends object>(request: PartnerRequest<Answer>) => Promise<Answer>;

function orderCalls(options: PartnerClientOptions, send: Send, uuid: () => string) {
  const bearer = bearerOf(options);
  const act = <Answer extends object>(
    method: "POST" | "PUT",
    path: string,
    { body, call = {}, answerHas }: { body: unknown; call: CallOptions | undefined } & Has<Answer>,
  ) => {
    return send<Answer>({
      method,
      url: new URL(path, options.orderApiUrl),
      headers: { ...bearer, ...JSON_HEADERS, ...keyOf(call, uuid) },
      body: () => JSON.stringify(body),
      answerHas,
    });
  };
  const pathOf = (hash: string, act = "") => {
    requireText("An order's hash", hash);
    return `/orders/${encodeURIComponent(hash)}${act}`;
  };
  const ofOrder: Has<Order> = { answerHas: ["hash", "status"] };

  return {
    createOrder: async (order: CreateOrderRequest, call?: CallOptions) => {
      requireKnownFields("createOrder", order, ORDER);
      return act<Order>("POST", "/orders", { body: order, call, ...ofOrder });
    },
    getOrder: async (hash: string) =>
      send<Order>({ method: "GET", url: new URL(pathOf(hash), options.orderApiUrl), headers: bearer, ...ofOrder }),
    listOrders: async (query: OrdersQuery = {}) => {
      requireKnownFields("listOrders", query, ORDERS_QUERY);
      const url = withQuery(new URL("/orders", options.orderApiUrl), query);
      return send<Orders>({ method: "GET", url, headers: bearer, answerHas: ["orders"] });
    },
    listRefunds: async (hash: string) => {
      const url = new URL(pathOf(hash, "/refunds"), options.orderApiUrl);
      return send<OrderRefunds>({ method: "GET", url, headers: bearer, answerHas: ["refunds"] });
    },
    refundOrder: async (hash: string, refund: RefundOrderRequest = {}, call?: CallOptions) => {
      requireKnownFields("refundOrder", refund, REFUND);
      return act<RefundedOrder>("PUT", pathOf(hash, "/refund"), { body: refund, call, answerHas: ["hash", "refund"] });
    },
    cancelOrder: async (hash: string, call?: CallOptions) =>
      act<Order>("POST", pathOf(hash, "/cancel"), { body: {}, call, ...ofOrder }),
  };
}

type Has<Answer> = Pick<PartnerRequest<Answer>, "answerHas">;

function spotCalls(options: PartnerClientOptions, send: Send, policy: RetryPolicy, uuid: () => string) {
  const bearer = bearerOf(options);
  return {
    ...expenseCalls(options, send, policy, uuid),
    ...administrationCalls(options, send),
    mintWidgetToken: async (request: MintWidgetTokenRequest = {}) => {
      requireKnownFields("mintWidgetToken", request, WIDGET_TOKEN);
      requireNotUndefined("mintWidgetToken", request, "order_token");
      return send<MintedWidgetToken>({
        method: "POST",
        url: spotUrl(options, "/api/spot/widget"),
        // With the secret, minting is not limited by your address.
        headers: { ...JSON_HEADERS, ...bearer },
        body: () => JSON.stringify(request),
        once: request.deliver !== undefined,
        answerHas: ["widget_token", "url"],
      });
    },
    revokeWidgetToken: async (widgetToken: string) => {
      requireText("A widget token", widgetToken);
      const url = new URL(`/api/spot/widget/${encodeURIComponent(widgetToken)}`, options.spotApiUrl);
      const namedPath = "/api/spot/widget/{token}";
      await send<{ status: string }>({ method: "DELETE", url, namedPath, headers: bearer, answerHas: ["status"] });
    },
    isUserSubscribed: async (rut: string) => {
      const url = spotUrl(options, "/api/spot/is_user_subscribed", { rut });
      return send<SubscriptionStatus>({ method: "GET", url, headers: {}, answerHas: ["is_subscribed"] });
    },
    readProfile: async () => {
      const url = spotUrl(options, "/api/profile");
      return send<Profile>({ method: "GET", url, headers: {}, answerHas: ["provider"] });
    },
    sendDataLink: async (rut: string) => {
      const url = spotUrl(options, "/api/spot/patient/data_link");
      const body = () => JSON.stringify({ rut });
      await send<object>({ method: "POST", url, headers: JSON_HEADERS, body, answerHas: [] });
    },
  };
}

function withQuery(url: URL, query: object): URL {
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, `${value}`);
  return url;
}

function spotUrl(options: PartnerClientOptions, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(path, options.spotApiUrl);
  for (const [name, value] of Object.entries({ public_key: options.publicKey, ...query })) {
    requireText(name, value);
    url.searchParams.set(name, value);
  }
  return url;
}

function expenseCalls(
  options: PartnerClientOptions,
  send: Send,
  { expenseTimeoutMs: timeoutMs }: RetryPolicy,
  uuid: () => string,
) {
  const submit = (
    path: string,
    rut: string,
    { headers, body, call = {} }: Pick<PartnerRequest<unknown>, "headers" | "body"> & { call: CallOptions | undefined },
  ) =>
    send<SubmittedExpense>({
      method: "POST",
      url: spotUrl(options, path, { rut }),
      headers: { ...headers, ...keyOf(call, uuid) },
      body,
      timeoutMs,
      answerHas: ["id", "status"],
    });

  return {
    submitExpense: async (expense: Expense, call?: CallOptions) => {
      requireKnownFields("submitExpense", expense, EXPENSE);
      requireNotUndefined("submitExpense", expense, "orderHash");
      requireFiles("submitExpense", expense.files);
      return submit("/api/spot/gastos", expense.rut, { headers: {}, body: () => expenseForm(expense), call });
    },
    submitExpenseByUrl: async (expense: ExpenseByUrl, call?: CallOptions) => {
      requireKnownFields("submitExpenseByUrl", expense, EXPENSE_BY_URL);
      requireNotUndefined("submitExpenseByUrl", expense, "orderHash");
      const { rut, urls, subtypes } = expense;
      const fields = { urls, ...fieldsOf(expense), ...(subtypes === undefined ? {} : { expense_subtypes: subtypes }) };
      const body = () => JSON.stringify(fields);
      return submit("/api/spot/gastos-url", rut, { headers: JSON_HEADERS, body, call });
    },
  };
}

function administrationCalls(options: PartnerClientOptions, send: Send) {
  const secretHeaders = () => {
    if (options.secretKey === undefined) throw new TypeError("This call needs the client's option secretKey.");
    return { ...JSON_HEADERS, "x-secret-key": options.secretKey };
  };

  return {
    setSubscription: async (rut: string, subscription: SetSubscriptionRequest) => {
      requireKnownFields("setSubscription", subscription, SUBSCRIPTION);
      requireText("rut", rut);
      return send<Subscription>({
        method: "PUT",
        url: new URL(`/api/spot/subscriptions/${encodeURIComponent(rut)}`, options.spotApiUrl),
        headers: secretHeaders(),
        body: () => JSON.stringify(subscription),
        answerHas: ["rut", "plan"],
      });
    },
    listCenters: async (query: PageQuery = {}) => {
      requireKnownFields("listCenters", query, PAGE_QUERY);
      const url = withQuery(new URL("/api/spot/sacmed/centers", options.spotApiUrl), query);
      return send<RegisteredCenters>({ method: "GET", url, headers: secretHeaders(), answerHas: ["centers"] });
    },
    listExpenses: async (query: ExpensesQuery = {}) => {
      requireKnownFields("listExpenses", query, EXPENSES_QUERY);
      requireNotUndefined("listExpenses", query, "skip_pay_order_id");
      const url = withQuery(new URL("/api/spot/gastos", options.spotApiUrl), query);
      return send<StoredExpenses>({ method: "GET", url, headers: secretHeaders(), answerHas: ["expenses"] });
    },
    readExpense: async (id: string) => {
      requireText("An expense's id", id);
      const url = new URL(`/api/spot/gastos/${encodeURIComponent(id)}`, options.spotApiUrl);
      return send<StoredExpense>({ method: "GET", url, headers: secretHeaders(), answerHas: ["id", "status"] });
    },
    upsertCenters: async (centers: UpsertCentersRequest) => {
      requireKnownFields("upsertCenters", centers, CENTERS);
      return send<UpsertedCenters>({
        method: "POST",
        url: spotUrl(options, "/api/spot/sacmed/centers"),
        headers: secretHeaders(),
        body: () => JSON.stringify(centers),
        answerHas: ["centers"],
      });
    },
  };
}

/**
 * Creates a client for partners' Node backends, with timeouts, and retries that cannot repeat an effect. Throws
 * `TypeError` for a missing or empty option. A wider object, such as a program's whole configuration, is accepted.
 *
 * @example
 * const aapd = createPartnerClient({ orderApiUrl, spotApiUrl, clientSecret, publicKey });
 * const order = await aapd.createOrder({ reference, total_amount, customer }, { idempotencyKey: reference });
 * const { url } = await aapd.mintWidgetToken({ order_token: order.hash, rut: customer.rut });
 */
export function createPartnerClient(options: PartnerClientOptions): PartnerClient {
  requireOptions(options);
  const policy = { ...DEFAULT_RETRY_POLICY, ...options.retry };
  const surroundings: Surroundings = {
    fetch: globalThis.fetch,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: Math.random,
    uuid: () => crypto.randomUUID(),
    ...options.surroundings,
  };
  const send: Send = (request) => sendRequest(request, policy, surroundings);
  return { ...orderCalls(options, send, surroundings.uuid), ...spotCalls(options, send, policy, surroundings.uuid) };
}

/** Otherwise an unset variable would only show as 401, and an address without its scheme as a failed call. */
function requireOptions(options: PartnerClientOptions): void {
  for (const name of ["orderApiUrl", "spotApiUrl", "clientSecret", "publicKey"] as const)
    requireText(`createPartnerClient: ${name}`, options[name]);
  for (const name of ["orderApiUrl", "spotApiUrl"] as const)
    if (!/^https?:\/\//i.test(options[name]) || !URL.canParse(options[name]))
      throw new TypeError(`createPartnerClient: ${name} must be an address that begins with https://.`);
}
