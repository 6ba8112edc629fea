/** A part of a text: either words, or a web address that becomes a link. */
export interface TextPart {
  readonly position: number;
  readonly text: string;
  readonly isLink: boolean;
}

const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:)])/;

/** Splits a plain text at the web addresses in it. Only http and https addresses become links. */
export function linksInText(text: string): readonly TextPart[] {
  let position = 0;
  return text.split(ADDRESS).map((part, index) => {
    const start = position;
    position += part.length;
    return { position: start, text: part, isLink: index % 2 === 1 };
  });
}
