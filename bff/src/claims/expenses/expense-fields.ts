import type { FieldIssue } from "../../contract/errors.ts";
import { type ExpenseSubtype, expenseSubtypeSchema } from "../../contract/expenses.ts";
import { withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import { type Clp, clp, ORDER_TOTAL_CLP_MAX } from "../../contract/vocabulary/clp.ts";
import { type OrderId, readOrderId } from "../../contract/vocabulary/identifiers.ts";
import { isPersonRut, type Rut, readRut } from "../../contract/vocabulary/rut.ts";
import { type CalendarDay, santiagoDay } from "../../platform/santiago-time.ts";

/** The parsed fields of an expense, without its files. `null`: not sent, or sent empty. */
export interface ExpenseFields {
  readonly name: string | null;
  /** `YYYY-MM-DD` */
  readonly date: string | null;
  readonly receiptId: string | null;
  readonly receiptRut: Rut | null;
  readonly doctorRut: Rut | null;
  readonly total: Clp | null;
  /** The order's hash as it was sent, before the order is read; `unreadable` if the text is not a hash. */
  readonly orderId: OrderId | "unreadable" | null;
  readonly subtypes: readonly ExpenseSubtype[];
}

export const TEXT_FIELD_LENGTH_MAX = 255;
const SUBTYPES_MAX = 5;

/** Validates field by field, so that a form is refused at its first bad value, before the rest is read. */
export interface FieldReader {
  /** Takes one field. Returns the issue if the value is bad or the field was sent before. Unknown fields are ignored. */
  take(name: string, value: string): FieldIssue | null;
  /** The fields taken so far. */
  fields(): ExpenseFields;
}

const readers = {
  name: readText,
  date: readDate,
  receipt_id: readText,
  receipt_rut: readRut,
  doctor_rut: readDoctorRut,
  total: readTotal,
  skip_pay_order_id: (text: string) => readOrderId(text) ?? ("unreadable" as const),
} satisfies Record<string, (text: string) => unknown>;
type SingleField = keyof typeof readers;
type Values = { -readonly [Name in SingleField]?: ReturnType<(typeof readers)[Name]> };

const complaints: Readonly<Record<SingleField, string>> = {
  name: `must have at most ${TEXT_FIELD_LENGTH_MAX} characters`,
  date: "must be DD/MM/YYYY, DD-MM-YYYY or YYYY-MM-DD",
  receipt_id: `must have at most ${TEXT_FIELD_LENGTH_MAX} characters`,
  receipt_rut: "must be a RUT with its check digit",
  doctor_rut: "must be the RUT of a person with its check digit",
  total: "must be an integer amount of pesos: digits, with or without thousands dots",
  skip_pay_order_id: "must be an order hash",
};

export function createFieldReader(): FieldReader {
  const values: Values = {};
  const taken = new Set<string>();
  const subtypes = new Set<ExpenseSubtype>();
  return {
    take(name, value) {
      const text = value.trim();
      if (name === "expense_subtypes") return takeSubtype(subtypes, text);
      if (!isSingleField(name)) return null;
      if (taken.has(name)) return { path: name, message: "must be sent once" };
      taken.add(name);
      if (text === "") return null;
      const read = readers[name](text);
      if (read === null) return { path: name, message: complaints[name] };
      Object.assign(values, { [name]: read });
      return null;
    },
    fields: () => ({
      name: values.name ?? null,
      date: values.date ?? null,
      receiptId: values.receipt_id ?? null,
      receiptRut: values.receipt_rut ?? null,
      doctorRut: values.doctor_rut ?? null,
      total: values.total ?? null,
      orderId: values.skip_pay_order_id ?? null,
      subtypes: [...subtypes],
    }),
  };
}

function isSingleField(name: string): name is SingleField {
  return Object.hasOwn(readers, name);
}

function takeSubtype(subtypes: Set<ExpenseSubtype>, text: string): FieldIssue | null {
  if (text === "") return null;
  const read = expenseSubtypeSchema.safeParse(text);
  if (!read.success || subtypes.size > SUBTYPES_MAX) {
    return { path: "expense_subtypes", message: `must be among ${expenseSubtypeSchema.options.join(", ")}` };
  }
  subtypes.add(read.data);
  return null;
}

function readText(text: string): string | null {
  return text.length <= TEXT_FIELD_LENGTH_MAX && !hasControlCharacter(text) ? withoutCardNumber(text) : null;
}

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function readDoctorRut(text: string): Rut | null {
  const rut = readRut(text);
  return rut !== null && isPersonRut(rut) ? rut : null;
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;

/** An existing day from `DD/MM/YYYY`, `DD-MM-YYYY` or ISO, as `YYYY-MM-DD`; a moment becomes its day in Santiago. */
function readDate(text: string): CalendarDay | null {
  const chilean = /^(\d{2})[/-](\d{2})[/-](\d{4})$/.exec(text);
  const [, isoDay, time = "", offset] = ISO.exec(text) ?? [];
  const day = chilean === null ? isoDay : `${chilean[3]}-${chilean[2]}-${chilean[1]}`;
  if (day === undefined || !isDay(day)) return null;
  return offset === undefined ? day : dayOfMoment(day, time, offset);
}

function isDay(day: string): boolean {
  if (day < "1900-01-01") return false;
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

function dayOfMoment(day: CalendarDay, time: string, offset: string): CalendarDay | null {
  // Programs write a day without a time as midnight UTC; it stays that day instead of becoming the evening before.
  if (/^T[0:.]+$/.test(time) && /^(?:Z|\+00:?00)$/.test(offset)) return day;
  const moment = new Date(`${day}${time}${offset.replace(/^(...)(\d\d)$/, "$1:$2")}`);
  return Number.isNaN(moment.getTime()) ? null : santiagoDay(moment);
}

/** Reads `45952` or `45.952`, with or without a `$` in front. */
function readTotal(text: string): Clp | null {
  const digits = /^\$? ?(\d{1,12}|\d{1,3}(?:\.\d{3})+)$/.exec(text)?.[1]?.replaceAll(".", "");
  if (digits === undefined || Number(digits) > ORDER_TOTAL_CLP_MAX) return null;
  return clp(Number(digits));
}
