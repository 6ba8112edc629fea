import { userInfo } from "node:os";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { type ChainHead, chainAudit, verifyAudit } from "../../platform/audit-chain.ts";
import { systemClock } from "../../platform/clock.ts";
import { systemIds } from "../../platform/ids.ts";
import { silentLogger } from "../../platform/logger.ts";
import type { TwoPeopleOutcome } from "../approvals/two-people.ts";
import { makeSignInLink, SIGN_IN_LINK_MINUTES } from "../console/sign-in/sign-in-link.ts";
import { asOperator, CommandRefused, type Terminal } from "../operator.ts";
import { addOperator } from "../operators/add-operator.ts";
import { changeRole } from "../operators/change-role.ts";
import { renewToken } from "../operators/renew-token.ts";
import { ROLES, type Role } from "../operators/role.ts";
import { listOperators, nameOf, operatorNamed, removeOperator } from "../operators.ts";
import { answer, command } from "./arguments.ts";
import { answerText, type Shown, shownOutcome } from "./print.ts";

export function operatorCommands(terminal: Terminal): Command {
  return new Command("operator")
    .description("users of this command line and the console; AAPD_OPERATOR_TOKEN identifies you")
    .addCommand(addCommand(terminal))
    .addCommand(changeRoleCommand(terminal))
    .addCommand(renewCommand(terminal))
    .addCommand(signInCommand(terminal))
    .addCommand(endCommand(terminal))
    .addCommand(listCommand(terminal));
}

const roleOption = () =>
  new Option("--role <role>", "what they may do on the console; only `operator` may use the command line")
    .choices(ROLES)
    .default("operator" satisfies Role);

function addCommand(terminal: Terminal): Command {
  return command(
    "add",
    "add an operator, once a second operator runs the same or approves it; shows the token of the command line once",
  )
    .argument("<name>", "lower-case letters, digits, dots and dashes, such as camila.rojas")
    .addOption(roleOption())
    .option("--email <address>", "their address at the sign-in service", readEmail)
    .action((name: string, options: { json?: boolean; role: Role; email?: string }) =>
      asOperator(
        terminal,
        async (operator) => {
          const { role, email = null } = options;
          const outcome = await addOperator(operator, { name, role, email, actor: operator.actor });
          terminal.write(answerText(shownOperator({ operator: name, role, email }, outcome), options.json === true));
        },
        "adds",
      ),
    );
}

function changeRoleCommand(terminal: Terminal): Command {
  return command("change-role", "change what an operator may do, once a second operator runs the same or approves it")
    .argument("<name>")
    .addArgument(new Argument("<role>", "their new role").choices(ROLES))
    .action((name: string, role: Role, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const outcome = await changeRole(operator, { name, role, actor: operator.actor });
        return shownOperator({ operator: name, role }, outcome);
      }),
    );
}

function renewCommand(terminal: Terminal): Command {
  return command("renew", "make a new token in place of your own, expired or not, once another operator approves it")
    .argument(
      "[name]",
      "the operator, by default yourself; only the holder of the keyring, without a token, may renew another's",
    )
    .action((named: string | undefined, options: { json?: boolean }) =>
      asOperator(
        terminal,
        async (operator) => {
          const name = named ?? nameOf(operator.actor);
          const { token, requestId } = await renewToken(operator, { name, actor: operator.actor });
          const json = { operator: name, is_done: requestId === null, approval: requestId, token };
          const lines = [`AAPD_OPERATOR_TOKEN=${token}`, "It will not be shown again.", ...approvalLines(requestId)];
          terminal.write(answerText({ json, lines }, options.json === true));
        },
        "renews",
      ),
    );
}

function approvalLines(requestId: string | null): string[] {
  if (requestId === null) return ["It is valid from now on; the old one is not."];
  return [
    "It becomes valid when another operator approves it after comparing its last four characters with you:",
    `  aapd approvals approve ${requestId}`,
  ];
}

function shownOperator(about: object, outcome: TwoPeopleOutcome): Shown {
  const { json, lines } = shownOutcome(outcome);
  const token = outcome.isDone ? (outcome.secret?.value ?? null) : null;
  const handOver =
    token === null ? [] : ["Hand the token to them in person. You may not approve each other's requests."];
  return { json: { ...about, ...json, token }, lines: [...lines, ...handOver] };
}

