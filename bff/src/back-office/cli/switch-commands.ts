import { Argument, type Command } from "commander";
import { listSwitchedOff } from "../../platform/switch-store.ts";
import { SWITCHES, type Switch } from "../../platform/switches.ts";
import { changeSwitch } from "../change-switch.ts";
import type { Operator, Terminal } from "../operator.ts";
import { answer, command } from "./arguments.ts";
import { requireProvider } from "./provider-commands.ts";

interface SwitchOptions {
  json?: boolean;
  provider?: string;
}

/** The effect of each switch while it is off. */
const MEANING: Readonly<Record<Switch, string>> = {
  charges: "no card is charged: patients' payments are answered 503, later charges wait",
  payouts: "no payout is prepared or sent",
  mails: "mails and messages to patients wait; one-time codes still go out",
  claims: "no claim is filed, renewed or asked about",
};

export function switchCommand(terminal: Terminal): Command {
  return command(
    "switch",
    "stop charges, payouts, mails or claims, or let them go on; it counts at once in every process",
  )
    .addArgument(new Argument("[what]", "default: list what is off").choices(SWITCHES))
    .addArgument(new Argument("[state]").choices(["off", "on"]))
    .option("--provider <provider>", "only this provider's, by id or RUT; default: all providers")
    .action((what: Switch | undefined, state: "off" | "on" | undefined, options: SwitchOptions) =>
      answer(terminal, options, async (operator) => {
        if (what !== undefined && state !== undefined)
          await changeSwitch(operator, { what, state, providerId: await providerIdOf(operator, options) });
        const off = await listSwitchedOff(operator.db);
        const lines = off.map(
          (each) => `${each.what} off for ${each.providerId ?? "everybody"}: ${MEANING[each.what]}.`,
        );
        return {
          json: { off: off.map((each) => ({ what: each.what, provider_id: each.providerId })) },
          lines: lines.length === 0 ? ["Everything is on."] : lines,
        };
      }),
    );
}

/** Null for all providers. */
async function providerIdOf(operator: Operator, { provider }: SwitchOptions): Promise<string | null> {
  return provider === undefined ? null : (await requireProvider(operator, provider)).id;
}
