/** Where there are many, another one is always coming. */
const TURNS_MAX = 8

/**
 * Resolves when work that many share should begin: after the first turn of the event loop that brought no further one.
 * Whoever comes alone waits for that turn only. `count` says how many there are by now.
 */
export async function gatherCompany(count: () => number): Promise<void> {
  let before = 0
  let turns = 0
  do {
    before = count()
    turns += 1
    await nextTurn()
  } while (count() > before && turns < TURNS_MAX)
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
