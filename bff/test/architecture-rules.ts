import type { IForbiddenRuleType } from "dependency-cruiser";

/**
 * Who may import whom. Paths are regular expressions from the repository's root; `$1` in a `to` is the first group of its
 * `from`. To allow something new, widen the one rule that names it, and say in its comment why.
 *
 * The folders of `bff/src`: the ground that everybody stands on (contract, platform, what a provider is, and the ledger's
 * rows, which whoever moves money writes in its own transaction), the parties outside, the records that features share, the
 * features, and what puts them together (main, server, context, cli, sandbox).
 */
const ground = [
  "^bff/src/contract/",
  "^bff/src/platform/",
  "^bff/src/providers/provider[.]ts$",
  "^bff/src/ledger/(?:accounts|transfers|transfer-store)[.]ts$",
];
const notFeatures = "contract|platform|outside|sandbox|cli|partner-client";
const feature = `^bff/src/(?!(?:${notFeatures})/)([^/]+)/`;
/** What every feature needs to know of a person, a partner or a consent; used through their operations like any feature. */
const records = "^bff/src/(?:consents|people|providers)/";
const store = "-store[.]ts$";
const routes = "(?:^|[/-])routes[.]ts$";
const tests = "[.]test[.]tsx?$";
const zod = "node_modules/zod/";
const sandbox = "^bff/src/sandbox/";
const sandboxParty = "^bff/src/outside/(?:[^/]+/sandbox|sandbox-party/)";

/**
 * What decides, and nothing else: pure functions of facts and time. A file named here may import vocabulary and others
 * of its kind; a new file of decisions is added here.
 */
export const domainFiles: readonly string[] = [
  "bff/src/expenses/expense-fields.ts",
  "bff/src/expenses/expense.ts",
  "bff/src/ledger/accounts.ts",
  "bff/src/ledger/transfers.ts",
  "bff/src/orders/identity-tries.ts",
  "bff/src/orders/instalment-plan.ts",
  "bff/src/orders/order-record.ts",
  "bff/src/orders/order-view.ts",
  "bff/src/orders/order.ts",
  "bff/src/orders/quote.ts",
  "bff/src/orders/readiness.ts",
  "bff/src/orders/refund-allocation.ts",
  "bff/src/patient-rights/rights.ts",
  "bff/src/platform/santiago-time.ts",
  "bff/src/providers/provider.ts",
  "bff/src/subscriptions/subscription-status.ts",
  "bff/src/widget-tokens/widget-token.ts",
];
const domain = `^(?:${domainFiles.map((file) => file.replaceAll(".", "[.]")).join("|")})$`;

