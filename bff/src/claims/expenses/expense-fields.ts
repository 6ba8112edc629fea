import type { FieldIssue } from "../../contract/errors.ts";
import {
  type ExpenseSubtype,
  expenseSubtypeSchema,
  type OptionalExpenseField,
  optionalExpenseFieldSchema,
} from "../../contract/expenses.ts";
import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import { type OrderId, readOrderId } from "../../contract/vocabulary/identifiers.ts";
import { type Rut, readRut } from "../../contract/vocabulary/rut.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { readReceiptDate } from "./receipt-date.ts";
import { readReceiptTotal } from "./receipt-total.ts";

/** The texts of optional fields that could not be read, as they came. */
export type UnreadFields = Readonly<Partial<Record<OptionalExpenseField, string>>>;

/** The parsed fields of an expense, without its files. `null`: not sent, sent empty, or not readable. */
export interface ExpenseFields {
  readonly name: string | null;
  readonly date: CalendarDay | null;
  readonly receiptId: string | null;
  readonly receiptRut: Rut | null;
  readonly doctorRut: Rut | null;
  readonly total: Clp | null;
  /** The order's hash as it was sent, before the order is read; `unreadable` if the text is not a hash. */
  readonly orderId: OrderId | "unreadable" | null;
  readonly subtypes: readonly ExpenseSubtype[];
  readonly unread: UnreadFields;
}

export const TEXT_FIELD_LENGTH_MAX = 255;
/** What is kept of a text that could not be read. */
const UNREAD_LENGTH_MAX = 1_000;

/** Reads the fields of an expense one by one. Only what names the order can refuse it. */
export interface FieldReader {
  /** Takes one field. Returns the issue if it makes the submission refused. Unknown fields are ignored. */
  take(name: string, value: string): FieldIssue | null;
  /** Takes a value that is known not to be readable. */
  leave(name: string, value: string): FieldIssue | null;
  /** The fields taken so far. */
  fields(): ExpenseFields;
}

const readers = {
  name: readText,
  date: readReceiptDate,
  receipt_id: readText,
  receipt_rut: readRut,
  doctor_rut: readRut,
  total: readReceiptTotal,
} satisfies Record<SingleField, (text: string) => unknown>;
type SingleField = Exclude<OptionalExpenseField, "expense_subtypes">;
type Values = { -readonly [Name in SingleField]?: ReturnType<(typeof readers)[Name]> };

const ORDER_FIELD = "skip_pay_order_id";

export function createFieldReader(): FieldReader {
  const values: Values = {};
  const sent = new Map<string, string>();
  const subtypes = new Set<ExpenseSubtype>();
  const unread: { -readonly [Name in OptionalExpenseField]?: string } = {};
  const leave = (name: OptionalExpenseField, text: string) => {
    const before = unread[name];
    unread[name] = tidied(before === undefined ? text : `${before}, ${text}`);
    if (name !== "expense_subtypes") values[name] = null;
  };
  const takeOrder = (text: string): FieldIssue | null => {
    const before = sent.get(ORDER_FIELD);
    if (before !== undefined && before !== text) return { path: ORDER_FIELD, message: "must be sent once" };
    sent.set(ORDER_FIELD, text);
    return null;
  };
  const takeSubtype = (text: string): void => {
    const subtype = readSubtype(text);
    if (subtype === null) leave("expense_subtypes", text);
    else subtypes.add(subtype);
  };
  const takeSingle = (name: SingleField, text: string): void => {
    const before = sent.get(name);
    if (before === text) return;
    sent.set(name, text);
    const read = readers[name](text);
    if (before === undefined && read !== null) Object.assign(values, { [name]: read });
    // Two different values could be read in two ways.
    else leave(name, before === undefined || name in unread ? text : `${before}, ${text}`);
  };
  return {
    take(written, value) {
      const [name, text] = [nameOf(written), value.trim()];
      if (text === "") return null;
      if (name === ORDER_FIELD) return takeOrder(text);
      if (name === "expense_subtypes") takeSubtype(text);
      else if (isSingle(name)) takeSingle(name, text);
      return null;
    },
    leave(written, value) {
      const name = nameOf(written);
      if (name === ORDER_FIELD) return { path: ORDER_FIELD, message: "must be an order hash" };
      if (isOptional(name)) leave(name, value);
      return null;
    },
    fields: () => ({
      name: values.name ?? null,
      date: values.date ?? null,
      receiptId: values.receipt_id ?? null,
      receiptRut: values.receipt_rut ?? null,
      doctorRut: values.doctor_rut ?? null,
      total: values.total ?? null,
      orderId: orderIn(sent.get(ORDER_FIELD)),
      subtypes: [...subtypes],
      unread: { ...unread },
    }),
  };
}

/** What is still unread when a submission is repeated: a field that can be read now is not. */
export function unreadAfter(before: UnreadFields, again: ExpenseFields): UnreadFields {
  const isRead: Readonly<Record<OptionalExpenseField, boolean>> = {
    name: again.name !== null,
    date: again.date !== null,
    receipt_id: again.receiptId !== null,
    receipt_rut: again.receiptRut !== null,
    doctor_rut: again.doctorRut !== null,
    total: again.total !== null,
    expense_subtypes: again.subtypes.length > 0 && again.unread.expense_subtypes === undefined,
  };
  const names = optionalExpenseFieldSchema.options.filter((name) => before[name] !== undefined && !isRead[name]);
  return Object.fromEntries(names.map((name) => [name, before[name]]));
}

/** `expense_subtypes[]` is how some languages write a field that is repeated. */
function nameOf(written: string): string {
  return written.replace(/\[\d*\]$/, "");
}

function isSingle(name: string): name is SingleField {
  return Object.hasOwn(readers, name);
}

function isOptional(name: string): name is OptionalExpenseField {
  return optionalExpenseFieldSchema.safeParse(name).success;
}

function orderIn(text: string | undefined): ExpenseFields["orderId"] {
  return text === undefined ? null : (readOrderId(text) ?? "unreadable");
}

function tidied(text: string): string {
  return withoutCardNumber(text)
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, UNREAD_LENGTH_MAX);
}

function readText(text: string): string | null {
  return text.length <= TEXT_FIELD_LENGTH_MAX && !/\p{Cc}/u.test(text) ? withoutCardNumber(text) : null;
}

function readSubtype(text: string): ExpenseSubtype | null {
  return expenseSubtypeSchema.safeParse(text).data ?? null;
}
