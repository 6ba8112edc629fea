/** The shell blocks of one section of a Markdown document, in order, without their indentation. */
export function readBlocks(document: string, heading: string): readonly string[] {
  const start = document.indexOf(`\n## ${heading}\n`);
  if (start === -1) throw new Error(`The document has no section ${heading}.`);
  const section = document.slice(start + 1).split(/\n(?=## )/)[0] ?? "";
  return [...section.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent = "", text = ""]) =>
    text
      .split("\n")
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join("\n"),
  );
}

/** A block with other values for some of its variables, which it sets as `NAME=value` at the start of a line. */
export function withValues(block: string, values: Readonly<Record<string, string>>): string {
  return block.replaceAll(/^([A-Z][A-Z0-9_]*)=.*$/gm, (line, name: string) => {
    const value = values[name];
    return value === undefined ? line : `${name}=${value}`;
  });
}