export const dependencyRules: readonly (IForbiddenRuleType & { name: string; comment: string })[] = [
  {
    name: "everything-resolves",
    comment: "An import that this check cannot follow is one that it cannot judge.",
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: "no-cycles",
    comment: "What imports in a circle is one thing in several files.",
    from: { path: "^bff/src/" },
    to: { circular: true },
  },
  {
    name: "packages-meet-at-exports",
    comment: "A package is imported by its name, through a declared subpath, and never by a path into its folders.",
    from: { path: "^(bff|widget|host-demo|e2e)/" },
    to: { path: "^(?:bff|widget|host-demo|e2e)/", pathNot: "^$1/", dependencyTypes: ["local"] },
  },
  {
    name: "bff-exports-its-contract-only",
    comment: "Other packages know the wire (contract) and the client for partners, and nothing inside.",
    from: { path: "^(widget|host-demo|e2e)/" },
    to: { path: "^bff/", pathNot: "^bff/src/(contract|partner-client)/" },
  },
  {
    name: "widget-exports-its-embed-kit-only",
    comment: "A page meets the checkout through the embed kit.",
    from: { path: "^(host-demo|e2e)/" },
    to: { path: "^widget/", pathNot: "^widget/embed/" },
  },
  {
    name: "bff-knows-no-other-package",
    comment: "It serves the widget's built files; it does not import them.",
    from: { path: "^bff/" },
    to: { path: "^(widget|host-demo|e2e)/" },
  },
  {
    name: "widget-knows-bff-only",
    comment: "The widget is mounted by host pages; it knows none of them.",
    from: { path: "^widget/" },
    to: { path: "^(host-demo|e2e)/" },
  },
  {
    name: "nothing-knows-the-browser-tests",
    comment: "They come last.",
    from: { path: "^(bff|widget|host-demo)/" },
    to: { path: "^e2e/" },
  },
  {
    name: "embed-kit-stands-alone",
    comment:
      "It runs in partners' pages: no React (but in its React component), no schemas, none of the widget's code.",
    from: { path: "^widget/embed/", pathNot: [tests, "^widget/embed/react[.]tsx$"] },
    to: { pathNot: "^widget/embed/" },
  },
  {
    name: "contract-stands-alone",
    comment: "Browsers load it: contract and zod, no platform, no Node.",
    from: { path: "^bff/src/contract/", pathNot: tests },
    to: { pathNot: ["^bff/src/contract/", zod] },
  },
  {
    name: "partner-client-knows-only-the-contract",
    comment: "It is what a partner installs.",
    from: { path: "^bff/src/partner-client/", pathNot: tests },
    to: { pathNot: ["^bff/src/(contract|partner-client)/", zod], dependencyTypesNot: ["core"] },
  },
  {
    name: "platform-knows-no-feature",
    comment: "The ground does not stand on what is built on it.",
    from: { path: "^bff/src/platform/", pathNot: tests },
    to: { path: "^bff/src/", pathNot: ground },
  },
  {
    name: "outside-knows-no-feature",
    comment: "A port is in our words, but the parties behind it do not know who asks.",
    from: { path: "^bff/src/outside/", pathNot: tests },
    to: { path: "^bff/src/", pathNot: [...ground, "^bff/src/outside/"] },
  },
  {
    name: "features-know-ports-only",
    comment: "Which adapter answers is chosen in context.ts.",
    from: { path: feature, pathNot: tests },
    to: { path: "^bff/src/outside/[^/]+/", pathNot: "/port[.]ts$" },
  },
  {
    name: "sandbox-parties-are-chosen-in-context",
    comment:
      "Only where implementations are chosen, and on the sandbox's own routes, is a party known to be a sandbox.",
    from: {
      path: "^bff/src/",
      pathNot: [tests, sandboxParty, "^bff/src/(context|main)[.]ts$", "^bff/src/(cli|sandbox)/"],
    },
    to: { path: sandboxParty },
  },
  {
    name: "parties-do-not-know-each-other",
    comment:
      "The insurer's sandbox cannot look into the card processor's. What all adapters share is the connector's, what all sandboxes share is sandbox-party's.",
    from: { path: "^bff/src/outside/([^/]+)/", pathNot: tests },
    to: {
      path: "^bff/src/outside/[^/]+/",
      pathNot: ["^bff/src/outside/(?:$1|connector|sandbox-party)/", "/port[.]ts$"],
    },
  },
  {
    name: "sandbox-is-known-to-the-sandbox-only",
    comment: "In production there is none: only what puts the process together may name it.",
    from: {
      path: "^bff/src/",
      pathNot: [tests, sandbox, "^bff/src/(context|main|server)[.]ts$", "^bff/src/cli/"],
    },
    to: { path: sandbox },
  },
  {
    name: "sql-in-stores-only",
    comment: "Elsewhere Kysely is a type at most.",
    from: { path: "^bff/src/", pathNot: [tests, store, "^bff/src/platform/"] },
    to: { path: "node_modules/kysely/", dependencyTypesNot: ["type-only"] },
  },
  {
    name: "drivers-in-platform-only",
    comment: "Which database it is, PGlite or PostgreSQL, is known in one folder.",
    from: { path: "^bff/src/", pathNot: [tests, "^bff/src/platform/database/"] },
    to: { path: "node_modules/(pg|@electric-sql/pglite)/" },
  },
  {
    name: "stores-are-the-bottom",
    comment: "A store turns rows into domain values: it calls no operation, no other feature and no party outside.",
    from: { path: `^bff/src/(?!platform/)([^/]+)/.*${store}`, pathNot: tests },
    to: { path: "^bff/src/", pathNot: [...ground, "^bff/src/$1/"] },
  },
  {
    name: "stores-know-no-routes",
    comment: "routes → operation → store.",
    from: { path: store },
    to: { path: routes },
  },
  {
    name: "routes-call-operations",
    comment: "routes → operation → store: a route does not reach past its operation.",
    from: { path: routes },
    to: { path: [store, "node_modules/kysely/"] },
  },
  {
    name: "routes-are-mounted-not-used",
    comment: "Only the server, and the sandbox's own list of routes, mount routes.",
    from: { path: "^bff/src/", pathNot: [tests, "^bff/src/(server|context|main)[.]ts$", routes] },
    to: { path: routes },
  },
  {
    name: "stores-and-routes-are-private",
    comment: "A feature is used through its operations; its tables and addresses are its own.",
    from: { path: feature, pathNot: tests },
    to: { path: [store, routes], pathNot: ["^bff/src/$1/", ...ground] },
  },
  {
    name: "orders-import-no-feature",
    comment:
      "The others react downstream, through the outbox. What patients accepted is no business of its own: it is kept with the step for which it was asked.",
    from: { path: "^bff/src/orders/", pathNot: tests },
    to: { path: feature, pathNot: ["^bff/src/orders/", records, ...ground] },
  },
  {
    name: "records-know-no-feature",
    comment: "Every feature may ask them, so they ask none.",
    from: { path: records, pathNot: tests },
    to: { path: feature, pathNot: records },
  },
  {
    name: "domain-imports-vocabulary-only",
    comment: "Decide, then do: a decision is a pure function of what it is given.",
    from: { path: domain },
    to: { pathNot: ["^bff/src/contract/", domain] },
  },
  {
    name: "nothing-imports-main",
    comment: "It is where a process begins.",
    from: {},
    to: { path: "^(bff|host-demo)/src/main[.]ts$" },
  },
  {
    name: "product-knows-no-tests",
    comment: "What is delivered needs nothing that only tests have.",
    from: { path: "^(bff|widget|host-demo)/(src|embed)/", pathNot: [tests, "/test/"] },
    to: { path: [tests, "^(bff|widget|host-demo)/test/"] },
  },
  {
    name: "product-needs-no-development-packages",
    comment: "What is imported at run time is installed in production.",
    from: { path: "^bff/src/", pathNot: tests },
    to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
  },
];

