import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as z from "zod";
import { call, type DevCall } from "./call.ts";
import type { Report } from "./doctor/finding.ts";
import type { Examined } from "./examine-folder.ts";
import { readEvents } from "./forward-events.ts";
import type { SandboxKeys } from "./keys.ts";
import { addGuide } from "./mcp-guide.ts";
import { ADDS, addTool, CHANGES, READS } from "./mcp-tool.ts";
import { newRut } from "./new-rut.ts";
import { CommandRefused } from "./output.ts";
import { clientOf, openOrder, playScenario } from "./play-scenario.ts";
import { readMail } from "./read-mail.ts";
import { readRequests } from "./requests.ts";
import { moveClock, parseAdvance, readClock } from "./sandbox-clock.ts";
import { CLAIM_OUTCOMES, decideClaim, FAULT_KINDS, planFault, submitReceipt } from "./sandbox-control.ts";
import { findScenario, SCENARIOS } from "./scenarios.ts";

/*
 * The sandbox for AI assistants that write an integration: tools of the Model Context Protocol. They only access the
 * sandbox of the keys, and return no secrets.
 */

const EVENTS_SHOWN = 20;

const INSTRUCTIONS = `Tools for integrating the checkout "Atiéndete ahora, paga después" in its sandbox: no money moves.
Start with the resource aapd://guide/docs.md or search_docs. Then, for one order: your back end creates it and mints its
widget token, the patient pays in the frame, the signed webhook order.paid arrives, and your back end submits the
receipt. Try your own program with open_checkout, and whole lives of an order with play_scenario. move_clock lets what
is due happen: the isapre approves after five days. If a call is refused, read_requests says why. Before you finish, run
examine on the page and the webhook receiver until the score is 100. The keys are in .aapd/sandbox.json of the project
(npx aapd-dev sandbox); no tool returns a secret, and none belongs in the page.`;

export interface McpParts {
  /** Called for each tool call, so that keys may be created after the start. */
  readonly keys: () => Promise<SandboxKeys>;
  /** Examines the partner's project, as `aapd-dev doctor` does. */
  readonly examine: (examined: Examined) => Promise<Report>;
  readonly version: string;
}

/** A server with the sandbox's tools, and the guide's pages as resources. */
export function createMcpServer({ keys, examine, version }: McpParts): McpServer {
  const server = new McpServer({ name: "aapd-sandbox", version }, { instructions: INSTRUCTIONS });
  addGuide(server, keys);
  addOrderTools(server, keys);
  addSandboxTools(server, keys);
  addReadingTools(server, keys);
  addTool(server, {
    name: "examine",
    title: "Examine the integration",
    description:
      "Examine keys, page and webhook receiver, as `aapd-dev doctor` does; names each line to change. It sends test events to the receiver and creates an order.",
    annotations: ADDS,
    input: {
      page: z.url().optional().describe("a page with the checkout on it"),
      webhook: z.url().optional().describe("the webhook receiver"),
      click: z.string().optional().describe("a selector of the element that opens the checkout"),
    },
    output: {
      score: z.number(),
      findings: z.array(
        z.looseObject({ id: z.string(), verdict: z.string(), words: z.string(), change: z.string().nullable() }),
      ),
      notExamined: z.array(z.string()),
    },
    answer: (examined) => examine({ ...examined, signatureWord: "Service" }),
  });
  return server;
}

type Keys = McpParts["keys"];

const HASH = { hash: z.string().describe("the order's hash") };
const ORDER = { hash: z.string(), status: z.string(), reference: z.string(), total_amount: z.number() };

function addOrderTools(server: McpServer, keys: Keys): void {
  addTool(server, {
    name: "open_checkout",
    title: "Open a checkout",
    description: "Create an order for a test patient and mint its checkout; answers its address.",
    annotations: ADDS,
    input: {
      rut: z.string().optional().describe("left out, a new patient"),
      total_clp: z.number().int().min(1).optional(),
    },
    output: { hash: z.string(), url: z.string() },
    answer: async ({ rut, total_clp }) => {
      const { hash, url } = await openOrder(clientOf(await keys()), rut ?? newRut(), total_clp);
      return { hash, url };
    },
  });
  addTool(server, {
    name: "play_scenario",
    title: "Play a scenario",
    description: `Play an order's life as a test patient:\n${SCENARIOS.map(({ name, ends }) => `${name}: ${ends}`).join("\n")}`,
    annotations: ADDS,
    input: { scenario: z.enum(SCENARIOS.map(({ name }) => name)) },
    output: { refusal: z.string().nullable(), order: z.looseObject(ORDER) },
    answer: async ({ scenario }) => {
      const wanted = findScenario(scenario);
      if (wanted === null) throw new CommandRefused(`There is no scenario ${scenario}.`);
      return playScenario(await keys(), wanted);
    },
  });
  addTool(server, {
    name: "read_order",
    title: "Read an order",
    description: "Read an order as your back end does: its status, claim, refunds and later charge.",
    annotations: READS,
    input: HASH,
    output: ORDER,
    answer: async ({ hash }) => clientOf(await keys()).getOrder(hash),
  });
  addTool(server, {
    name: "submit_receipt",
    title: "Submit a receipt",
    description: "Submit a receipt for tests to a paid order. A repeat changes nothing.",
    annotations: { ...ADDS, idempotentHint: true },
    input: HASH,
    output: { id: z.string(), submission_status: z.string(), missing_document_types: z.array(z.string()) },
    answer: async ({ hash }) => submitReceipt(await keys(), hash, []),
  });
  addTool(server, {
    name: "refund_order",
    title: "Refund an order",
    description: "Refund a paid order, or a part of it.",
    annotations: CHANGES,
    input: { ...HASH, amount: z.number().int().min(1).optional().describe("pesos; left out, everything") },
    output: { hash: z.string(), status: z.string(), refund: z.looseObject({ amount: z.number(), status: z.string() }) },
    answer: async ({ hash, amount }) =>
      clientOf(await keys()).refundOrder(hash, amount === undefined ? {} : { amount }),
  });
}

