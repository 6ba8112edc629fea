/**
 * A planted bug, never part of the product: statements of the service lock no rows. Loaded before the program (`pnpm
 * crash --plant without-row-locks`).
 */
import pg from "pg";

const { query } = pg.Client.prototype;

/** @param {string} text */
const withoutLocks = (text) => text.replaceAll(/\bfor (?:no key )?update(?: of \w+)?(?: skip locked)?/gi, "");

/**
 * @this {pg.Client}
 * @param {unknown[]} given
 */
pg.Client.prototype.query = function planted(...given) {
  const [first, ...rest] = given;
  if (typeof first === "string") return Reflect.apply(query, this, [withoutLocks(first), ...rest]);
  if (typeof first === "object" && first !== null && "text" in first && typeof first.text === "string")
    return Reflect.apply(query, this, [{ ...first, text: withoutLocks(first.text) }, ...rest]);
  return Reflect.apply(query, this, given);
};
