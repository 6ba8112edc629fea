import { Command } from "commander";
import { asOperator, type Operator, type Terminal } from "../operator.ts";
import { answerText, type Shown } from "./print.ts";

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
