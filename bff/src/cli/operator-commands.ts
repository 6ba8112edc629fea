import { userInfo } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { openKeyring } from "../compose/open-storage.ts";
import { readConfig } from "../config.ts";
import { makeSignInLink, SIGN_IN_LINK_MINUTES } from "../operations/console/sign-in/sign-in-link.ts";
import {
  addOperator,
  listOperators,
  nameOf,
  operatorNamed,
  removeOperator,
} from "../operations/operators/operators.ts";
import { ROLES, type Role } from "../operations/operators/role.ts";
import { systemClock } from "../platform/clock.ts";
import { systemIds } from "../platform/ids.ts";
import { answer, command } from "./answer.ts";
import { asOperator, CommandRefused, type Terminal } from "./operator.ts";
import { answerText } from "./print.ts";

export function operatorCommands(terminal: Terminal): Command {
  return new Command("operator")
    .description("who uses this command line and the console; AAPD_OPERATOR_TOKEN says who you are")
    .addCommand(addCommand(terminal))
    .addCommand(signInCommand(terminal))
    .addCommand(endCommand(terminal))
    .addCommand(listCommand(terminal));
}

const roleOption = () =>
  new Option("--role <role>", "what they may do on the console; only an operator uses the command line")
    .choices(ROLES)
    .default("operator" satisfies Role);

function addCommand(terminal: Terminal): Command {
  return command(
    "add",
    "name an operator, once a second operator runs the same; shows the token of the command line once",
  )
    .argument("<name>", "small letters, digits, dots and dashes, such as camila.rojas")
    .addOption(roleOption())
    .option("--email <address>", "by which the sign-in service names them", readEmail)
    .action((name: string, options: { json?: boolean; role: Role; email?: string }) =>
      asOperator(
        terminal,
        async (operator) => {
          const { role, email = null } = options;
          const added = await addOperator(operator, { name, role, email, actor: operator.actor });
          const { isDone } = added;
          const token = added.isDone ? added.token : null;
          const shown = { json: { operator: name, role, email, is_done: isDone, token }, lines: linesOf(role, added) };
          terminal.write(answerText(shown, options.json === true));
        },
        { addsOperators: true },
      ),
    );
}

function linesOf(role: Role, added: Awaited<ReturnType<typeof addOperator>>): string[] {
  if (!added.isDone)
    return [
      "Nothing is done yet: within seven days another operator has to run the same command with their own token.",
    ];
  if (added.token === null) return [`Added as ${role}: the console only. They approve nothing for 24 hours.`];
  return [
    `AAPD_OPERATOR_TOKEN=${added.token}`,
    "It is shown only now: hand it to them in person. They approve nothing for 24 hours, and never what you ask for.",
  ];
}

function readEmail(text: string): string {
  const email = z.email().safeParse(text);
  if (!email.success) throw new InvalidArgumentError("It must be an e-mail address.");
  return email.data;
}

function signInCommand(terminal: Terminal): Command {
  return command("sign-in", `a link to the console that works once, within ${SIGN_IN_LINK_MINUTES} minutes`)
    .option(
      "--name <name>",
      "in staging: as whom, who keeps the role that they had first; left out, the machine's user",
    )
    .addOption(roleOption())
    .action(async (options: { json?: boolean; name?: string; role: Role }) => {
      const config = readConfig(terminal.environment);
      const whom = config.environment === "production" ? await oneself(terminal, options.name) : anybody(options);
      const keyring = await openKeyring(config);
      const secret = makeSignInLink({ keyring, ids: systemIds, now: systemClock.now() }, whom);
      const url = `${config.addresses.operations.publicUrl}/sign-in/link/${secret}`;
      const lines = [url, `It works once, within ${SIGN_IN_LINK_MINUTES} minutes, for ${whom.name}.`];
      terminal.write(answerText({ json: { url, operator: whom.name }, lines }, options.json === true));
    });
}

/** Nobody signs in as somebody else: two operators would be one. */
function oneself(terminal: Terminal, name: string | undefined) {
  return asOperator(terminal, async ({ db, actor }) => {
    const operator = await operatorNamed(db, { name: nameOf(actor) });
    if (operator === null) throw new CommandRefused("Say who you are with AAPD_OPERATOR_TOKEN.");
    if (name !== undefined && name !== operator.name) throw new CommandRefused("A link is for yourself.");
    return operator;
  });
}

/**
 * In staging people and roles are tried out, and the embedded database is the running service's alone. A name keeps the role that it was
 * first made with, so that each role has a name of its own.
 */
function anybody({ name, role }: { readonly name?: string; readonly role: Role }) {
  const { username } = userInfo();
  return { name: name ?? (role === "operator" ? username : `${username}.${role}`), role };
}

function endCommand(terminal: Terminal): Command {
  return command("end", "an operator's token and sessions are worth nothing from now on; the name stays theirs")
    .argument("<name>")
    .action((name: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        await removeOperator(operator, { name, actor: operator.actor });
        return { json: { operator: name, ended: true }, lines: ["Ended."] };
      }),
    );
}

function listCommand(terminal: Terminal): Command {
  return command("list", "every operator there is or was").action((options: { json?: boolean }) =>
    answer(terminal, options, async ({ db }) => {
      const operators = (await listOperators(db)).map(({ name, role, email, addedAt, endedAt }) => ({
        operator: name,
        role,
        email,
        added_at: addedAt.toISOString(),
        ended_at: endedAt?.toISOString() ?? null,
      }));
      const lines = operators.map(
        (one) =>
          `${one.operator} (${one.role}) since ${one.added_at}${one.ended_at === null ? "" : `, ended ${one.ended_at}`}`,
      );
      return { json: { operators }, lines: lines.length === 0 ? ["There are no operators."] : lines };
    }),
  );
}
