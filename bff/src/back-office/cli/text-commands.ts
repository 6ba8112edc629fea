import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { type LegalTextKind, legalTextKindSchema } from "../../contract/vocabulary/legal-text.ts";
import { type Locale, localeSchema } from "../../contract/widget-tokens.ts";
import { kindsWithoutText, listLegalTexts, setLegalText } from "../../orders/legal-texts.ts";
import { CommandRefused, type Terminal } from "../operator.ts";
import { answer, command } from "./arguments.ts";

const WHICH = new Argument("<kind>", "the text").choices(legalTextKindSchema.options);
const LANGUAGE = new Option("--locale <locale>", "its language").choices(localeSchema.options).default("es-CL");

/** The texts that patients accept with a payment. */
export function textCommands(terminal: Terminal): Command {
  return new Command("texts")
    .description("contract, summary sheet, withdrawal and privacy notice, as shown to patients")
    .addCommand(setCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal));
}

interface SetOptions {
  json?: boolean;
  version: string;
  locale: Locale;
  file: string;
}

function setCommand(terminal: Terminal): Command {
  return command("set", "set a new version of a text; the Spanish one is shown from now on")
    .addArgument(WHICH)
    .requiredOption("--version <version>", "the version's name, such as 2026-12", readVersion)
    .addOption(LANGUAGE)
    .requiredOption("--file <file>", "the text, with {{names}} in place of an order's figures")
    .action((kind: LegalTextKind, { version, locale, file, ...options }: SetOptions) =>
      answer(terminal, options, async (operator) => {
        const text = await readText(resolve(operator.service.config.workingDir, file));
        await setLegalText(operator, { kind, version, locale, text });
        return { json: { kind, version, locale }, lines: [`${kind} ${version} (${locale}) is set.`] };
      }),
    );
}

const WITHOUT: Readonly<Partial<Record<LegalTextKind, string>>> = {
  withdrawal: "The checkout says nothing about the right of withdrawal: set it now.",
};

function listCommand(terminal: Terminal): Command {
  return command("list", "every version, and which ones are shown now").action((options: { json?: boolean }) =>
    answer(terminal, options, async (operator) => {
      const texts = await listLegalTexts(operator.db, operator.environment);
      const missing = kindsWithoutText(texts);
      return {
        json: { texts: texts.map(json), missing },
        lines: [
          ...texts.map(
            ({ kind, version, locale, setAt, isPresent }) =>
              `${kind}  ${version}  ${locale}  ${setAt.toISOString()}${isPresent ? "  shown now" : ""}`,
          ),
          ...missing.map((kind) => `${kind}: none. ${WITHOUT[kind] ?? "No payment is accepted without it."}`),
        ],
      };
    }),
  );
}

interface ShowOptions {
  json?: boolean;
  version?: string;
  locale: Locale;
}

function showCommand(terminal: Terminal): Command {
  return command("show", "the words of a text")
    .addArgument(WHICH)
    .option("--version <version>", "default: the one that is shown now", readVersion)
    .addOption(LANGUAGE)
    .action((kind: LegalTextKind, { version, locale, ...options }: ShowOptions) =>
      answer(terminal, options, async (operator) => {
        const text = (await listLegalTexts(operator.db, operator.environment)).find(
          (each) =>
            each.kind === kind &&
            each.locale === locale &&
            (version === undefined ? each.isPresent : each.version === version),
        );
        if (text === undefined) throw new CommandRefused("There is no such text.");
        return { json: { ...json(text), text: text.text }, lines: text.text.trim().split("\n") };
      }),
    );
}

function json({ kind, version, locale, setAt, isPresent }: Awaited<ReturnType<typeof listLegalTexts>>[number]): object {
  return { kind, version, locale, set_at: setAt.toISOString(), shown_now: isPresent };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new CommandRefused(`${file} cannot be read.`, { cause });
  }
}

function readVersion(text: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be up to 64 letters, digits, dots and dashes.");
}
