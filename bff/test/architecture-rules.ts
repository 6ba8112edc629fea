import type { IForbiddenRuleType } from "dependency-cruiser";

/**
 * Which folders may import which. Paths are regular expressions from the repository's root; `$1` in a `to` is the first
 * group of its `from`. To allow a new import, widen the one rule that covers it and give the reason in its comment.
 */

/**
 * The rooms of `bff/src`, from the lowest up: a room imports only rooms before it. The two programs, `main.ts` and
 * `aapd.ts`, are not rooms.
 */
export const rooms = [
  "contract",
  "platform",
  "gateways",
  "tenants",
  "patients",
  "notifications",
  "orders",
  "webhooks",
  "checkout",
  "frame",
  "collection",
  "claims",
  "settlement",
  "partner-client",
  "partner-docs",
  "self-service",
  "back-office",
  "app",
] as const;

/**
 * Every room builds on these, and on the ledger's rows: a room that moves money writes ledger rows in its own
 * transaction.
 */
const ground = [
  "^bff/src/contract/",
  "^bff/src/platform/",
  "^bff/src/orders/(?:ledger/(?:transfers|transfer-store)|books)[.]ts$",
];
/** Rooms with a part of the product. The rooms below them have no tables of patients or orders. */
export const features = [
  "orders",
  "webhooks",
  "notifications",
  "collection",
  "tenants",
  "patients",
  "checkout",
  "frame",
  "claims",
  "settlement",
  "self-service",
] as const;
const feature = `^bff/src/(${features.join("|")})/`;
const sameFeature = "^bff/src/$1/";
const composition = "^bff/src/app/";
const store = "-store[.]ts$";
const routes = "(?:^|[/-])routes[.]ts$";
/** Tests that compare values and words with the copies that `@aapd/e2e` ships, which can import neither. */
const comparesCopies = "/(?:e2e-catalogue|e2e-words)[.]test[.]ts$";
const tests = "[.]test[.]tsx?$";
const zod = "node_modules/zod/";
const sandbox = "^bff/sandbox/";
const connectors = "^bff/connectors/";
/** The outside parties that the sandbox plays, each in a separate folder, and their shared code. */
const sandboxParties = "bank|card-processor|financing-provider|identity-registry|insurer|messenger|tax-documents";
/** Adapters to parties: chosen in app, and unknown to features. */
const adapters =
  "http-gateways|connector|insurer-callbacks|sealing-key-store|smtp-adapter|smtp-failure|open-file-storage";
const sandboxShared = "calls|sealing";

/**
 * Pure decisions: functions of facts and time. A file named here may import vocabulary and other such files. Add new
 * files of decisions here.
 */
export const domainFiles: readonly string[] = [
  "bff/src/checkout/plans/plan-status.ts",
  "bff/src/checkout/widget-token.ts",
  "bff/src/claims/expenses/expense-fields.ts",
  "bff/src/claims/expenses/expense.ts",
  "bff/src/orders/identity-tries.ts",
  "bff/src/orders/ledger/transfers.ts",
  "bff/src/orders/quote.ts",
  "bff/src/orders/order-amounts.ts",
  "bff/src/orders/order-record.ts",
  "bff/src/orders/order-view.ts",
  "bff/src/orders/order.ts",
  "bff/src/orders/quote.ts",
  "bff/src/orders/readiness.ts",
  "bff/src/orders/order-amounts.ts",
  "bff/src/orders/refunds/refund-allocation.ts",
  "bff/src/platform/provider.ts",
  "bff/src/platform/santiago-time.ts",
  "bff/src/self-service/my-data/rights.ts",
];
const domain = `^(?:${domainFiles.map((file) => file.replaceAll(".", "[.]")).join("|")})$`;

/** Every room builds on them, so their folders are open. */
export const OPEN_ROOMS: readonly string[] = ["contract", "platform"];

/**
 * How many files of the closed rooms other rooms import: in all, and without those that only `app` imports to put the
 * process together. Before you add one, look for a file of the room that already has its subject. Lower a number when
 * there are fewer.
 */
export const DOORS_MAX = { all: 152, withoutApp: 110 };

