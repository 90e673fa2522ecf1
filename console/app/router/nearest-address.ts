/** A larger distance means another word. */
const EDIT_DISTANCE_MAX = 2

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const line = [row + 1]
    for (const [column, other] of [...b].entries()) {
      const changed = (above[column] ?? 0) + Number(letter !== other)
      line.push(Math.min(changed, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1))
    }
    above = line
  }
  return above[b.length] ?? 0
}

const firstWord = (path: string): string => path.split('/')[1]?.toLowerCase() ?? ''

/** The known path closest to a mistyped one. Undefined when none is close. */
export function closestPath(path: string, known: readonly string[]): string | undefined {
  const word = firstWord(path)
  const [nearest] = known
    .map(address => ({ address, wrong: editDistance(word, firstWord(address)) }))
    .filter(({ address, wrong }) => wrong <= EDIT_DISTANCE_MAX && wrong < firstWord(address).length - 1)
    .toSorted((a, b) => a.wrong - b.wrong)
  return nearest?.address
}
