/* Both functions run in the page, so they may only refer to themselves. */

/**
 * The amounts, percentages, dates and other numbers that are broken across lines. A number is a word of digits and
 * their marks: `$12.000`, `7,5%`, `12/34`. Words with letters, such as ids and addresses, may be broken; so may "5 de
 * enero", unless `areDatesKept`.
 */
export function brokenNumbers(areDatesKept: boolean): readonly string[] {
  const months = Array.from({ length: 12 }, (_, month) =>
    ["es-CL", "en"].map((locale) => new Date(2026, month).toLocaleDateString(locale, { month: "long" })),
  ).flat();
  const mark = "[-−+]?\\$?\\d(?:[\\d.,:/-]*[\\dkK])?%?";
  const date = areDatesKept ? `\\d{1,2}\\s(?:de\\s)?(?:${months.join("|")})|` : "";
  const number = new RegExp(`(?<![^\\s(«“"·])(?:${date}${mark})(?=[\\s).,;:»”"·]|$)`, "g");
  const runs = new Map<Element, Text[][]>();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest("script, style, noscript") !== null) continue;
    const own = runs.get(parent) ?? [];
    const last = own.at(-1);
    // React renders `{a}{b}` as two adjacent nodes, so a number may begin in one and end in the other.
    if (last !== undefined && last.at(-1)?.nextSibling === node) last.push(node);
    else own.push([node]);
    runs.set(parent, own);
  }
  const spotIn = (nodes: readonly Text[], offset: number, isEnd: boolean): [Text, number] | undefined => {
    let before = 0;
    for (const node of nodes) {
      const inside = offset - before;
      if (isEnd ? inside <= node.data.length : inside < node.data.length) return [node, inside];
      before += node.data.length;
    }
    return undefined;
  };
  return [...runs.values()].flat().flatMap((nodes) => {
    const text = nodes.map(({ data }) => data).join("");
    return [...text.matchAll(number)].flatMap(({ 0: word, index }) => {
      const [start, end] = [spotIn(nodes, index, false), spotIn(nodes, index + word.length, true)];
      if (start === undefined || end === undefined) return [];
      const range = document.createRange();
      range.setStart(...start);
      range.setEnd(...end);
      const [first, ...others] = [...range.getClientRects()].filter(({ width }) => width > 0);
      return first !== undefined && others.some(({ top }) => top >= first.bottom - 1) ? [word] : [];
    });
  });
}

/**
 * The amounts and percentages of lists and tables that are not aligned with the others of their list, or not at its
 * edge. An amount counts if it is its element's whole text.
 */
export function unalignedAmounts(): readonly string[] {
  const amount = /^[-−]?(\$\d[\d.]*|\d+([.,]\d+)?%)$/;
  const lists = document.querySelectorAll<HTMLElement>("dl, ol, ul");
  return [...lists].flatMap((list) => {
    const amounts = [...list.querySelectorAll("*")].filter(
      (element) => element.childElementCount === 0 && amount.test(element.textContent.trim()),
    );
    return amounts.flatMap((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      const { right, width } = text.getBoundingClientRect();
      if (width === 0 || element.closest("dl, ol, ul") !== list) return [];
      const { paddingRight, borderRightWidth } = getComputedStyle(list);
      const edge =
        list.getBoundingClientRect().right - Number.parseFloat(paddingRight) - Number.parseFloat(borderRightWidth);
      return Math.abs(right - edge) > 1
        ? [`${element.textContent} ends ${Math.round(edge - right)} px before the edge`]
        : [];
    });
  });
}

/** Replaces every amount on the page with the largest possible one, or a shorter one. */
export function putLargestAmounts(): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
    node.data = node.data.replace(/\$\d[\d.]*\d/g, "$$999.999.999");
  }
}

/** The boxes that only their background distinguishes, which forced colours remove. */
export function boxesWithoutBorder(): readonly string[] {
  return [...document.querySelectorAll("main *")].flatMap((element) => {
    const { backgroundColor, paddingLeft, borderTopWidth } = getComputedStyle(element);
    const isBox = backgroundColor !== "rgba(0, 0, 0, 0)" && Number.parseFloat(paddingLeft) > 0;
    return isBox && Number.parseFloat(borderTopWidth) === 0 ? [`${element.localName}.${element.className}`] : [];
  });
}
