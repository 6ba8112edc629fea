import { resolve } from "node:path";
import { Command } from "commander";
import { packageFolder } from "../../platform/program.ts";
import { CommandRefused, type Terminal } from "../operator.ts";
import { command } from "./arguments.ts";
import { compareServed } from "./compare-served.ts";
import { answerText } from "./print.ts";

/** Needs no database and no settings: it runs on a machine without the service. */
export function pageCommands(terminal: Terminal): Command {
  return new Command("page").description("the page on which patients enter cards").addCommand(
    command(
      "compare",
      "whether the served page, its scripts and its policy are those that were built; exit code 1 if not",
    )
      .argument("<url>", "the widget host, such as https://checkout.example.cl")
      .option("--built <folder>", "a build of the same commit", resolve(packageFolder, "../operations/widget/dist"))
      .action(async (url: string, { built, json }: { built: string; json?: boolean }) => {
        const { scripts, differences } = await compareServed(resolve(built), url);
        if (differences.length > 0) throw new CommandRefused(differences.join("\n"));
        const lines = [`The page and its ${scripts} scripts match the build.`];
        terminal.write(answerText({ json: { scripts, differences }, lines }, json === true));
      }),
  );
}
