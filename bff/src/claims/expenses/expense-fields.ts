import type { FieldIssue } from "../../contract/errors.ts";
import {
  type ExpenseSubtype,
  expenseSubtypeSchema,
  type OptionalExpenseField,
  optionalExpenseFieldSchema,
} from "../../contract/expenses.ts";
import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import { type Clp, clp, ORDER_TOTAL_CLP_MAX } from "../../contract/vocabulary/clp.ts";
import { type OrderId, readOrderId } from "../../contract/vocabulary/identifiers.ts";
import { type Rut, readRut } from "../../contract/vocabulary/rut.ts";
import { type CalendarDay, santiagoDay } from "../../platform/santiago-time.ts";

const ISO = /^(\d{4}-\d{2}-\d{2})(?:(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;
/** Day, month and year as written in Chile: `21/11/2026`, `1-5-2026`, `21.11.26`. */
const CHILEAN = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;

/** The day that a receipt names, if that day exists; a time becomes its day in Santiago. Null if it cannot be read. */
function readReceiptDate(text: string): CalendarDay | null {
  const [, isoDay, time = "", offset] = ISO.exec(text) ?? [];
  const day = isoDay ?? chileanDay(text) ?? compactDay(text);
  if (day === null || !isDay(day)) return null;
  return offset === undefined ? day : dayOfMoment(day, time, offset);
}

function chileanDay(text: string): CalendarDay | null {
  const [, day, , month, year] = CHILEAN.exec(text) ?? [];
  if (day === undefined || month === undefined || year === undefined) return null;
  return `${year.padStart(4, "20")}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function compactDay(text: string): CalendarDay | null {
  const [, year, month, day] = COMPACT.exec(text) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}`;
}

function isDay(day: CalendarDay): boolean {
  if (day < "1900-01-01") return false;
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

function dayOfMoment(day: CalendarDay, time: string, offset: string): CalendarDay | null {
  // Programs write a day without a time as midnight UTC. It stays that day instead of becoming the evening before.
  if (/^T[0:.]+$/.test(time) && /^(?:Z|\+00:?00)$/.test(offset)) return day;
  const moment = new Date(`${day}${time}${offset.replace(/^(...)(\d\d)$/, "$1:$2")}`);
  if (Number.isNaN(moment.getTime())) return null;
  const inSantiago = santiagoDay(moment);
  // The last evening of the year 9999 may be in the year 10000 there.
  return isDay(inSantiago) ? inSantiago : null;
}

/** Digits in groups of three, with one kind of separator. The peso has no decimals, so only zeros may follow. */
const AMOUNT = /^(?:\$|CLP)? ?(\d{1,12}|\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+)(?:[.,]0{1,2})?(?:[.,]?-)?$/i;

/**
 * Reads `45952`, `45.952`, `$45.952.-`, `45,952` and `45952.00`. Null if the text is ambiguous, such as `45,95`, or not
 * an amount.
 */
function readReceiptTotal(text: string): Clp | null {
  const digits = AMOUNT.exec(text)?.[1]?.replaceAll(/[.,]/g, "");
  if (digits === undefined || Number(digits) > ORDER_TOTAL_CLP_MAX) return null;
  return clp(Number(digits));
}

/** The texts of unreadable optional fields, as received. */
export type UnreadFields = Readonly<Partial<Record<OptionalExpenseField, string>>>;

/** The parsed fields of an expense, without its files. Null if not sent, sent empty, or unreadable. */
export interface ExpenseFields {
  readonly name: string | null;
  readonly date: CalendarDay | null;
  readonly receiptId: string | null;
  readonly receiptRut: Rut | null;
  readonly doctorRut: Rut | null;
  readonly total: Clp | null;
  /** The order's hash as sent, before the order is loaded; `unreadable` if the text is not a hash. */
  readonly orderId: OrderId | "unreadable" | null;
  readonly subtypes: readonly ExpenseSubtype[];
  readonly unread: UnreadFields;
}

const TEXT_FIELD_LENGTH_MAX = 255;
/** The maximum number of characters that are stored of an unreadable text. */
const UNREAD_LENGTH_MAX = 1_000;

/** Reads the fields of an expense one by one. Only an invalid order hash makes it reject the submission. */
export interface FieldReader {
  /** Takes one field. Returns the issue if it makes the submission invalid. Unknown fields are ignored. */
  take(name: string, value: string): FieldIssue | null;
  /** Takes a value that is known to be unreadable. */
  leave(name: string, value: string): FieldIssue | null;
  /** The fields accepted so far. */
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
    // Two different values are ambiguous.
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

/** The fields that stay unread after a repeated submission: all but those that can be read now. */
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

/** Some languages write a repeated field as `expense_subtypes[]`. */
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
