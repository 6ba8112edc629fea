import { expect, test } from "vitest";
import { readBlocks, withValues } from "./read-blocks.ts";

const document = `# A product

## Before

\`\`\`sh
never
\`\`\`

## Going

1. First:

   \`\`\`sh
   one
     two
   \`\`\`

   \`\`\`nginx
   not a shell's
   \`\`\`

2. Then:

\`\`\`sh
three
\`\`\`

## After

\`\`\`sh
never
\`\`\`
`;

test("the shell blocks of a section are read in order, without those of other sections", () =>
  expect(readBlocks(document, "Going")).toEqual(["one\n  two\n", "three\n"]));

test("a missing section is an error", () => expect(() => readBlocks(document, "Coming")).toThrow("no section Coming"));

test("only the given variables of a block get other values", () => {
  const block = 'cat > env <<"END"\nURL=https://a\nTOKEN=x\nEND\nexport URL=b\n';
  expect(withValues(block, { URL: "http://c", NONE: "1" })).toBe(
    'cat > env <<"END"\nURL=http://c\nTOKEN=x\nEND\nexport URL=b\n',
  );
});
