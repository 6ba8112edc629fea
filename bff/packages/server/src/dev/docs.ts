/** A passage of the guide. */
export interface Passage {
  readonly address: string;
  readonly heading: string;
  readonly text: string;
}

const PASSAGES_SHOWN = 5;
const PASSAGE_LENGTH_MAX = 2_000;

/** A page of the guide, as `/llms.txt` lists it. */
export interface GuidePage {
  readonly title: string;
  /** Of its Markdown. */
  readonly address: URL;
  readonly lead: string;
}

export async function listPages(orderApi: string): Promise<readonly GuidePage[]> {
  const index = await readText(new URL("/llms.txt", orderApi));
  return [...index.matchAll(/^- \[(.+?)\]\((\S+?\.md)\): (.*)$/gm)].map(([, title = "", address = "", lead = ""]) => ({
    title,
    address: new URL(address, orderApi),
    lead,
  }));
}

/** The passages of the guide that contain most of the words, best first. */
export async function searchDocs(orderApi: string, query: string): Promise<readonly Passage[]> {
  const listed = await listPages(orderApi);
  const pages = await Promise.all(listed.map(async ({ address }) => passagesOf(address.href, await readText(address))));
  return bestOf(pages.flat(), query);
}

/** A page's parts, each under its heading. A comment in a sample is no heading. */
export function passagesOf(address: string, markdown: string): Passage[] {
  const parts: string[][] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    if (parts.length === 0 || (!isCode && /^#{1,4} /.test(line))) parts.push([]);
    parts.at(-1)?.push(line);
  }
  return parts.flatMap(([first = "", ...rest]) => {
    const text = rest.join("\n").trim();
    if (text === "") return [];
    return [{ address, heading: first.replace(/^#+ /, ""), text: text.slice(0, PASSAGE_LENGTH_MAX) }];
  });
}

export function bestOf(passages: readonly Passage[], query: string): Passage[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  const scored = passages.map((passage) => {
    const heading = passage.heading.toLowerCase();
    const text = passage.text.toLowerCase();
    const score = words.reduce(
      (sum, word) => sum + (heading.includes(word) ? 3 : 0) + Math.min(3, text.split(word).length - 1),
      0,
    );
    return { passage, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, PASSAGES_SHOWN)
    .map(({ passage }) => passage);
}

export async function readText(address: URL): Promise<string> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`${address.href} answered ${answer.status}`);
  return answer.text();
}
