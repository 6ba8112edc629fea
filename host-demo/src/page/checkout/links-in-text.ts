/** A piece of a text: words, or a web address that a reader may follow. */
export interface TextPart {
  readonly position: number;
  readonly text: string;
  readonly isLink: boolean;
}

const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:)])/;

/** Cuts a plain text at the web addresses in it. Nothing but http and https becomes a link. */
export function linksInText(text: string): readonly TextPart[] {
  let position = 0;
  return text.split(ADDRESS).map((part, index) => {
    const start = position;
    position += part.length;
    return { position: start, text: part, isLink: index % 2 === 1 };
  });
}
