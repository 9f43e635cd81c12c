/**
 * Measures every side once in each round, A B C A B C …, so that whatever else the machine does meanwhile falls on all of
 * them alike.
 *
 * @returns each side's measurements, in the order of the rounds
 */
export async function alternate<Side, Measurement>(
  sides: readonly Side[],
  rounds: number,
  measure: (side: Side) => Promise<Measurement>,
): Promise<Map<Side, Measurement[]>> {
  const measured = new Map<Side, Measurement[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) measured.get(side)?.push(await measure(side));
  }
  return measured;
}
