import { schema } from "../src/app/config.ts";
import { SECRET_VARIABLES } from "../src/app/secret-files.ts";

/** The text of `docs/reference/configuration.md`. Variables with the same default and description share a row. */
export function writeConfiguration(): string {
  const namesByText = new Map<string, string[]>();
  for (const [name, variable] of Object.entries(schema.shape)) {
    const { description, unset } = variable.meta() ?? {};
    if (description === undefined) continue;
    const text = `${String(unset ?? defaultOf(variable))} | ${description}`;
    namesByText.set(text, [...(namesByText.get(text) ?? []), `\`${name}\``]);
  }
  const rows = Array.from(namesByText, ([text, names]) => `| ${names.join(", ")} | ${text} |`);
  return `${HEAD}${rows.join("\n")}\n${FOOT}`;
}

function defaultOf(variable: (typeof schema.shape)[keyof typeof schema.shape]): string {
  return `\`${String(variable.parse(undefined))}\``;
}

const HEAD = `# Configuration

Generated from \`src/app/config.ts\` by \`pnpm exec vitest run src/app/config-document.test.ts -u\`. Every variable is read
once, at start. If one is invalid, the process names it and does not start. An empty variable counts as not set. In
production, addresses are https, except on the same machine.

| Variable | Default | What it sets |
|---|---|---|
`;

const FOOT = `
To read a secret from a file, append \`_FILE\` to its variable and set it to the file's path, as in
\`DATABASE_URL_FILE=/run/secrets/database\`. The secrets:
${inLines(SECRET_VARIABLES.map((name) => `\`${name}\``).join(", "))}.

\`pnpm build\` reads \`VITE_SEALING_KEY_PINS\`: the thumbprints (RFC 7638), separated by commas, of the keys for which the
widget seals cards and passwords; without it every key is accepted. \`pnpm start\` also reads \`DEMO_PORT\` (4000) and
\`PRODUCT_DATA_DIR\` (\`.data\`), \`pnpm dev\` also \`WIDGET_DEV_PORT\` (4031).
`;

/** Breaks a list into lines of at most 120 characters. */
function inLines(text: string): string {
  return text.replaceAll(/(.{1,119})(?: |$)/g, "$1\n").trimEnd();
}