function addSandboxTools(server: McpServer, keys: Keys): void {
  addTool(server, {
    name: "decide_claim",
    title: "Decide a claim",
    description: "Decide an order's claim as its isapre. It must be filed: after submit_receipt, move the clock by 1h.",
    annotations: CHANGES,
    input: { ...HASH, outcome: z.enum(CLAIM_OUTCOMES) },
    output: { claim: z.looseObject({ status: z.string() }) },
    answer: async ({ hash, outcome }) => decideClaim(await keys(), hash, outcome),
  });
  addTool(server, {
    name: "move_clock",
    title: "Move the clock",
    description: "Move the sandbox's time forward and do all that falls due. It does not go back.",
    annotations: CHANGES,
    input: { advance: z.string().optional().describe("such as +45d, 12h or +1d12h; left out, the time is read") },
    output: { now: z.string(), ahead_seconds: z.number(), remaining_seconds: z.number() },
    answer: async ({ advance }) => {
      if (advance === undefined) return readClock(await keys());
      const parsed = parseAdvance(advance);
      if (parsed === null) throw new CommandRefused("`advance` must be a duration such as +45d or +1d12h.");
      return moveClock(await keys(), parsed);
    },
  });
  addTool(server, {
    name: "inject_fault",
    title: "Inject a fault",
    description: "Make the next calls to an outside party slow, fail or arrive twice.",
    annotations: CHANGES,
    input: {
      party: z.string().describe("such as card-processor or insurer"),
      method: z.string().describe("the party's call, such as charge; GET /sandbox/catalogue lists them"),
      kind: z.enum(FAULT_KINDS),
      calls: z.number().int().min(1).default(1).describe("how many calls"),
      replace: z.boolean().default(false).describe("drop the faults that have not happened yet"),
    },
    output: { faults: z.array(z.looseObject({ party: z.string(), method: z.string(), calls: z.number() })) },
    answer: async ({ replace, ...fault }) => planFault(await keys(), fault, replace),
  });
}

function addReadingTools(server: McpServer, keys: Keys): void {
  addTool(server, {
    name: "read_mail",
    title: "Read patients' messages",
    description: "Read the latest e-mails and phone messages to your patients.",
    annotations: READS,
    input: {
      to: z.string().optional().describe("only those to this e-mail address or telephone number"),
      limit: z.number().int().min(1).max(100).default(20),
    },
    output: {
      notices: z.array(z.looseObject({ to: z.string(), subject: z.string(), text: z.string() })),
      messages: z.array(z.looseObject({ to: z.string(), text: z.string() })),
    },
    answer: async (wanted) => readMail(await keys(), wanted),
  });
  addTool(server, {
    name: "read_events",
    title: "Read events",
    description: "Read the latest events, which webhooks bring.",
    annotations: READS,
    input: {},
    output: {
      events: z.array(z.looseObject({ event_id: z.string(), event: z.string(), reference: z.string() })),
    },
    answer: async () => ({ events: (await readEvents(await keys(), null)).events.slice(-EVENTS_SHOWN) }),
  });
  addTool(server, {
    name: "read_deliveries",
    title: "Read deliveries",
    description: "Read what was sent to your webhook endpoints, and what they answered.",
    annotations: READS,
    input: {},
    output: { endpoints: z.array(z.looseObject({ url: z.string(), deliveries: z.array(z.unknown()) })) },
    answer: async () => ({ endpoints: await readDeliveries(await keys()) }),
  });
  addTool(server, {
    name: "read_requests",
    title: "Read your calls",
    description: "Read the latest calls, with status, error code and the fields that were refused.",
    annotations: READS,
    input: {},
    output: {
      requests: z.array(
        z.looseObject({ request_id: z.string(), method: z.string(), route: z.string(), status: z.number() }),
      ),
    },
    answer: async () => ({ requests: await readRequests(await keys()) }),
  });
}

async function readDeliveries({ addresses, credentials }: SandboxKeys) {
  const read = <Answer extends object>(path: string, answerHas: DevCall<Answer>["answerHas"]) => {
    const url = new URL(path, addresses.spot_api);
    url.searchParams.set("public_key", credentials.public_key);
    return call<Answer>({ method: "GET", url, headers: { "x-secret-key": credentials.secret_key }, answerHas });
  };
  const { webhook_endpoints: endpoints } = await read<{
    readonly webhook_endpoints: readonly { readonly id: string; readonly url: string }[];
  }>("/api/webhook_endpoints", ["webhook_endpoints"]);
  return Promise.all(
    endpoints.map(async ({ id, url }) => ({
      url,
      ...(await read<{ readonly deliveries: readonly unknown[] }>(`/api/webhook_endpoints/${id}/deliveries`, [
        "deliveries",
      ])),
    })),
  );
}
