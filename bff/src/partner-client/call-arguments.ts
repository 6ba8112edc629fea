import type { UpsertCentersRequest } from "../contract/centers.ts";
import type { ExpenseSubtype, FileType } from "../contract/expenses.ts";
import type { SetSubscriptionRequest } from "../contract/onboarding.ts";
import type { CreateOrderRequest, OrderStatus, RefundOrderRequest } from "../contract/orders.ts";
import type { MintWidgetTokenRequest } from "../contract/widget-tokens.ts";
import type { FieldsOf } from "./require-known-fields.ts";
import type { RetryPolicy, Surroundings } from "./send-request.ts";

/* The arguments of the calls, and the fields that each call accepts. */

export interface PartnerClientOptions {
  /** {base_url} of the order API. */
  readonly orderApiUrl: string;
  /** {backend_url} of the onboarding and expense API. */
  readonly spotApiUrl: string;
  /** Belongs in the backend only. */
  readonly clientSecret: string;
  readonly publicKey: string;
  /** Belongs in the backend only. Needed for plans, centres, `listExpenses` and `readExpense`. */
  readonly secretKey?: string;
  readonly retry?: Partial<RetryPolicy>;
  readonly surroundings?: Partial<Surroundings>;
}

/** One file of an expense. The first one is the receipt, the others support it. */
export interface ExpenseFile {
  readonly name: string;
  readonly type: FileType;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Expense {
  readonly rut: string;
  readonly files: readonly ExpenseFile[];
  /** The order's `hash`; AAPD requires it. */
  readonly orderHash?: string;
  readonly name?: string;
  readonly date?: string;
  readonly receiptId?: string;
  readonly receiptRut?: string;
  readonly doctorRut?: string;
  readonly totalClp?: number;
  readonly subtypes?: readonly ExpenseSubtype[];
}

/**
 * Options of one call.
 *
 * `idempotencyKey`: pass a key that you store, such as your own id of the action, so that a repeat is safe even after a
 * crash of your program.
 */
export interface CallOptions {
  readonly idempotencyKey?: string;
}

export type ExpenseByUrl = Omit<Expense, "files"> & { readonly urls: readonly string[] };

export const CALL_OPTIONS: FieldsOf<CallOptions> = { idempotencyKey: true };

export const ORDER: FieldsOf<CreateOrderRequest> = {
  reference: true,
  total_amount: true,
  customer: { rut: true, first_name: true, last_name: true, email: true, phone_number: true },
  provider_rut: true,
  items: { description: true, quantity: true, amount: true },
};

/** The filters and the page of a list of orders, as `GET /orders` takes them. */
export interface OrdersQuery {
  readonly reference?: string;
  readonly status?: OrderStatus;
  readonly rut?: string;
  /** `YYYY-MM-DD` in America/Santiago, included. */
  readonly created_from?: string;
  /** `YYYY-MM-DD` in America/Santiago, included. */
  readonly created_to?: string;
  /** The `next` of the previous page. */
  readonly after?: string;
  /** 1 to 100. */
  readonly limit?: number;
}

export const ORDERS_QUERY: FieldsOf<OrdersQuery> = {
  reference: true,
  status: true,
  rut: true,
  created_from: true,
  created_to: true,
  after: true,
  limit: true,
};

/** The page of a list. */
export interface PageQuery {
  /** The `next` of the previous page. */
  readonly after?: string;
  /** 1 to 100. */
  readonly limit?: number;
}

export const PAGE_QUERY: FieldsOf<PageQuery> = { after: true, limit: true };

export interface ExpensesQuery extends PageQuery {
  /** Only the expense of this order. */
  readonly skip_pay_order_id?: string;
}

export const EXPENSES_QUERY: FieldsOf<ExpensesQuery> = { ...PAGE_QUERY, skip_pay_order_id: true };

export const REFUND: FieldsOf<RefundOrderRequest> = { amount: true, reason: true, refund_reference: true };

export const WIDGET_TOKEN: FieldsOf<MintWidgetTokenRequest> = {
  rut: true,
  user_data: { name: true, surname: true, email: true, phone_number: true, rut: true },
  order_token: true,
  long_term_token: true,
  expires_in_minutes: true,
  provider_data: { rut: true, name: true, logo_url: true, support_email: true },
  parent_origin: true,
  return_url: true,
  native: true,
  locale: true,
  qr: true,
  deliver: { email: true },
};

const EXPENSE_FIELDS: FieldsOf<Omit<Expense, "files">> = {
  rut: true,
  orderHash: true,
  name: true,
  date: true,
  receiptId: true,
  receiptRut: true,
  doctorRut: true,
  totalClp: true,
  subtypes: true,
};
export const EXPENSE: FieldsOf<Expense> = { ...EXPENSE_FIELDS, files: { name: true, type: true, bytes: true } };
export const EXPENSE_BY_URL: FieldsOf<ExpenseByUrl> = { ...EXPENSE_FIELDS, urls: true };

export const SUBSCRIPTION: FieldsOf<SetSubscriptionRequest> = {
  plan: true,
  status: true,
  valid_until: true,
  paid_by: true,
};

export const CENTERS: FieldsOf<UpsertCentersRequest> = {
  centers: {
    rut: true,
    name: true,
    email: true,
    bank_account: { bank: true, account_type: true, account_number: true, holder_name: true, holder_rut: true },
  },
};
