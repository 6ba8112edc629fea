import { InvalidArgumentError } from "commander";
import { type Month, monthOf } from "../month.ts";

export function readMonth(text: string): Month {
  const month = monthOf(text);
  if (month === null) throw new InvalidArgumentError("It must be a month such as 2026-11.");
  return month;
}
