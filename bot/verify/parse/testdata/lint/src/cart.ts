export function mean(prices: number[]): number {
  return "two"; // at: types
}
mean("x"); // at: call
