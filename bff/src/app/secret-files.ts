import { readFileSync } from "node:fs";
import { PARTY_CONNECTOR_TOKENS } from "./party-connectors.ts";

/**
 * Variables that may name a file with their value instead, such as `CONNECTOR_TOKEN_FILE`: anyone who can list
 * processes may see variables, but not a protected file.
 */
export const SECRET_VARIABLES = [
  "DATABASE_URL",
  "CONNECTOR_TOKEN",
  "CONNECTOR_TOKEN_BEFORE",
  ...PARTY_CONNECTOR_TOKENS,
  "SMTP_URL",
  "MESSAGING_TOKEN",
  "FILES_S3_ACCESS_KEY_ID",
  "FILES_S3_SECRET_ACCESS_KEY",
  "AAPD_OPERATOR_TOKEN",
  "OPERATOR_SIGN_IN_CLIENT_SECRET",
] as const;

type VariablesRead =
  | { readonly variables: NodeJS.ProcessEnv }
  /** One line for each variable that cannot be read, without its value. */
  | { readonly refusals: readonly string[] };

/** The variables, with the values of those that name a file. An empty variable counts as not set. */
export function readSecretFiles(environment: NodeJS.ProcessEnv): VariablesRead {
  const variables: NodeJS.ProcessEnv = { ...environment };
  const refusals: string[] = [];
  for (const name of SECRET_VARIABLES) {
    const path = environment[`${name}_FILE`];
    if (path === undefined || path === "") continue;
    if (environment[name] !== undefined && environment[name] !== "") {
      refusals.push(`${name}_FILE: ${name} is set as well; set only one of them`);
      continue;
    }
    try {
      // Editors and shells end a file with a line break, which is not part of the secret.
      variables[name] = readFileSync(path, "utf8").trim();
      if (variables[name] === "") refusals.push(`${name}_FILE: the file is empty`);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      refusals.push(`${name}_FILE: the file cannot be read (${code})`);
    }
  }
  return refusals.length === 0 ? { variables } : { refusals };
}
