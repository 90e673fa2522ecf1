import type { Stage } from './scene.ts'

const KILLED = 137
const DEATH_TIMEOUT_MS = 60_000

/** Resolves when the program was killed. Throws when it goes on living, which means that nobody came to the place, or ends otherwise. */
export async function assertKilled(
  ended: Promise<number>,
  { place, count }: Pick<Stage, 'place' | 'count'>,
): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`nobody died there ${count} times: ${JSON.stringify(place)}`)),
    DEATH_TIMEOUT_MS,
  )
  const code = await Promise.race([ended, late.promise]).finally(() => clearTimeout(timer))
  if (code !== KILLED) throw new Error(`expected a kill, found the exit code ${code}`)
}
