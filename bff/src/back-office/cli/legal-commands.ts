import { Command, InvalidArgumentError } from "commander";
import { setMaximumRate } from "../../tenants/maximum-rate.ts";
import type { Terminal } from "../operator.ts";
import { answer, command, readDay } from "./arguments.ts";

export function legalCommands(terminal: Terminal): Command {
  return new Command("legal").description("legal limits").addCommand(setMaximumRateCommand(terminal));
}

interface MaximumRateOptions {
  json?: boolean;
  source: string;
  since: string;
}

function setMaximumRateCommand(terminal: Terminal): Command {
  return command(
    "set-maximum-rate",
    "the highest yearly rate for credit; from its first day, orders of clinics above it without a legal basis are refused",
  )
    .argument("<percentage>", "percent a year, at most two decimals", readRate)
    .requiredOption("--source <where>", "where it was published")
    .requiredOption("--since <day>", "the first day on which it applies, YYYY-MM-DD", readDay)
    .action((percentage: number, { source, since, ...options }: MaximumRateOptions) =>
      answer(terminal, options, async (operator) => {
        const rate = { basisPoints: Math.round(percentage * 100), source, since };
        const above = (await setMaximumRate(operator, rate)).map(({ id, name, yearlyRate }) => {
          return { provider_id: id, name, yearly_rate: yearlyRate };
        });
        return {
          json: { maximum_rate: percentage, source, since, above },
          lines: [`${percentage} % a year since ${since} (${source}).`, ...aboveLines(above, since)],
        };
      }),
    );
}

function aboveLines(
  above: readonly { readonly provider_id: string; readonly name: string; readonly yearly_rate: number }[],
  since: string,
): string[] {
  if (above.length === 0) return ["No clinic's commission is above it without a legal basis."];
  return [
    `Above it without a legal basis; their new orders are refused from ${since}:`,
    ...above.map((one) => `  ${one.provider_id}  ${one.name}  ${one.yearly_rate} %`),
    "Lower each commission (`aapd provider change --commission`), or record its legal basis (--legal-basis).",
  ];
}

function readRate(text: string): number {
  const value = Number(text.replace(",", "."));
  if (text.trim() === "" || !(value > 0 && value <= 1_000))
    throw new InvalidArgumentError("It must be a yearly rate above 0, in percent.");
  return value;
}
