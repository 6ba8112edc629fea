/** A change of a statement's text: [start, end) is replaced by `replacement`. */
export interface SqlChange {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** A word, a number, an operator, a bracket or a quoted text. A placeholder counts as a word. */
interface Token {
  /** In lower case. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The number of open brackets and `case`s around it. */
  readonly depth: number;
}

/** The placeholder, of the same length. */
const FILLED_IN = "¤";
const TOKEN = /--[^\n]*|'(?:[^']|'')*'|[\w¤"][\w¤".]*|[-+*/<>=~!@#%^&|?]+|::|\S/g;

/** Each comparison, and its inclusive or exclusive counterpart. */
export const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
]);
/** The words after which a condition begins. */
const BEFORE_CONDITION: ReadonlySet<string> = new Set(["where", "on", "having", "when", "and", "or"]);
/** The words before which a condition ends; a closing bracket ends it too. */
const AFTER_CONDITION: ReadonlySet<string> = new Set([
  ...[
    "and",
    "or",
    "then",
    "as",
    "from",
    "set",
    "where",
    "on",
    "having",
    "group",
    "order",
    "limit",
    "offset",
    "for",
    "returning",
  ],
  ...["union", "except", "intersect", "window", "do", "join", "inner", "cross", "full", "left", "right", ",", ";"],
]);

/**
 * The changes of a statement that a test should notice. A condition is removed (true, or false as one side of an `or`),
 * a comparison includes or excludes its bound, or rows are reversed. A limit or a lock is removed, or a lock waits
 * instead of skipping. An `and` does not become an `or`, because a test that notices the missing side notices that too.
 */
export function sqlChanges(text: string): readonly SqlChange[] {
  const tokens = tokensOf(text);
  const ofWhole = tokens[0]?.text === "select" ? [] : withoutFirst(tokens, -1);
  const changes = tokens.flatMap((token, place) => {
    const compared = COMPARISONS.get(token.text);
    if (compared !== undefined) return [{ start: token.start, end: token.end, replacement: compared }];
    if (isBeforeCondition(tokens, place)) return withoutCondition(tokens, place);
    if (token.text === "(") return withoutFirst(tokens, place);
    if (token.text === "by" && tokens[place - 1]?.text === "order") return opposite(tokens, place);
    if (token.text === "limit") return [leftOut(tokens, place, endAfter(tokens, place))];
    if (token.text === "for") return withoutLock(tokens, place);
    return [];
  });
  return [...ofWhole, ...changes];
}

/**
 * A template's text with spaces for the code around it, and marks for placeholders, so that positions equal those of
 * the file.
 */
export function maskFilledIn(
  text: string,
  filledIn: readonly { readonly start: number; readonly end: number }[],
): string {
  return filledIn.reduce(
    (masked, { start, end }) => masked.slice(0, start) + FILLED_IN.repeat(end - start) + masked.slice(end),
    text,
  );
}

function tokensOf(text: string): readonly Token[] {
  let depth = 0;
  return [...text.matchAll(TOKEN)].flatMap(({ 0: written, index }) => {
    if (written.startsWith("--")) return [];
    const word = written.toLowerCase();
    if ([")", "]", "end"].includes(word)) depth -= 1;
    const token = { text: word, start: index, end: index + written.length, depth };
    if (["(", "[", "case"].includes(word)) depth += 1;
    return [token];
  });
}

function isBeforeCondition(tokens: readonly Token[], place: number): boolean {
  const [before, { text } = { text: "" }, after] = [tokens[place - 1], tokens[place], tokens[place + 1]];
  if (!BEFORE_CONDITION.has(text) || after === undefined || after.text === "true") return false;
  if (text === "on") return after.text !== "conflict" && before?.text !== "distinct";
  if (text === "when") return isSearchedCase(tokens, place);
  return text !== "and" || !isOfRange(tokens, place);
}

/** Not `case a when b`, whose `when` compares. */
function isSearchedCase(tokens: readonly Token[], place: number): boolean {
  const depth = tokens[place]?.depth ?? 0;
  const opening = tokens.slice(0, place).findLastIndex((one) => one.depth === depth - 1);
  return tokens[opening + 1]?.text === "when";
}

/** The `and` of `between a and b`. */
function isOfRange(tokens: readonly Token[], place: number): boolean {
  const depth = tokens[place]?.depth ?? 0;
  const same = tokens.slice(0, place).filter((one) => one.depth === depth);
  return (same.findLast(({ text }) => BEFORE_CONDITION.has(text) || text === "between") ?? same[0])?.text === "between";
}

/** The end of the clause that begins at a place, at a depth. */
function endOf(tokens: readonly Token[], start: number, depth: number): number {
  const length = tokens
    .slice(start)
    .findIndex(
      (one, index) =>
        one.depth < depth || (one.depth === depth && index > 0 && isAfterCondition(tokens, start + index)),
    );
  return length < 0 ? tokens.length : start + length;
}

