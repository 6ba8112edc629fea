import { schema } from "./config.ts";
import { SECRET_VARIABLES } from "./secret-files.ts";

/** The text of `docs/reference/configuration.md`. */
export function writeConfiguration(): string {
  const rows = Object.entries(schema.shape).flatMap(([name, variable]) => {
    const { description, unset } = variable.meta() ?? {};
    return description === undefined
      ? []
      : [`| \`${name}\` | ${String(unset ?? defaultOf(variable))} | ${description} |`];
  });
  return `${HEAD}${rows.join("\n")}\n${FOOT}`;
}

function defaultOf(variable: (typeof schema.shape)[keyof typeof schema.shape]): string {
  return `\`${String(variable.parse(undefined))}\``;
}

const HEAD = `# Configuration

Generated from \`src/app/config.ts\` by \`pnpm exec vitest run src/app/config-document.test.ts -u\`. Every variable is read
once, at start. If one is invalid, the process names it and does not start. An empty variable counts as not set.

| Variable | Default | What it sets |
|---|---|---|
`;

const FOOT = `
To read a secret from a file, append \`_FILE\` to its variable and set it to the file's path, as in
\`DATABASE_URL_FILE=/run/secrets/database\`. The secrets:

${SECRET_VARIABLES.map((name) => `- \`${name}\``).join("\n")}

\`pnpm build\` reads \`VITE_SEALING_KEY_PINS\`: the thumbprints (RFC 7638), separated by commas, of the keys for which the
widget seals cards and passwords; without it every key is accepted. \`pnpm start\` also reads \`DEMO_PORT\` (4000) and
\`PRODUCT_DATA_DIR\` (\`.data\`), \`pnpm dev\` also \`WIDGET_DEV_PORT\` (4031).
`;
