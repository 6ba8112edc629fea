import { Command, InvalidArgumentError } from "commander";
import { type BankAccount, bankAccountSchema } from "../../contract/bank-account.ts";
import { existingDaySchema } from "../../contract/vocabulary/calendar-day.ts";
import { type OrderId, readOrderId } from "../../contract/vocabulary/identifiers.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type Month, monthOf } from "../month.ts";
import { asOperator, type Operator, type Terminal } from "../operator.ts";
import { answerText, type Shown } from "./print.ts";

export function readMonth(text: string): Month {
  const month = monthOf(text);
  if (month === null) throw new InvalidArgumentError("It must be a month such as 2026-11.");
  return month;
}

export function readDay(text: string): CalendarDay {
  if (!existingDaySchema.safeParse(text).success)
    throw new InvalidArgumentError("It must be a day such as 2026-12-03.");
  return text;
}

/** A moment with its time zone. */
export function readMoment(text: string): Date {
  const moment = new Date(text);
  const [, day] = /^(\d{4}-\d\d-\d\d)T.*(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (!existingDaySchema.safeParse(day).success || Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError("It must be a moment with a time zone, such as 2026-11-22T14:05:00Z.");
  return moment;
}

/** An argument that is an order's hash. */
export function readHashArgument(text: string): OrderId {
  const hash = readOrderId(text);
  if (hash === null) throw new InvalidArgumentError("It must be an order's hash, a UUID as in `orders search`.");
  return hash;
}

/** The options that name a bank account. */
export interface AccountOptions {
  bank?: string;
  accountType?: string;
  accountNumber?: string;
  holderName?: string;
  holderRut?: string;
}

/** Throws `ZodError` for an incomplete account. */
export function readAccount({ bank, accountType, accountNumber, holderName, holderRut }: AccountOptions): BankAccount {
  return bankAccountSchema.parse({
    bank,
    account_type: accountType,
    account_number: accountNumber,
    holder_name: holderName,
    holder_rut: holderRut,
  });
}

/** A command that answers in text, or in JSON with `--json`. */
export function command(name: string, description: string): Command {
  return new Command(name).description(description).option("--json", "answer with one JSON object");
}

/** Runs a command as the operator and writes its answer. */
export async function answer(
  terminal: Terminal,
  { json }: { json?: boolean },
  run: (operator: Operator) => Promise<Shown>,
): Promise<void> {
  terminal.write(answerText(await asOperator(terminal, run), json === true));
}

export function collect(value: string, values: readonly string[]): string[] {
  return [...values, value];
}
