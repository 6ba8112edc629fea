/** Reads a list page by page, each page after the last item of the previous one, until a page is empty. */
export async function readAllPages<Item>(
  readPage: (last: Item | null) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (;;) {
    const page = await readPage(items.at(-1) ?? null);
    if (page.length === 0) return items;
    items.push(...page);
  }
}
