/** Returns unique RUTs, one after the other, above this number. */
export function countingRuts(above = 10_000_000): () => string {
  let body = above;
  return () => {
    body += 1;
    const sum = [...String(body)]
      .reverse()
      .reduce((total, digit, index) => total + Number(digit) * (2 + (index % 6)), 0);
    return `${body}-${"0K987654321"[sum % 11]}`;
  };
}
