/** Returns unique RUTs, one after the other. */
export function countingRuts(): () => string {
  let body = 10_000_000;
  return () => {
    body += 1;
    const sum = [...String(body)]
      .reverse()
      .reduce((total, digit, index) => total + Number(digit) * (2 + (index % 6)), 0);
    return `${body}-${"0K987654321"[sum % 11]}`;
  };
}
