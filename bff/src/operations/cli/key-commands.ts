import { Command } from "commander";
import type { KeyUse } from "../../platform/reseal-store.ts";
import { reseal } from "../keys/reseal.ts";
import { answer, command } from "./answer.ts";
import type { Terminal } from "./operator.ts";

export function keyCommands(terminal: Terminal): Command {
  return new Command("keys").description("the keys of the keyring").addCommand(
    command("reseal", "seal with the newest key what older ones sealed, and name what still needs them").action(
      (options: { json?: boolean }) =>
        answer(terminal, options, async (operator) => {
          const { values, files, left } = await reseal(operator, operator.actor);
          const kept = left.map(
            ({ keyId, table, column, count }) => `${keyId}: ${count} in ${table}.${column} (${remedyOf({ table })})`,
          );
          const end = kept.length === 0 ? "No older key is needed any more." : "Older keys are still needed:";
          return {
            json: { resealed: values, files, left: left.map(({ keyId: key, ...use }) => ({ key, ...use })) },
            lines: [`${values} values and ${files} files are sealed with the newest key.`, end, ...kept],
          };
        }),
    ),
  );
}

const REMEDIES: Readonly<Record<string, string>> = {
  credentials: "rotate these secrets",
  operators: "end these operators and name them anew",
};

/** How what cannot be hashed anew, because nobody has the value, comes to an end. */
function remedyOf({ table }: Pick<KeyUse, "table">): string {
  return REMEDIES[table] ?? "goes by itself as time passes";
}
