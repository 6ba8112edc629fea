import { PAGE_ITEMS_MAX } from "../../src/gateways/connector/protocol.ts";

/** Reads a gateway's list page by page, each after the last item of the one before, until a page is not full. */
export async function readAllPages<Item>(
  readPage: (last: Item | null) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (;;) {
    const page = await readPage(items.at(-1) ?? null);
    items.push(...page);
    if (page.length < PAGE_ITEMS_MAX) return items;
  }
}