/** The end of the clause that follows a word. */
function endAfter(tokens: readonly Token[], place: number): number {
  return endOf(tokens, place + 1, tokens[place]?.depth ?? 0);
}

function isAfterCondition(tokens: readonly Token[], place: number): boolean {
  const text = tokens[place]?.text ?? "";
  if (text === "from") return tokens[place - 1]?.text !== "distinct";
  if (["left", "right"].includes(text)) return tokens[place + 1]?.text !== "(";
  if (text === "and" && isOfRange(tokens, place)) return false;
  return AFTER_CONDITION.has(text);
}

function withoutCondition(tokens: readonly Token[], place: number): SqlChange[] {
  const end = endAfter(tokens, place);
  if (isKnownById(tokens, place + 1, end) || isKnownByOrder(tokens, place + 1, end)) return [];
  const word = tokens[place]?.text;
  const isOneOfMany = word === "or" || tokens[end]?.text === "or";
  if (word === "when") return ["true", "false"].map((answer) => replaced(tokens, place + 1, end, answer));
  return [replaced(tokens, place + 1, end, isOneOfMany ? "false" : "true")];
}

/**
 * `a.provider_id = b.provider_id and a.id = b.…`: ids are unique across providers, so the provider only speeds up the
 * lookup. Not if the provider or the id is a given value.
 */
function isKnownById(tokens: readonly Token[], start: number, end: number): boolean {
  const [left, equals, right] = tokens.slice(start, end).map(({ text }) => text);
  const [and, id, equalsToo, other] = tokens.slice(end, end + 4).map(({ text }) => text);
  return (
    end - start === 3 &&
    [left, right].every((text) => text?.endsWith("provider_id")) &&
    [id, other].every((text) => text !== undefined && /(?:^|[._])id$/.test(text) && !text.endsWith("provider_id")) &&
    [and, equals, equalsToo].join(" ") === "and = ="
  );
}

/**
 * `provider_id = … and order_id = …`: no two providers share an order id. The provider is checked where the order
 * itself is found by its `id`, which has mutants.
 */
function isKnownByOrder(tokens: readonly Token[], start: number, end: number): boolean {
  const [left, equals] = tokens.slice(start, end).map(({ text }) => text);
  const [and, id, equalsToo] = tokens.slice(end, end + 3).map(({ text }) => text);
  return (
    isProviderColumn(left) && isOrderColumn(id) && end - start === 3 && [equals, and, equalsToo].join(" ") === "= and ="
  );
}

/** Whether a word names the column of a row's owner. */
export function isProviderColumn(word = ""): boolean {
  return /(?:^|\.)provider_id$/.test(word);
}

/** Whether a word names the column of a row's order. */
export function isOrderColumn(word = ""): boolean {
  return /(?:^|\.)order_id$/.test(word);
}

/** The first condition in a bracket, `(a or b)`, or in a text that is part of a statement. */
function withoutFirst(tokens: readonly Token[], before: number): SqlChange[] {
  const start = before + 1;
  if (BEFORE_CONDITION.has(tokens[start]?.text ?? "")) return [];
  const end = endOf(tokens, start, tokens[start]?.depth ?? 0);
  const next = tokens[end]?.text ?? "";
  if (isKnownByOrder(tokens, start, end)) return [];
  return ["and", "or"].includes(next) ? [replaced(tokens, start, end, next === "or" ? "false" : "true")] : [];
}

/** The order with its first key reversed. */
function opposite(tokens: readonly Token[], place: number): SqlChange[] {
  const end = endAfter(tokens, place);
  const key = tokens.slice(place + 1, end);
  const direction = key.find(({ depth, text }) => depth === tokens[place]?.depth && ["asc", "desc"].includes(text));
  if (direction?.text === "desc") return [{ start: direction.start, end: direction.end, replacement: "asc" }];
  const last = direction ?? key.find((_, index) => key[index + 1]?.text === "nulls") ?? key.at(-1);
  if (last === undefined) return [];
  const start = direction?.start ?? last.end;
  return [{ start, end: last.end, replacement: direction === undefined ? " desc" : "desc" }];
}

/** `for update`, `for share` and the like, and whether they skip locked rows. */
function withoutLock(tokens: readonly Token[], place: number): SqlChange[] {
  if (!["update", "share", "no", "key"].includes(tokens[place + 1]?.text ?? "")) return [];
  const end = endAfter(tokens, place);
  const skip = tokens.slice(place, end).findIndex(({ text }) => text === "skip");
  return [leftOut(tokens, place, end), ...(skip < 0 ? [] : [leftOut(tokens, place + skip, end)])];
}

function replaced(tokens: readonly Token[], from: number, to: number, replacement: string): SqlChange {
  return { start: tokens[from]?.start ?? 0, end: tokens[to - 1]?.end ?? 0, replacement };
}

function leftOut(tokens: readonly Token[], from: number, to: number): SqlChange {
  return replaced(tokens, from, to, "");
}
