import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { examineFolder } from "./examine-folder.ts";
import type { SandboxKeys } from "./keys.ts";
import { createMcpServer } from "./mcp.ts";
import { packageVersion } from "./package-version.ts";

interface ServedFolder {
  readonly keys: () => Promise<SandboxKeys>;
  /** The folder of the partner's project. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Serves until the other side closes the input, or the command is stopped. */
export async function serveMcp({ keys, folder, signal }: ServedFolder): Promise<void> {
  const examine = (examined: Parameters<typeof examineFolder>[1]) => examineFolder(folder, examined);
  const server = createMcpServer({ keys, examine, version: await packageVersion() });
  const ended = Promise.race([once(process.stdin, "end"), once(signal, "abort")]);
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
