import { McpServer, type ToolCallback } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { call, type DevCall } from "./call.ts";
import { searchDocs } from "./docs.ts";
import { readEvents } from "./forward-events.ts";
import type { SandboxKeys } from "./keys.ts";
import { newRut } from "./new-rut.ts";
import { wordsOf } from "./output.ts";
import { clientOf, openOrder, playScenario } from "./play-scenario.ts";
import { readRequests } from "./requests.ts";
import { moveClock, readClock } from "./sandbox-clock.ts";
import { findScenario, SCENARIOS } from "./scenarios.ts";

/*
 * The sandbox for AI assistants that write an integration: tools of the Model Context Protocol. They only access the
 * sandbox of the keys, and return no secrets.
 */

const EVENTS_SHOWN = 20;

/**
 * A server with the sandbox's tools. `keys` is called for each tool call, so that keys may be created after the start.
 */
export function createMcpServer(keys: () => Promise<SandboxKeys>, version: string): McpServer {
  const server = new McpServer({ name: "aapd-sandbox", version });
  const scenarios = SCENARIOS.map(({ name, ends }) => `${name}: ${ends}`).join("\n");
  tool(
    server,
    "search_docs",
    "Search the integration guide; answers the best passages with their addresses.",
    {
      query: z.string().describe("words that the passage should have"),
    },
    async ({ query }) => searchDocs((await keys()).addresses.order_api, query),
  );
  tool(
    server,
    "open_checkout",
    "Create an order for a test patient and mint its checkout; answers its address.",
    {
      rut: z.string().optional().describe("left out, a patient whom nobody has met"),
      total_clp: z.number().int().min(1).optional(),
    },
    async ({ rut, total_clp }) => {
      const { hash, url } = await openOrder(clientOf(await keys()), rut ?? newRut(), total_clp);
      return { hash, url };
    },
  );
  tool(
    server,
    "play_scenario",
    `Play an order's life as a test patient:\n${scenarios}`,
    {
      scenario: z.enum(SCENARIOS.map(({ name }) => name)),
    },
    async ({ scenario }) => {
      const wanted = findScenario(scenario);
      return wanted === null ? null : playScenario(await keys(), wanted);
    },
  );
  tool(
    server,
    "read_order",
    "Read an order as your back end does.",
    {
      hash: z.string(),
    },
    async ({ hash }) => clientOf(await keys()).getOrder(hash),
  );
  tool(
    server,
    "move_clock",
    "Move the sandbox's time forward and do all that falls due.",
    {
      advance: z
        .string()
        .regex(/^(?:\d{1,9}[smhd]){1,4}$/)
        .optional()
        .describe("as in 45d or 1d12h; left out, the time is read"),
    },
    async ({ advance }) => (advance === undefined ? readClock(await keys()) : moveClock(await keys(), advance)),
  );
  tool(server, "read_events", "Read the latest events, which webhooks bring.", {}, async () =>
    (await readEvents(await keys(), null)).events.slice(-EVENTS_SHOWN),
  );
  tool(
    server,
    "read_deliveries",
    "Read what was sent to your webhook endpoints, and what they answered.",
    {},
    async () => readDeliveries(await keys()),
  );
  tool(
    server,
    "read_requests",
    "Read the latest calls, with status, error code and the fields that were refused.",
    {},
    async () => readRequests(await keys()),
  );
  return server;
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
      ...(await read<{ readonly deliveries: unknown }>(`/api/webhook_endpoints/${id}/deliveries`, ["deliveries"])),
    })),
  );
}

/** Registers a tool whose answer is JSON and whose error is text. */
function tool<Shape extends z.ZodRawShape>(
  server: McpServer,
  name: string,
  description: string,
  inputSchema: Shape,
  answer: (input: z.output<z.ZodObject<Shape>>) => Promise<unknown>,
): void {
  const schema = z.object(inputSchema);
  const handle = async (input: unknown): Promise<CallToolResult> => {
    try {
      return { content: [{ type: "text", text: JSON.stringify(await answer(schema.parse(input))) }] };
    } catch (error) {
      return { content: [{ type: "text", text: wordsOf(error) }], isError: true };
    }
  };
  // The library's type of a callback depends on the shape, which is generic here.
  server.registerTool(name, { description, inputSchema }, handle as ToolCallback<Shape>);
}
