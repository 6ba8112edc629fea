import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { SandboxKeys } from "./keys.ts";
import { createMcpServer } from "./mcp.ts";
import { packageVersion } from "./package-version.ts";

/** Serves until the other side closes the input, or the command is stopped. */
export async function serveMcp(keys: () => Promise<SandboxKeys>, signal: AbortSignal): Promise<void> {
  const server = createMcpServer(keys, await packageVersion());
  const ended = Promise.race([once(process.stdin, "end"), once(signal, "abort")]);
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