export interface WordRule {
  name: string;
  comment: string;
  /** Files that the rule is about, and those of them that it is not. */
  files: RegExp;
  except: RegExp;
  forbidden: RegExp;
}

/** What no import shows. Comments are not looked at. */
export const wordRules: readonly WordRule[] = [
  {
    name: "time-is-given",
    comment: "A moved or simulated clock is the only clock: nothing below main.ts reads the time by itself.",
    files: /^bff\/src\/.*\.ts$/,
    except: /\.test\.ts$|^bff\/src\/(platform|cli|partner-client)\/|^bff\/src\/main\.ts$/,
    forbidden: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|(?<![.\w])set(Timeout|Interval)\(/,
  },
  {
    name: "randomness-is-given",
    comment: "One seed replays a run: ids and secrets come from what is passed in.",
    files: /^bff\/src\/.*\.ts$/,
    except: /\.test\.ts$|^bff\/src\/(platform|cli|partner-client)\/|^bff\/src\/main\.ts$/,
    forbidden: /\bMath\.random\b|\b(randomUUID|randomBytes|randomInt|getRandomValues)\(/,
  },
  {
    name: "network-is-outside",
    comment: "Every call to another party goes through a port.",
    files: /^bff\/src\/.*\.ts$/,
    except: /\.test\.ts$|^bff\/src\/(platform|outside|cli|partner-client)\/|^bff\/src\/(main|server|open-widget)\.ts$/,
    forbidden: /(?<![.\w])fetch\(|\bimport (?!type\b)[^;"]*"(undici|node:(https?|http2|net|tls))"/,
  },
  {
    name: "sql-reads-no-clock-and-no-dice",
    comment: "Time and ids come into a statement from the program.",
    files: /^bff\/(src\/.*-store\.ts|migrations\/.*\.sql)$/,
    except: /^$/,
    forbidden:
      /\b(now|random|gen_random_uuid|clock_timestamp|statement_timestamp)\(\)|\bcurrent_(timestamp|date|time)\b/i,
  },
  {
    name: "no-bins",
    comment: "A file is named after the thing or the rule that it holds.",
    files: /^(bff|widget|host-demo|e2e)\/.*(^|\/)(utils?|helpers?|common|misc|types|constants|index)(\/|\.tsx?$)/,
    except: /^widget\/embed\/index\.ts$/,
    forbidden: /[\s\S]/,
  },
];
