import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as z from "zod";
import { listPages, readText, searchDocs } from "./docs.ts";
import type { SandboxKeys } from "./keys.ts";
import { addTool, READS } from "./mcp-tool.ts";
import { CommandRefused } from "./output.ts";

const SCHEME = "aapd://guide";
const MARKDOWN = "text/markdown";

/** The guide: each page as a resource, and a search. */
export function addGuide(server: McpServer, keys: () => Promise<SandboxKeys>): void {
  const pages = async () => {
    const { order_api } = (await keys()).addresses;
    return (await listPages(order_api)).map((page) => ({ ...page, uri: SCHEME + page.address.pathname }));
  };
  server.registerResource(
    "guide",
    new ResourceTemplate(`${SCHEME}/{+path}`, {
      list: async () => ({
        resources: (await pages()).map(({ uri, title, lead }) => ({
          uri,
          name: title,
          description: lead,
          mimeType: MARKDOWN,
        })),
      }),
    }),
    { title: "The integration guide", description: "Its pages, as /llms.txt lists them.", mimeType: MARKDOWN },
    async ({ href }) => {
      const page = (await pages()).find(({ uri }) => uri === href);
      if (page === undefined) throw new CommandRefused(`The guide has no page ${href}. List the resources.`);
      return { contents: [{ uri: href, mimeType: MARKDOWN, text: await readText(page.address) }] };
    },
  );
  addTool(server, {
    name: "search_docs",
    title: "Search the guide",
    description: "Search the integration guide; answers the best passages with their addresses.",
    annotations: READS,
    input: { query: z.string().describe("words that the passage should have") },
    output: { passages: z.array(z.looseObject({ address: z.string(), heading: z.string(), text: z.string() })) },
    answer: async ({ query }) => ({ passages: await searchDocs((await keys()).addresses.order_api, query) }),
  });
}
