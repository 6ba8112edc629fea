import { type ParsedSql, parsePartsOfSql, parseSql } from "./parse-sql.ts";
import { calledMethods, type SqlSource, type SqlSources } from "./sql-sources.ts";

/** A feature of PostgreSQL that another database may lack, and the signs of its use. Any one sign is enough. */
interface Feature {
  /** Its name in `docs/reference/distribution.md`. */
  readonly name: string;
  /** Rules of the parser's grammar. */
  readonly rules?: readonly string[];
  /** Functions that are called. */
  readonly calls?: readonly string[];
  /** Words of a statement, separated by spaces, with texts as `''`; an operator's signs are separate. */
  readonly words?: RegExp;
  /** Methods of the query builder. */
  readonly methods?: readonly string[];
  /** Signs in the code, for features of the driver rather than of a statement. */
  readonly code?: RegExp;
}

const JSON_FUNCTIONS = [
  ...[
    "json_agg",
    "json_build_array",
    "json_build_object",
    "jsonb_array_elements_text",
    "jsonb_build_object",
    "jsonb_each_text",
  ],
  ...["jsonb_set", "jsonb_strip_nulls", "to_json", "to_jsonb"],
];

/** A `with` part, or a list of them, one of which changes rows. */
const WRITING_PART = /\bas (?:materialized )?\( (?:insert into|update|delete from)\b/;

export const FEATURES: readonly Feature[] = [
  { name: "foreign keys", rules: ["FOREIGN_KEY_CONSTRAINT", "REFERENCES_CONSTRAINT"] },
  { name: "`on delete cascade`", rules: ["ON_DELETE_ACTION"] },
  { name: "partial indexes", words: /\bcreate (?:unique )?index (?:concurrently )?(?:(?!;).)* where\b/ },
  { name: "unique partial indexes", words: /\bcreate unique index (?:(?!;).)* where\b/ },
  {
    name: "indexes on expressions",
    words: /\bcreate (?:unique )?index (?:(?!;| where ).)* on \w+ \( (?:(?!;| where ).)*\(/,
  },
  { name: "`create index concurrently`", words: /\b(?:create|drop) index concurrently\b/ },
  { name: "`nulls not distinct`", rules: ["NULLS_NOT_DISTINCT"] },
  { name: "`not valid`", rules: ["NOT_VALID"] },
  { name: "a check that calls a function of ours", words: /\bcheck \( (?:(?!;).)*\bwebhook_delivery_id \(/ },
  { name: "storage parameters", rules: ["ATTRIBUTE_LIST"] },
  { name: "views", rules: ["CREATE_VIEW"] },
  { name: "arrays as columns", words: /\b\w+ text \[ \] (?:not null|,|\))/ },
  { name: "`jsonb`", words: /\bjsonb\b/ },
  { name: "JSON functions and operators", calls: JSON_FUNCTIONS, words: /- >|# > >|@ >/ },
  { name: "regular expressions", words: / ~ / },
  { name: "collations", rules: ["COLLATE"] },
  { name: "functions in SQL", words: /\blanguage sql\b/ },
  { name: "functions in PL/pgSQL", words: /\blanguage plpgsql\b/ },
  {
    name: "`found`, `foreach`, `record` and `perform` of PL/pgSQL",
    words: /\bnot found\b|\bif found\b|\bforeach \w+ in array\b|\brecord ;|\bperform pg_/,
  },
  { name: "triggers", rules: ["CREATE_TRIGGER"] },
  {
    name: "triggers over all rows of a statement",
    rules: ["REFERENCING", "REFERENCING_TABLE", "TRANSITION_RELATION_NAME"],
  },
  { name: "`for update`", rules: ["FOR_UPDATE"], words: /\bfor update\b/, methods: ["forUpdate"] },
  {
    name: "`for share`, `for key share`, `for no key update`",
    rules: ["FOR_SHARE", "FOR_KEY_SHARE", "FOR_NO_KEY_UPDATE"],
    methods: ["forShare", "forKeyShare", "forNoKeyUpdate"],
  },
  { name: "`skip locked`", words: /\bskip locked\b/, methods: ["skipLocked"] },
  { name: "`on conflict`", rules: ["ON_CONFLICT_CLAUSE"], words: /\bon conflict\b/, methods: ["onConflict"] },
  { name: "`on conflict on constraint`", words: /\bon conflict on constraint\b/, code: /\bconflict\.constraint\(/ },
  { name: "`with` parts that write", words: WRITING_PART },
  { name: "`with … as materialized`", rules: ["MATERIALIZED"], words: /\bas materialized\b/ },
  { name: "`with recursive`", words: /\bwith recursive\b/, methods: ["withRecursive"] },
  { name: "`returning`", rules: ["RETURNING_CLAUSE"], methods: ["returning", "returningAll"] },
  {
    name: "`update … from`, `delete … using`",
    rules: ["USING_CLAUSE"],
    words: /\bupdate \w+ (?:as )?(?:\w+ )?set (?:(?!\bselect\b|;| where ).)* from\b/,
    methods: ["using"],
  },
  { name: "`distinct on`", words: /\bdistinct on\b/, methods: ["distinctOn"] },
  { name: "`lateral`", words: /\blateral\b/ },
  { name: "window functions", rules: ["OVER_CLAUSE", "WINDOW_SPEC"], calls: ["row_number"] },
  { name: "`filter (where …)`", rules: ["FILTER_CLAUSE"] },
  { name: "`unnest` of several arrays, `with ordinality`", calls: ["unnest"] },
  { name: "comparisons of rows", words: /\( \w+ , \w+ \) (?:in|>|<|=)/ },
  { name: "`at time zone`, intervals", rules: ["AT_TIME_ZONE", "INTERVAL_TYPE"] },
  {
    name: "`sha256`, `hashtext`, `encode`, `overlay`",
    rules: ["OVERLAY_FN"],
    calls: ["sha256", "hashtext", "encode", "overlay"],
  },
  { name: "advisory locks of a transaction", calls: ["pg_advisory_xact_lock"], words: /\bpg_advisory_xact_lock\b/ },
  { name: "advisory locks of a session", calls: ["pg_try_advisory_lock", "pg_advisory_unlock"] },
  { name: "settings of a transaction", calls: ["set_config"], words: /\bset local\b/ },
  { name: "settings of a session", words: /^(?:set|reset) \w+_timeout\b/ },
  { name: "named statements", code: /\bcreateHash\("sha256"\)\.update\(sql\)/ },
  { name: "`read committed` and `repeatable read`", code: /setIsolationLevel\(/ },
  // Features that nothing uses today.
  { name: "`listen`, `notify`", rules: ["LISTEN", "NOTIFY", "UNLISTEN"], calls: ["pg_notify"] },
  { name: "generated columns", rules: ["GENERATED_CONSTRAINT"], words: /\bgenerated (?:always|by default)\b/ },
  {
    name: "sequences and identity columns",
    rules: ["CREATE_SEQUENCE", "SEQUENCE"],
    calls: ["nextval", "currval", "setval"],
    words: /\b(?:big|small)?serial\b/,
  },
  { name: "exclusion constraints", rules: ["EXCLUDE_CONSTRAINT"] },
  {
    name: "deferrable constraints",
    rules: ["DEFERRABLE_CONSTRAINT_OPTION"],
    words: /\bdeferrable\b|\binitially deferred\b/,
  },
  { name: "temporary tables", words: /\bcreate (?:temp|temporary) table\b/ },
  { name: "unlogged tables", words: /\bunlogged\b/ },
  {
    name: "partitions and inheritance",
    rules: ["PARTITION_BY", "PARTITION_OF", "INHERITS"],
    words: /\bpartition (?:of|by (?:range|list|hash))\b|\binherits\b/,
  },
  { name: "materialized views", rules: ["CREATE_MATERIALIZED_VIEW"] },
  { name: "extensions", rules: ["CREATE_EXTENSION"] },
  { name: "custom types, domains and enums", rules: ["CREATE_TYPE", "CREATE_DOMAIN"] },
  { name: "row security", rules: ["CREATE_POLICY"] },
  { name: "rules", rules: ["CREATE_RULE"] },
  { name: "`merge`", rules: ["MERGE"], methods: ["mergeInto"] },
  { name: "`copy`", rules: ["COPY"] },
  { name: "cursors", words: /\bdeclare \w+ (?:\w+ )*cursor\b/, methods: ["stream"] },
  { name: "`lock table`, `truncate`", rules: ["LOCK", "TRUNCATE"] },
  { name: "two-phase commit", rules: ["PREPARE_TRANSACTION"] },
  { name: "savepoints", rules: ["SAVEPOINT"] },
  { name: "indexes of other kinds than B-tree", words: /\bcreate (?:unique )?index (?:(?!;).)* using (?!btree)\w+/ },
  {
    name: "text search",
    rules: ["CREATE_TEXT_SEARCH_CONFIGURATION"],
    calls: ["to_tsvector", "to_tsquery"],
    words: /@ @/,
  },
  {
    name: "clock and randomness of the database",
    calls: ["now", "random", "gen_random_uuid", "clock_timestamp"],
    words: /\bcurrent_(?:timestamp|date)\b/,
  },
];

/** Rules that all these databases support, and rules that only contain others. */
const PLAIN_RULES: ReadonlySet<string> = new Set(
  `ACCESS_EXCLUSIVE ADD_COLUMN ADD_CONSTRAINT ALL_FN ALTER_COLUMN ALTER_TABLE ANY_FN ARG ARG_LIST ARRAY_EXPR ARRAY_TYPE
  AS_FUNC_OPTION AS_NAME ATTRIBUTE_NAME ATTRIBUTE_OPTION ATTRIBUTE_VALUE BEGIN BETWEEN_EXPR BIN_EXPR CALL_EXPR
  CASE_EXPR CAST_EXPR CHECK_CONSTRAINT COLLATION_REF COLON_COLON COLUMN COLUMN_LIST COLUMN_NAME COLUMN_NAME_REF
  COLUMN_REF COLUMN_REF_LIST COMMIT COMPOUND_SELECT CONFIG_PARAMETER_REF CONFLICT_DO_NOTHING CONFLICT_DO_UPDATE_SET
  CONFLICT_INDEX_ITEM CONFLICT_INDEX_ITEM_LIST CONFLICT_ON_INDEX CONSTRAINT_NAME CONSTRAINT_NAME_CLAUSE
  CONSTRAINT_NAME_REF CREATE_FUNCTION CREATE_INDEX CREATE_TABLE CTE_NAME CUSTOM_OP DEFAULT_CONSTRAINT DELETE
  DISTINCT_CLAUSE DOUBLE_TYPE DROP_CONSTRAINT DROP_INDEX DROP_NOT_NULL DROP_TABLE ELSE_CLAUSE EXISTS_FN EXTRACT_FN
  FIELD_EXPR FROM_ALIAS FROM_CLAUSE FUNCTION_FROM_ITEM FUNCTION_NAME FUNC_OPTION_LIST GROUPING_EXPR GROUP_BY_CLAUSE
  GROUP_BY_LIST HAVING_CLAUSE IF_EXISTS IF_NOT_EXISTS INDEX INDEX_PARAMETERS INDEX_REF INSERT IS_DISTINCT_FROM IS_NOT
  IS_NOT_DISTINCT_FROM JOIN JOIN_CROSS JOIN_EXPR JOIN_INNER JOIN_LEFT JOIN_USING_CLAUSE LANGUAGE_FUNC_OPTION
  LANGUAGE_REF LIMIT_CLAUSE LITERAL LOCKING_CLAUSE NAME NAME_REF NOT_IN NOT_LIKE NOT_NULL_CONSTRAINT NULLS_FIRST
  NULLS_LAST ON_CLAUSE ON_RELATION OPTIONAL_AS_ALIAS ORDER_BY_CLAUSE OR_REPLACE PARALLEL_FUNC_OPTION PARAM PARAM_LIST
  PARAM_NAME PAREN_EXPR PAREN_FROM_ITEM PAREN_SELECT PARTITION_BY_CLAUSE PARTITION_ITEM PARTITION_ITEM_LIST PATH
  PATH_REF PATH_SEGMENT PATH_SEGMENT_REF PATH_TYPE PREFIX_EXPR PRIMARY_KEY_CONSTRAINT RELATION_FROM_ITEM RELATION_LIST
  RELATION_NAME RELATION_NAME_REF REQUIRED_AS_ALIAS RESET RETURN_FUNC_OPTION RET_TYPE ROLLBACK ROW ROW_LIST SELECT
  SELECT_CLAUSE SET SET_CLAUSE SET_COLUMN_LIST SET_CONFIG SET_EXPR SET_OPTIONS SET_SINGLE_COLUMN SORT_ASC SORT_BY
  SORT_BY_LIST SORT_DESC TABLE_ALIAS TABLE_ARG_LIST TABLE_NAME TABLE_NAME_REF TABLE_RELATION_NAME TABLE_RENAME_TO
  TARGET TARGET_LIST TIME_TYPE TIMING TRIGGER TRIGGER_EVENT TRIGGER_EVENT_LIST TRIGGER_EVENT_UPDATE TRIM_FN TUPLE_EXPR
  UNIQUE_CONSTRAINT UPDATE VALUES VIEW VOLATILITY_FUNC_OPTION WHEN_CLAUSE WHEN_CLAUSE_LIST WHERE_CLAUSE WITH_CLAUSE
  WITH_TABLE`
    .trim()
    .split(/\s+/),
);

const PLAIN_FUNCTIONS: ReadonlySet<string> = new Set(
  `all any array_append array_remove bool_and bool_or cardinality coalesce count current_schema exists extract floor greatest least
  length lower max min nullif octet_length split_part starts_with substr sum to_regclass trim`
    .trim()
    .split(/\s+/),
);

/** Methods of the query builder that produce only SQL that all these databases support. */
const PLAIN_METHODS: ReadonlySet<string> = new Set(
  `$if as case clearSelect columns compile executeQuery execute executeTakeFirst executeTakeFirstOrThrow deleteFrom distinct from fn
  groupBy having innerJoin insertInto leftJoin limit orderBy select selectAll selectFrom set transaction updateTable values where
  whereRef`
    .trim()
    .split(/\s+/),
);

/** The first words of PL/pgSQL statements; an assignment begins with its variable. */
const PLAIN_STATEMENTS = new Set(
  "begin continue declare delete elsif else end foreach if insert loop perform raise return select update".split(" "),
);

export interface UsedSql {
  /** The names of the used features, each with a file that uses it. */
  readonly features: ReadonlyMap<string, string>;
  /** A use that is neither plain nor a known feature, so its author must classify it. */
  readonly unknown: readonly string[];
}

/**
 * Finds the features of PostgreSQL that these sources use. `builderMethods` are the methods that the query builder has.
 */
export function usedSql(sources: SqlSources, builderMethods: ReadonlySet<string>): UsedSql {
  const migrations = parseSql(sources.migrations.map(({ text }) => text));
  const bodies = migrations.flatMap(({ bodies: of }, number) =>
    of.map((text) => ({ file: sources.migrations[number]?.file ?? "", text })),
  );
  const parsed = [
    ...withFiles(sources.migrations, migrations),
    ...withFiles(sources.texts, parsePartsOfSql(sources.texts.map(({ text }) => text))),
    ...withFiles(bodies, parseSql(bodies.map(({ text }) => text))),
  ];
  const methods = sources.code.flatMap((source) =>
    calledMethods(source)
      .filter((name) => builderMethods.has(name))
      .map((name) => ({ file: source.file, name })),
  );
  const features = new Map<string, string>();
  for (const feature of FEATURES) {
    const file =
      parsed.find(({ sql }) => isIn(feature, sql))?.file ??
      methods.find(({ name }) => feature.methods?.includes(name))?.file ??
      sources.code.find(({ text }) => feature.code?.test(text))?.file;
    if (file !== undefined) features.set(feature.name, file);
  }
  const own = new Set(
    migrations.flatMap(({ words }) => [...words.matchAll(/\bcreate function (\w+)/g)].map(([, name]) => name)),
  );
  const unknown = [
    ...parsed.flatMap(({ file, sql }) => unknownIn(sql, own).map((what) => `${file}: ${what}`)),
    ...methods.filter(({ name }) => !isKnownMethod(name)).map(({ file, name }) => `${file}: ${name}()`),
    ...bodies.flatMap(({ file, text }, at) =>
      unknownStatements(text, parsed.at(at - bodies.length)?.sql).map((word) => `${file}: ${word} in PL/pgSQL`),
    ),
  ];
  return { features, unknown: [...new Set(unknown)] };
}

interface Placed {
  readonly file: string;
  readonly sql: ParsedSql;
}

function withFiles(sources: readonly SqlSource[], parsed: readonly ParsedSql[]): Placed[] {
  return parsed.map((sql, number) => ({ file: sources[number]?.file ?? "", sql }));
}

function isIn({ rules = [], calls = [], words }: Feature, sql: ParsedSql): boolean {
  return (
    rules.some((rule) => sql.rules.has(rule)) ||
    calls.some((name) => sql.calls.has(name) || sql.words.includes(`${name} (`)) ||
    words?.test(sql.words) === true
  );
}

const FEATURE_RULES = new Set(FEATURES.flatMap(({ rules = [] }) => rules));
const FEATURE_CALLS = new Set(FEATURES.flatMap(({ calls = [] }) => calls));
const FEATURE_METHODS = new Set(FEATURES.flatMap(({ methods = [] }) => methods));

/** The rules of an incomplete part are a guess, but its words and calls are parsed. */
function unknownIn({ rules, calls, isWhole }: ParsedSql, own: ReadonlySet<string | undefined>): string[] {
  const isKnownRule = (rule: string) => PLAIN_RULES.has(rule) || FEATURE_RULES.has(rule);
  const isKnownCall = (name: string) => PLAIN_FUNCTIONS.has(name) || FEATURE_CALLS.has(name) || own.has(name);
  return [
    ...(isWhole ? [...rules].filter((rule) => !isKnownRule(rule)) : []),
    ...(isWhole ? [...calls].filter((name) => !isKnownCall(name)).map((name) => `${name}()`) : []),
  ];
}

function isKnownMethod(name: string): boolean {
  return PLAIN_METHODS.has(name) || FEATURE_METHODS.has(name);
}

/** Statements of a PL/pgSQL body that begin with an unknown word. */
function unknownStatements(body: string, sql: ParsedSql | undefined): string[] {
  if (sql === undefined || !/^\s*(?:declare|begin)\b/i.test(body)) return [];
  const code = sql.words.slice(sql.words.indexOf("begin"));
  const begun = [...code.matchAll(/(?:^|;|\bbegin|\bthen|\belse|\bloop) (\w+)\b(?! : =)/g)];
  return begun
    .map(([, word = ""]) => word)
    .filter((word) => !PLAIN_STATEMENTS.has(word) && !isOfExpression(code, word));
}

/** `case … then x else y` in a body looks like the start of a statement. */
function isOfExpression(code: string, word: string): boolean {
  return new RegExp(`\\b(?:then|else) (?:'' )?${word}\\b(?! ;)`).test(code) && /\bcase\b/.test(code);
}
