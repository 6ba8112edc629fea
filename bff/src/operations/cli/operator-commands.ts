import { Command } from "commander";
import { readOperators } from "../operators/operator-store.ts";
import { addOperator, removeOperator } from "../operators/operators.ts";
import { answer, command } from "./answer.ts";
import type { Terminal } from "./operator.ts";

export function operatorCommands(terminal: Terminal): Command {
  return new Command("operator")
    .description("who uses this command line; AAPD_OPERATOR_TOKEN says who you are")
    .addCommand(
      command("add", "name an operator, and show the token once")
        .argument("<name>", "small letters, digits, dots and dashes, such as camila.rojas")
        .action((name: string, options: { json?: boolean }) =>
          answer(terminal, options, async (operator) => {
            const token = await addOperator(operator, { name, actor: operator.actor });
            return {
              json: { operator: name, token },
              lines: [`AAPD_OPERATOR_TOKEN=${token}`, "It is shown only now."],
            };
          }),
        ),
    )
    .addCommand(
      command("end", "an operator's token is worth nothing from now on; the name stays theirs")
        .argument("<name>")
        .action((name: string, options: { json?: boolean }) =>
          answer(terminal, options, async (operator) => {
            await removeOperator(operator, { name, actor: operator.actor });
            return { json: { operator: name, ended: true }, lines: ["Ended."] };
          }),
        ),
    )
    .addCommand(
      command("list", "every operator there is or was").action((options: { json?: boolean }) =>
        answer(terminal, options, async ({ db }) => {
          const operators = (await readOperators(db)).map(({ name, addedAt, endedAt }) => ({
            operator: name,
            added_at: addedAt.toISOString(),
            ended_at: endedAt?.toISOString() ?? null,
          }));
          const lines = operators.map(
            (one) => `${one.operator} since ${one.added_at}${one.ended_at === null ? "" : `, ended ${one.ended_at}`}`,
          );
          return { json: { operators }, lines: lines.length === 0 ? ["There are no operators."] : lines };
        }),
      ),
    );
}
