import { Command } from "commander";
import { approveRequest, listRequests, refuseById } from "../approved-acts/approve-request.ts";
import type { Terminal } from "../operator.ts";
import type { Role } from "../operators/role.ts";
import { approvalView } from "../views/approval-view.ts";
import { answer, command } from "./arguments.ts";
import { carriedOutLines } from "./print.ts";

/** Only this role uses the command line. */
const ROLE: Role = "operator";

export function approvalCommands(terminal: Terminal): Command {
  return new Command("approvals")
    .description("requests for acts that need two operators")
    .addCommand(listCommand(terminal))
    .addCommand(approveCommand(terminal))
    .addCommand(refuseCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  return command("list", "the open requests, oldest first").action((options: { json?: boolean }) =>
    answer(terminal, options, async (operator) => {
      const approvals = (await listRequests(operator, { actor: operator.actor, role: ROLE })).map(approvalView);
      const lines = approvals.flatMap(requestLines);
      return { json: { approvals }, lines: lines.length === 0 ? ["There are no open requests."] : lines };
    }),
  );
}

function requestLines(one: ReturnType<typeof approvalView>): string[] {
  const values = Object.entries(one.request).map(([name, value]) => `${name} ${value ?? "none"}`);
  return [
    one.approval,
    `  ${one.act} of ${one.provider ?? one.subject}: ${values.join(", ")}`,
    `  requested by ${one.requested_by} at ${one.requested_at}; lapses at ${one.lapses_at}`,
  ];
}

function approveCommand(terminal: Terminal): Command {
  return command("approve", "approve and carry out another operator's request; shows a new secret once")
    .argument("<approval>", "its id, as `aapd approvals list` shows it")
    .option("--note <text>", "the reason for the resolution of an exception; no names or numbers of patients")
    .action((id: string, options: { json?: boolean; note?: string }) =>
      answer(terminal, options, async (operator) => {
        const given = { id, actor: operator.actor, role: ROLE, note: options.note ?? null };
        const done = await approveRequest(operator, given);
        return { json: { approval: id, ...done }, lines: carriedOutLines(done) };
      }),
    );
}

function refuseCommand(terminal: Terminal): Command {
  return command("refuse", "refuse another operator's request, or withdraw your own")
    .argument("<approval>", "its id, as `aapd approvals list` shows it")
    .action((id: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        await refuseById(operator, { id, actor: operator.actor, role: ROLE });
        return { json: { approval: id, refused: true }, lines: ["Refused. Nothing was done."] };
      }),
    );
}
