import { createHash } from "node:crypto";
import { relative } from "node:path";

type Name = (name: string, file: string) => string;

/** A class name on the page. Short, because every patient's phone loads all of them, and the same in every build. */
export const scopedName: Name = uniqueNames(shortName);

/** Refuses a name that two classes would share, because each would get the other's style. */
export function uniqueNames(shorten: (owner: string) => string): Name {
  const owners = new Map<string, string>();
  return (name, file) => {
    const owner = `${relative(`${import.meta.dirname}/..`, file)}.${name}`;
    const short = shorten(owner);
    const other = owners.get(short) ?? owner;
    if (other !== owner) throw new Error(`${other} and ${owner} would both be named ${short}: rename one of them`);
    owners.set(short, owner);
    return short;
  };
}

/** A letter followed by three letters or digits. */
export function shortName(owner: string): string {
  const number = createHash("sha256").update(owner).digest().readUIntBE(0, 6);
  const letter = String.fromCharCode("a".charCodeAt(0) + (number % 26));
  return letter + (Math.floor(number / 26) % 36 ** 3).toString(36).padStart(3, "0");
}