/** One rule for each room whose folders are closed. */
const doorRules = rooms
  .filter((room) => !OPEN_ROOMS.includes(room))
  .map((room) => ({
    name: `${room}-has-doors`,
    comment: `Other rooms import only the files at the top of ${room}; its folders are its own.`,
    from: { path: "^bff/src/", pathNot: [tests, `^bff/src/${room}/`] },
    // A kind of notification is one file, with its texts and the facts that it needs.
    to: { path: `^bff/src/${room}/[^/]+/`, pathNot: "^bff/src/notifications/kinds/" },
  }));

/** One rule for each room but the highest: it imports none of the rooms above it. */
const roomRules = rooms.slice(0, -1).map((room, floor) => ({
  name: `${room}-looks-down`,
  comment: `Arrows run down: ${room} stands below ${rooms.slice(floor + 1).join(", ")}.`,
  from: { path: `^bff/src/${room}/`, pathNot: tests },
  to: { path: `^bff/src/(?:${rooms.slice(floor + 1).join("|")})/` },
}));

export const dependencyRules: readonly (IForbiddenRuleType & { name: string; comment: string })[] = [
  {
    name: "everything-resolves",
    comment: "An import that this check cannot follow is one that it cannot judge.",
    from: {},
    // Partners install that package together with this one.
    to: { couldNotResolve: true, pathNot: "^@aapd/server/sandbox$" },
  },
  {
    name: "no-cycles",
    comment: "What imports in a circle is one thing in several files.",
    from: { path: "^bff/(?:src|sandbox|connectors)/" },
    to: { circular: true },
  },
  {
    name: "packages-meet-at-exports",
    comment: "A package is imported by its name, through a declared subpath, and never by a path into its folders.",
    from: { path: "^(bff|widget|host-demo|e2e)/", pathNot: comparesCopies },
    to: { path: "^(?:bff|widget|host-demo|e2e)/", pathNot: "^$1/", dependencyTypes: ["local"] },
  },
  {
    name: "bff-exports-its-contract-only",
    comment: "Other packages know the wire (contract), and what partners have: the client and the doctor.",
    from: { path: "^(widget|host-demo|e2e)/" },
    to: {
      path: "^bff/",
      pathNot: ["^bff/src/(contract|partner-client)/", "^bff/packages/server/src/dev/doctor/doctor[.]ts$"],
    },
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
    from: { path: "^bff/", pathNot: comparesCopies },
    to: { path: "^(widget|host-demo|e2e)/" },
  },
  {
    name: "widget-knows-bff-only",
    comment: "The widget is mounted by host pages; it knows none of them.",
    from: { path: "^widget/", pathNot: comparesCopies },
    to: { path: "^(host-demo|e2e)/" },
  },
  {
    name: "nothing-knows-the-browser-tests",
    comment: "They come last.",
    from: { path: "^(bff|widget|host-demo)/", pathNot: comparesCopies },
    to: { path: "^e2e/" },
  },
  {
    name: "embed-kit-stands-alone",
    comment: "It runs in partners' pages: no React, no schemas, none of the widget's code.",
    from: { path: "^widget/embed/", pathNot: tests },
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
    name: "packages-know-what-partners-know",
    comment: "A package for partners holds the wire and the client, and no part of the service.",
    from: { path: "^bff/packages/", pathNot: tests },
    to: { path: "^bff/", pathNot: "^bff/(?:packages|src/contract|src/partner-client)/" },
  },
  ...doorRules,
  ...roomRules,
  {
    name: "features-know-ports-only",
    comment: "Which adapter answers is chosen in app.",
    from: { path: feature, pathNot: tests },
    to: { path: `^bff/src/gateways/(?:[^/]+/|(?:${adapters})[.]ts$)` },
  },
  {
    name: "gateways-do-not-know-each-other",
    comment: "A protocol is one party's. What all of them share is the connector's.",
    from: { path: `^bff/src/gateways/protocols/(${sandboxParties})[.]ts$`, pathNot: tests },
    to: { path: `^bff/src/gateways/(?:protocols/)?(?:${sandboxParties})[.]ts$`, pathNot: "/$1[.]ts$" },
  },
  {
    name: "service-knows-no-sandbox",
    comment: "Production is built without it: the program of staging brings it along through app/sandbox-port.ts.",
    from: { path: "^bff/src/", pathNot: tests },
    to: { path: sandbox },
  },
  {
    name: "connectors-are-outside",
    comment:
      "A connector is a process of its own: it knows the protocol and the platform. Its command is one of aapd's.",
    from: { path: connectors, pathNot: [tests, "/connector-commands[.]ts$"] },
    to: { path: "^bff/", pathNot: ["^bff/src/(?:contract|platform|gateways|partner-docs)/", connectors] },
  },
  {
    name: "service-knows-no-connector",
    comment: "The service speaks the protocol, to whoever answers.",
    from: { path: "^bff/src/" },
    to: { path: connectors },
  },
  {
    name: "sandbox-parties-are-outside",
    comment: "They know the protocol that they speak and the platform, and nothing of who calls them.",
    from: { path: `^bff/sandbox/(?:${sandboxParties}|${sandboxShared})/`, pathNot: tests },
    to: { path: "^bff/", pathNot: ["^bff/src/(?:contract|platform|gateways)/", sandbox] },
  },
  {
    name: "sandbox-parties-do-not-know-each-other",
    comment: "The insurer cannot look into the card processor's tables.",
    from: { path: `^bff/sandbox/(${sandboxParties})/`, pathNot: tests },
    to: { path: sandbox, pathNot: `^bff/sandbox/(?:$1|${sandboxShared})/` },
  },
  {
    name: "sql-in-stores-only",
    comment: "Elsewhere Kysely is a type at most.",
    from: { path: "^bff/(?:src|sandbox)/", pathNot: [tests, store, "^bff/src/platform/"] },
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
    comment: "A store turns rows into domain values: it calls no operation, no other feature and no gateway.",
    from: { path: `${feature}.*${store}`, pathNot: tests },
    to: { path: "^bff/src/", pathNot: [...ground, sameFeature] },
  },
  {
    name: "stores-know-no-routes",
    comment: "routes → operation → store.",
    from: { path: store },
    to: { path: routes },
  },
  {
    name: "stores-know-no-requests",
    comment:
      "What a store reads or writes for a request it gives as columns and rows; how a request goes is known above it.",
    from: { path: `^bff/src/(?!platform/).*${store}` },
    to: { path: "^bff/src/platform/http/" },
  },
  {
    name: "routes-call-operations",
    comment: "routes → operation → store: a route does not reach past its operation.",
    from: { path: routes },
    to: { path: [store, "node_modules/kysely/"] },
  },
  {
    name: "routes-are-mounted-not-used",
    comment: "Only what puts the process together, and the sandbox's own list of routes, mount routes.",
    from: { path: "^bff/src/", pathNot: [tests, composition, routes] },
    to: { path: routes },
  },
  {
    name: "stores-of-a-folder-are-its-own",
    comment: "Payouts and reconciliation, links and rights, tokens and sign-up do not read each other's tables.",
    from: { path: "^bff/src/(checkout|claims|settlement|self-service)/([^/]+)/", pathNot: tests },
    to: { path: `^bff/src/$1/[^/]+/.*${store}`, pathNot: "^bff/src/$1/$2/" },
  },
  {
    name: "stores-and-routes-are-private",
    comment: "A feature is used through its operations; its tables and addresses are its own.",
    from: { path: feature, pathNot: tests },
    to: { path: `(?:${store}|${routes})`, pathNot: [sameFeature, ...ground] },
  },
  {
    name: "http-tests-use-the-surface",
    comment:
      "A test speaks HTTP or calls an operation, so that a store can change without it. Statements whose effect no request shows are tested in test/http/stores.",
    from: { path: "^bff/test/http/", pathNot: "^bff/test/http/stores/" },
    to: { path: `^bff/src/(?:${[...features, "back-office"].join("|")})/.*${store}` },
  },
  {
    name: "domain-imports-vocabulary-only",
    comment: "Decide, then do: a decision is a pure function of what it is given. A hash is one too.",
    from: { path: domain },
    to: { pathNot: ["^bff/src/contract/", domain, "^(?:node:)?crypto$"] },
  },
  {
    name: "nothing-imports-main",
    comment: "It is where a process begins.",
    from: {},
    to: { path: "^(?:(?:bff|host-demo)/src|bff/sandbox)/main[.]ts$" },
  },
  {
    name: "product-knows-no-tests",
    comment: "What is delivered needs nothing that only tests have.",
    from: { path: "^(bff|widget|host-demo)/(src|sandbox|connectors|embed)/", pathNot: [tests, "/test/"] },
    to: { path: [tests, "^(bff|widget|host-demo)/test/"] },
  },
  {
    name: "product-needs-no-development-packages",
    comment: "What is imported at run time is installed in production, which runs on PostgreSQL alone.",
    from: {
      path: "^bff/(?:src|sandbox|connectors)/",
      pathNot: [tests, "^bff/src/platform/database/pglite-pool[.]ts$"],
    },
    to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
  },
];

