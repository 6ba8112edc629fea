/** Whether a content security policy lets the page use a source; a missing directive falls back as in browsers. */
export function allows(policy: string, directive: "script-src" | "frame-src", source: string): boolean {
  const directives = directivesOf(policy);
  const fallbacks =
    directive === "frame-src" ? ["frame-src", "child-src", "default-src"] : ["script-src", "default-src"];
  const name = fallbacks.find((one) => directives.has(one));
  if (name === undefined) return true;
  const sources = directives.get(name) ?? [];
  // A nonce or hash with strict-dynamic lets the page's own scripts load the kit, whatever hosts are named.
  if (directive === "script-src" && sources.includes("'strict-dynamic'")) return true;
  return sources.some((given) => matches(given, new URL(source)));
}

export function isUnsafe(policy: string): boolean {
  const directives = directivesOf(policy);
  const sources = directives.get("script-src") ?? directives.get("default-src") ?? [];
  const hasNonceOrHash = sources.some((source) => /^'(?:nonce|sha\d+)-/.test(source));
  return sources.includes("'unsafe-eval'") || (sources.includes("'unsafe-inline'") && !hasNonceOrHash);
}

/** The flags of the directive `sandbox`; null without it. */
export function sandboxOf(policy: string): readonly string[] | null {
  return directivesOf(policy).get("sandbox") ?? null;
}

function directivesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  const parts = policy.split(";").map((part) => part.trim().split(/\s+/));
  return new Map(parts.map(([name = "", ...sources]) => [name.toLowerCase(), sources]));
}

function matches(given: string, { origin, protocol, hostname, host }: URL): boolean {
  if (given === "*") return true;
  if (/^https?:$/.test(given)) return given === protocol;
  if (given.startsWith("*.")) return hostname.endsWith(given.slice(1));
  return given.replace(/\/.*$/, "") === host || (URL.canParse(given) && new URL(given).origin === origin);
}
