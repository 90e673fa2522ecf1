/** Beyond this many wrong letters it is another word. */
const WRONG_LETTERS_MAX = 2

/** How many letters must be put in, taken out or changed to make one word of the other. */
function wrongLetters(a: string, b: string): number {
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

/** The known address that was probably meant; undefined when none is near. */
export function nearestAddress(path: string, known: readonly string[]): string | undefined {
  const word = firstWord(path)
  const [nearest] = known
    .map(address => ({ address, wrong: wrongLetters(word, firstWord(address)) }))
    .filter(({ address, wrong }) => wrong <= WRONG_LETTERS_MAX && wrong < firstWord(address).length - 1)
    .toSorted((a, b) => a.wrong - b.wrong)
  return nearest?.address
}
