import { Command } from "commander";
import type { KeyUse } from "../../platform/reseal-store.ts";
import { reseal } from "../keys/reseal.ts";
import { type ComparedKey, compareKeys, retireKey } from "../keys/retire.ts";
import { CommandRefused, type Terminal } from "../operator.ts";
import { answer, command } from "./arguments.ts";

export function keyCommands(terminal: Terminal): Command {
  return new Command("keys")
    .description("the keys of the keyring")
    .addCommand(resealCommand(terminal))
    .addCommand(retireCommand(terminal))
    .addCommand(compareCommand(terminal));
}

function retireCommand(terminal: Terminal): Command {
  return command("retire", "let processes start without a key that nothing needs any more")
    .argument("<key>", "its id")
    .action((keyId: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const retirement = await retireKey(operator, { keyId, actor: operator.actor });
        switch (retirement.outcome) {
          case "newest":
            throw new CommandRefused(`"${keyId}" is the newest key, which seals all new values.`);
          case "unknown":
            throw new CommandRefused(`The database was never used with a key "${keyId}".`);
          case "needed":
            throw new CommandRefused(`"${keyId}" is still needed: ${retirement.uses.map(lineOf).join("; ")}`);
          case "retired":
            return { json: { retired: keyId }, lines: [`"${keyId}" may be taken out of every process's keyring.`] };
        }
      }),
    );
}

const DATABASE_WORDS: Readonly<Record<ComparedKey["database"], string>> = {
  same: "the database knows it",
  another: "the database knows ANOTHER key of this name",
  not_used: "the database was not used with it yet",
};

function compareCommand(terminal: Terminal): Command {
  return command("compare", "say which keys keyring and database have").action((options: { json?: boolean }) =>
    answer(terminal, options, async (operator) => {
      const keys = await compareKeys(operator);
      const placeOf = ({ place }: ComparedKey) => (place === null ? "not in the keyring" : `place ${place}`);
      const lines = keys.map(
        (key) =>
          `${key.key}: ${placeOf(key)}, ${DATABASE_WORDS[key.database]}${key.required ? ", required by every process" : ""}`,
      );
      return { json: { keys }, lines };
    }),
  );
}

function lineOf({ keyId, table, column, count }: KeyUse): string {
  return `${keyId}: ${count} in ${table}.${column} (${remedyOf({ table })})`;
}

function resealCommand(terminal: Terminal): Command {
  return command("reseal", "seal with the newest key what older ones sealed, and name what still needs them").action(
    (options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { values, files, left } = await reseal(operator, operator.actor);
        const kept = left.map(lineOf);
        const end = kept.length === 0 ? "No older key is needed any more." : "Older keys are still needed:";
        return {
          json: { resealed: values, files, left: left.map(({ keyId: key, ...use }) => ({ key, ...use })) },
          lines: [`${values} values and ${files} files were sealed again with the newest key.`, end, ...kept],
        };
      }),
  );
}

const REMEDIES: Readonly<Record<string, string>> = {
  credentials: "rotate these secrets",
  operators: "end these operators and name them anew",
};

/** How values expire that cannot be rehashed, because only their owner has them. */
function remedyOf({ table }: Pick<KeyUse, "table">): string {
  return REMEDIES[table] ?? "goes by itself as time passes";
}
