import { html } from "../../platform/http/html.ts";
import { PACKAGES, tarballUrl } from "../packages.ts";
import { codeBlock, prose } from "../prose.ts";
import { type Page, section, table } from "./layout.ts";
import type { Site } from "./site.ts";

const RECEIVER = "http://127.0.0.1:3000/webhooks";

const commands = [
  ["aapd-dev sandbox", "keys of the sandbox without an account, kept in `.aapd/sandbox.json`; they live for a month"],
  ["aapd-dev env", "the variables that the code of this guide reads"],
  ["aapd-dev listen --forward-to URL", "your webhooks on a machine without an address, each with what became of it"],
  [
    "aapd-dev trigger SCENARIO",
    "an order's life: paid, declined, approved, access blocked, charged back; `--help` lists them",
  ],
  ["aapd-dev clock +45d", "your sandbox's time, with all that falls due"],
  ["aapd-dev logs", "your latest calls with request id, status and why"],
  ["aapd-dev open", "a checkout of a new order in your browser"],
  [
    "aapd-dev doctor",
    "examines your page and your receiver, says which line to change, and ends with 1 where it finds a mistake",
  ],
  ["aapd-dev mcp", "the sandbox as tools of the Model Context Protocol, for assistants that write code"],
] as const;

/** The packages, and the sandbox from a terminal. */
export function toolsPage({ deployment: { orderApiUrl, widgetHostUrl, environment } }: Site): Page {
  const install = `npm install ${tarballUrl("@aapd/server", widgetHostUrl)}
npx aapd-dev sandbox --api ${orderApiUrl} --origin http://127.0.0.1:3000
eval "$(npx aapd-dev env)"
npx aapd-dev listen --forward-to ${RECEIVER} &
npx aapd-dev trigger paid`;
  const doctor = `npx aapd-dev doctor --page http://127.0.0.1:3000/pay --webhook ${RECEIVER}`;
  return {
    path: "/docs/tools",
    title: "Packages and aapd-dev",
    lead: "Four packages, and the sandbox from your terminal: from an empty folder to a verified webhook in a minute.",
    body: html`${section(
      "packages",
      "Packages",
      html`<p>npm and pnpm install them by their addresses. A version never changes; <a href="${widgetHostUrl}/packages/index.json">the list</a> has the hash of each.</p>
${table(
  "Packages",
  ["Package", "For"],
  PACKAGES.map(([name, words]) => [
    html`<a href="${tarballUrl(name, widgetHostUrl)}"><code>${name}</code></a>`,
    prose(words),
  ]),
)}`,
    )}
${environment === "staging" ? section("begin", "From an empty folder", codeBlock(install, "shell", "in your terminal")) : ""}
${section(
  "commands",
  "aapd-dev",
  html`<p>Each command takes <code>--json</code>, and <code>--help</code> with examples. It works in staging.</p>
${table(
  "Commands",
  ["Command", "What it does"],
  commands.map(([name, words]) => [html`<code>${name}</code>`, prose(words)]),
)}`,
)}
${section(
  "doctor",
  "Examined before you go live",
  html`<p>In your continuous integration too: it takes the keys from the variables of <code>aapd-dev env</code>.</p>
${codeBlock(doctor, "shell", "in your terminal")}`,
)}
${section(
  "assistants",
  "For assistants",
  html`<p><code>${orderApiUrl}/llms.txt</code> lists this guide as Markdown, and <code>${orderApiUrl}/SKILL.md</code> is the way from an empty folder to a paid order, for an assistant that writes it.</p>`,
)}`,
  };
}
