import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { command, type Json, readUrl, requireKeys, type Surroundings, signatureWordOption } from "./command-parts.ts";
import { forwardEvent, verdictLine } from "./forward-events.ts";
import { readKeys } from "./keys.ts";
import { EVENT_KINDS, offlineEvent } from "./offline-event.ts";
import { CommandRefused, type Output, say } from "./output.ts";
import { playScenario } from "./play-scenario.ts";
import { findScenario, SCENARIOS } from "./scenarios.ts";

export function triggerCommand({ folder, ...output }: Surroundings): Command {
  const width = Math.max(...SCENARIOS.map(({ name }) => name.length));
  const list = SCENARIOS.map(({ name, ends }) => `  ${name.padEnd(width)}  ${ends}`).join("\n");
  return command("trigger", "play an order's life: a patient who pays, and what comes after", "trigger approved")
    .argument("<scenario>", "one of those listed below; with --offline, the kind of an event, such as order.paid")
    .option("--offline", "send a signed example event to your receiver, without a sandbox")
    .option("--forward-to <url>", "with --offline: your receiver", readUrl)
    .option("--reference <reference>", "with --offline: the order's reference, so that your receiver knows the sale")
    .addOption(signatureWordOption())
    .addHelpText("after", `\nScenarios:\n${list}\n\nEvents with --offline:\n  ${EVENT_KINDS.join(", ")}`)
    .action(async (name: string, options: Json & OfflineOptions & { offline?: boolean }) => {
      if (options.offline === true) return sendOffline(folder, name, options, output);
      const scenario = findScenario(name);
      if (scenario === null)
        throw new CommandRefused(`Unknown scenario "${name}". Known: ${SCENARIOS.map((one) => one.name).join(", ")}.`);
      const { order, refusal } = await playScenario(await requireKeys(folder), scenario);
      const { hash, reference, status, collection } = order;
      const refused = refusal === null ? [] : [`The patient was told: ${refusal}.`];
      const lines = [
        scenario.ends,
        ...refused,
        `Order ${reference} (${hash}): ${status}${collection === null || collection === undefined ? "" : `, second instalment ${collection.status}`}.`,
      ];
      const expected = scenario.refusal ?? null;
      const isPlayed = refusal === expected;
      const printed = isPlayed ? lines : lines.slice(1);
      say(output, { json: { scenario: name, refusal, order }, lines: printed }, options.json === true);
      if (!isPlayed)
        throw new CommandRefused(
          `The scenario did not happen: expected ${expected ?? "no refusal"}, got ${refusal ?? "none"}.`,
        );
    });
}

interface OfflineOptions {
  forwardTo?: string;
  reference?: string;
  signatureWord: string;
}

async function sendOffline(
  folder: string,
  kind: string,
  { forwardTo, reference, signatureWord: word, json }: Json & OfflineOptions,
  output: Output,
): Promise<void> {
  const event = offlineEvent(kind, { id: randomUUID(), reference, now: new Date() });
  if (event === null) throw new CommandRefused(`Unknown event "${kind}". Known: ${EVENT_KINDS.join(", ")}.`);
  if (forwardTo === undefined) throw new CommandRefused("--offline needs --forward-to, the address of your receiver.");
  const secret = (await readKeys(folder))?.credentials.webhook_secret ?? process.env.WEBHOOK_SECRET;
  if (secret === undefined)
    throw new CommandRefused("There is no webhook secret. Set WEBHOOK_SECRET to the one that your receiver uses.");
  const once = { waits: [], wait: () => Promise.resolve(), isStopped: () => false };
  const verdict = await forwardEvent(event, { forwardTo, secret, word, ...once });
  say(output, { json: { ...verdict, sent: event }, lines: [verdictLine(verdict)] }, json === true);
  if (!verdict.accepted) throw new CommandRefused("not accepted");
}
