import { type SandboxKeys, variablesOf } from "../keys.ts";
import { type Finding, mistake } from "./finding.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Without one of these the program of the guide cannot make its first call. */
const NEEDED = ["ORDER_API", "SPOT_API", "CLIENT_SECRET", "PUBLIC_KEY"] as const;

/**
 * The keys that the partner's program uses: the variables and, for those that are not set, the folder's keys. Null if
 * there are neither.
 */
export function keysToExamine(
  kept: SandboxKeys | null,
  variables: Variables,
): { readonly keys: SandboxKeys; readonly findings: readonly Finding[] } | null {
  const ofFile = kept === null ? null : variablesOf(kept);
  const names = Object.keys(variablesOf(NO_KEYS));
  const given = names.filter((name) => variables[name] !== undefined);
  if (given.length === 0) return kept === null ? null : { keys: kept, findings: [] };
  const value = (name: string) => variables[name] ?? ofFile?.[name] ?? "";
  const keys: SandboxKeys = {
    provider: { id: value("PROVIDER_ID"), name: kept?.provider.name ?? "", rut: kept?.provider.rut ?? "" },
    credentials: {
      client_secret: value("CLIENT_SECRET"),
      client_id: value("CLIENT_ID"),
      public_key: value("PUBLIC_KEY"),
      webhook_secret: value("WEBHOOK_SECRET"),
      secret_key: value("SECRET_KEY"),
    },
    addresses: { order_api: value("ORDER_API"), spot_api: value("SPOT_API"), widget_host: value("WIDGET_HOST") },
    ends_at: "",
  };
  return { keys, findings: judgeVariables(variables, { given, ofFile }) };
}

function judgeVariables(
  variables: Variables,
  { given, ofFile }: { readonly given: readonly string[]; readonly ofFile: Variables | null },
): Finding[] {
  const isEmpty = (name: string) => /^(?:|undefined|null)$/.test((variables[name] ?? "").trim());
  const empty = given.filter(isEmpty);
  const missing = NEEDED.filter((name) => variables[name] === undefined);
  const lacking = [...empty, ...missing];
  if (lacking.length > 0)
    return [
      mistake(
        "variable_missing",
        `${lacking.join(", ")} ${lacking.length === 1 ? "is" : "are"} not set in this terminal, while other variables are.`,
        'eval "$(npx aapd-dev env)" in the terminal that starts your program, or the same lines in its .env',
      ),
    ];
  const different = ofFile === null ? [] : given.filter((name) => ofFile[name] !== variables[name]);
  return different.length === 0
    ? []
    : [
        mistake(
          "keys_differ",
          `${different.join(", ")} differ from .aapd/sandbox.json: your program uses one provider, aapd-dev another.`,
          'eval "$(npx aapd-dev env)", or remove .aapd/',
        ),
      ];
}

const NO_KEYS: SandboxKeys = {
  provider: { id: "", name: "", rut: "" },
  credentials: { client_secret: "", client_id: "", public_key: "", webhook_secret: "", secret_key: "" },
  addresses: { order_api: "", spot_api: "", widget_host: "" },
  ends_at: "",
};
