import { Command, InvalidArgumentError, Option } from "commander";
import { keysOfVariables, readKeys, type SandboxKeys } from "./keys.ts";
import { CommandRefused, type Output } from "./output.ts";

/* The parts that all commands share. */

/** The environment of the commands. */
export interface Surroundings extends Output {
  /** The folder in which the command was typed. */
  readonly folder: string;
  /** Ends `listen`. */
  readonly signal: AbortSignal;
}

export const NO_KEYS = "There are no keys in this folder. Get some: npx aapd-dev sandbox";

export interface Json {
  json?: boolean;
}

/** A command with `--json` and an example in its help. */
export function command(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .option("--json", "print JSON for programs")
    .addHelpText("after", `\nExample:\n  $ aapd-dev ${example}`);
}

/** The folder's keys or, as in a partner's continuous integration, those in the variables of `aapd-dev env`. */
export async function requireKeys(folder: string): Promise<SandboxKeys> {
  const keys = (await readKeys(folder)) ?? keysOfVariables(process.env);
  if (keys === null) throw new CommandRefused(NO_KEYS);
  return keys;
}

export function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("It must be an address such as http://127.0.0.1:3000/webhooks.");
}

export function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}

const DEFAULT_ORDER_API = "http://127.0.0.1:4010";

/** `--api`: the order API that gives the keys. */
export function apiOption(): Option {
  return new Option("--api <url>", "the order API of staging")
    .argParser(readUrl)
    .default(process.env.ORDER_API ?? DEFAULT_ORDER_API);
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

/** The brand's word in the name of the signature header. */
export function signatureWordOption(): Option {
  return new Option("--signature-word <word>", "the word in X-Service-Signature, if it is a different one").default(
    "Service",
  );
}