export interface WordRule {
  name: string;
  comment: string;
  /** Files that the rule covers, and its exceptions. */
  files: RegExp;
  except: RegExp;
  forbidden: RegExp;
}

/** Checks on text, for rules that no import shows. Comments are ignored. */
export const wordRules: readonly WordRule[] = [
  {
    name: "time-is-given",
    comment: "A moved or simulated clock is the only clock: nothing below main.ts reads the time by itself.",
    files: /^bff\/(?:src|sandbox|connectors)\/.*\.ts$/,
    except:
      /(?:\.test|connector-commands)\.ts$|^bff\/src\/(platform|back-office\/cli|partner-client)\/|^bff\/src\/(app\/run-service|aapd)\.ts$/,
    forbidden: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|(?<![.\w])set(Timeout|Interval)\(/,
  },
  {
    name: "randomness-is-given",
    comment: "One seed replays a run: ids and secrets come from what is passed in.",
    files: /^bff\/(?:src|sandbox|connectors)\/.*\.ts$/,
    except:
      /(?:\.test|connector-commands)\.ts$|^bff\/src\/(platform|back-office\/cli|partner-client)\/|^bff\/src\/(app\/run-service|aapd)\.ts$/,
    forbidden: /\bMath\.random\b|\b(randomUUID|randomBytes|randomInt|getRandomValues)\(/,
  },
  {
    name: "network-is-for-gateways",
    comment: "Every call to somebody outside goes through a gateway's port.",
    files: /^bff\/src\/.*\.ts$/,
    except:
      /\.test\.ts$|^bff\/src\/(platform|gateways|back-office\/cli|partner-client)\/|^bff\/src\/(frame\/open-widget|app\/check-health)\.ts$/,
    forbidden: /(?<![.\w])fetch\(|\bimport (?!type\b)[^;"]*"(undici|node:(https?|http2|net|tls))"/,
  },
  {
    name: "sql-reads-no-clock-and-no-dice",
    comment: "Time and ids come into a statement from the program.",
    files: /^bff\/((?:src|sandbox)\/.*-store\.ts|migrations\/.*\.sql)$/,
    except: /^$/,
    forbidden:
      /\b(now|random|gen_random_uuid|clock_timestamp|statement_timestamp)\(\)|\bcurrent_(timestamp|date|time)\b/i,
  },
  {
    name: "hooks-are-events",
    comment:
      "What a room above does in a transaction of a room below is a listener of `within`, and no function of it.",
    files: /^bff\/src\/.*\bdependencies\.ts$/,
    except: /^$/,
    forbidden: /\btx: Transaction\b/,
  },
  {
    name: "no-bins",
    comment: "A file is named after the thing or the rule that it holds.",
    files: /^(bff|widget|host-demo|e2e)\/.*(^|\/)(utils?|helpers?|common|misc|types|constants|index)(\/|\.tsx?$)/,
    // A package exports its entry under this name.
    except: /^(?:widget\/embed|(?:bff|widget|e2e)\/packages\/\w+\/src)\/index\.tsx?$/,
    forbidden: /[\s\S]/,
  },
];