function readEmail(text: string): string {
  const email = z.email().safeParse(text);
  if (!email.success) throw new InvalidArgumentError("It must be an e-mail address.");
  return email.data;
}

function signInCommand(terminal: Terminal): Command {
  return command("sign-in", `a link to the console that works once, within ${SIGN_IN_LINK_MINUTES} minutes`)
    .option("--name <name>", "in staging: the name to use, which keeps its first role; default: the machine's user")
    .addOption(roleOption())
    .action(async (options: { json?: boolean; name?: string; role: Role }) => {
      const { config, openKeyring } = terminal.readService(terminal.environment);
      const consoleUrl = config.addresses.operations.publicUrl;
      if (config.environment === "production" && !consoleUrl.startsWith("https://"))
        throw new CommandRefused("OPERATIONS_PUBLIC_URL: set it to the console's https address, which the link opens");
      const whom = config.environment === "production" ? await oneself(terminal, options.name) : anybody(options);
      const keyring = await openKeyring();
      const secret = makeSignInLink({ keyring, ids: systemIds, now: systemClock.now() }, whom);
      const url = `${consoleUrl}/sign-in/link/${secret}`;
      const lines = [url, `It works once, within ${SIGN_IN_LINK_MINUTES} minutes, for ${whom.name}.`];
      terminal.write(answerText({ json: { url, operator: whom.name }, lines }, options.json === true));
    });
}

/** Operators must not sign in under another name, because one person would be two operators. */
function oneself(terminal: Terminal, name: string | undefined) {
  return asOperator(terminal, async ({ db, actor }) => {
    const operator = await operatorNamed(db, { name: nameOf(actor) });
    if (operator === null) throw new CommandRefused("Identify yourself with AAPD_OPERATOR_TOKEN.");
    if (name !== undefined && name !== operator.name)
      throw new CommandRefused("You can create a link only for yourself.");
    return operator;
  });
}

/**
 * In staging, any name and role can be tried out, and a running service keeps the embedded database to itself. A name
 * keeps its first role, so each role needs a separate name.
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
      const operators = (await listOperators(db)).map(({ name, role, email, addedAt, endedAt, ...one }) => ({
        operator: name,
        role,
        email,
        added_at: addedAt.toISOString(),
        ended_at: endedAt?.toISOString() ?? null,
        token_ends_at: role === "operator" && one.isTokenShown ? one.tokenEndsAt.toISOString() : null,
      }));
      const lines = operators.map(
        (one) =>
          `${one.operator} (${one.role}) since ${one.added_at}${one.ended_at === null ? tokenWords(one.token_ends_at) : `, ended ${one.ended_at}`}`,
      );
      return { json: { operators }, lines: lines.length === 0 ? ["There are no operators."] : lines };
    }),
  );
}

function tokenWords(endsAt: string | null): string {
  return endsAt === null ? "" : `, token until ${endsAt}`;
}

export function auditCommands(terminal: Terminal): Command {
  return new Command("audit").description("the audit trail").addCommand(
    command("verify", "whether a row of the audit trail was changed or is missing; exit code 1 if so")
      .option(
        "--since <number:hash>",
        "an earlier end of the chain, as logged or shown, which must still be in it",
        readHead,
      )
      .action((options: { json?: boolean; since?: ChainHead }) =>
        answer(terminal, options, async (operator) => {
          await chainAudit({ ...operator, logger: silentLogger });
          const { head, brokenAt } = await verifyAudit(operator, options.since ?? null);
          if (brokenAt !== null)
            throw new CommandRefused(
              `The audit trail is broken at row ${brokenAt}: that row was changed, or one before it is missing.`,
            );
          const end = head === null ? null : `${head.number}:${head.hash}`;
          const lines = end === null ? ["There are no rows."] : [`${head?.number} rows, unbroken. The end is ${end}`];
          return { json: { rows: head?.number ?? 0, head: end }, lines };
        }),
      ),
  );
}

function readHead(text: string): ChainHead {
  const [, number, hash] = /^(\d{1,15}):(.{20,200})$/.exec(text) ?? [];
  if (number === undefined || hash === undefined)
    throw new InvalidArgumentError("It must be an end of the chain as shown before, such as 17:2026-11.Xk3…");
  return { number: Number(number), hash };
}
