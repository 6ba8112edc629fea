import { type SandboxKeys, variablesOf } from "../keys.ts";
import { type Finding, mistake } from "./finding.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables that each check reads. */
const READ_BY = {
  keys: ["ORDER_API", "SPOT_API", "CLIENT_SECRET", "PUBLIC_KEY"],
  page: ["WIDGET_HOST"],
  webhook: ["SPOT_API", "PUBLIC_KEY", "SECRET_KEY", "WEBHOOK_SECRET"],
  payment: ["ORDER_API", "SPOT_API", "WIDGET_HOST", "CLIENT_SECRET", "CLIENT_ID", "PUBLIC_KEY"],
  account: ["SPOT_API", "PUBLIC_KEY", "SECRET_KEY"],
} as const;

/** The variables that a check reads and `keys` lacks. An unset variable is an empty text in `keys`. */
export function unsetFor(check: keyof typeof READ_BY, keys: SandboxKeys): string[] {
  const values = variablesOf(keys);
  return READ_BY[check].filter((name) => values[name] === "");
}

/**
 * The keys that the partner's program uses: the variables or, if none is set, the folder's keys. Null if there are
 * neither. An unset variable takes the folder's value if the others agree with the folder; otherwise it is empty.
 */
export function keysToExamine(
  kept: SandboxKeys | null,
  variables: Variables,
  requested: { readonly page?: unknown; readonly webhook?: unknown } = {},
): { readonly keys: SandboxKeys; readonly findings: readonly Finding[] } | null {
  const ofFile = kept === null ? null : variablesOf(kept);
  const names = Object.keys(variablesOf(NO_KEYS));
  const given = names.filter((name) => variables[name] !== undefined);
  if (given.length === 0) return kept === null ? null : { keys: kept, findings: [] };
  const set = given.filter((name) => !isEmpty(variables[name]));
  const different = ofFile === null ? [] : set.filter((name) => ofFile[name] !== variables[name]);
  const value = (name: string) =>
    (set.includes(name) ? variables[name] : different.length === 0 ? ofFile?.[name] : undefined) ?? "";
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
  const checks = (["keys", "account", "page", "webhook"] as const).filter(
    (check) => (check !== "page" && check !== "webhook") || requested[check] !== undefined,
  );
  const needed: readonly string[] = checks.flatMap((check) => READ_BY[check]);
  const lacking = names.filter((name) => !set.includes(name) && (given.includes(name) || needed.includes(name)));
  return { keys, findings: judgeVariables(lacking, different) };
}

/** Programs write a missing value as an empty text, or as its name. */
function isEmpty(value = ""): boolean {
  return /^(?:|undefined|null)$/.test(value.trim());
}

function judgeVariables(lacking: readonly string[], different: readonly string[]): Finding[] {
  if (lacking.length > 0)
    return [
      mistake(
        "variable_missing",
        `${lacking.join(", ")} ${lacking.length === 1 ? "is" : "are"} not set in this terminal, while other variables are.`,
        'eval "$(npx aapd-dev env)" in the terminal that starts your program, or the same lines in its .env',
      ),
    ];
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
