import { expect, test } from 'bun:test'
import { createLogger, noopLogger } from '../core/logger.ts'
import { startTaskFollowing } from './follow-tasks.ts'

const looked = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve }
}

test('looks again as long as something is due', async () => {
  const due = [500, 500, 3, 0]
  const done = looked()
  const stop = startTaskFollowing({
    log: noopLogger,
    follow: async () => {
      const count = due.shift() ?? 0
      if (due.length === 0) done.resolve()
      return count
    },
  })
  await done.promise
  await stop()
  expect(due).toEqual([])
})

test('a look that fails is noted, and the next one is made', async () => {
  const done = looked()
  let looks = 0
  let noted = ''
  const stop = startTaskFollowing({
    log: createLogger({
      level: 'error',
      isPretty: false,
      write: line => {
        noted += line
      },
    }),
    follow: async () => {
      looks += 1
      if (looks === 1) throw new Error('the database is away')
      done.resolve()
      return 0
    },
  })
  await done.promise
  await stop()
  expect(noted).toContain('tasks could not be followed')
})

test('when it is stopped the look under way is told so and waited for', async () => {
  const begun = looked()
  let hasEnded = false
  const stop = startTaskFollowing({
    log: noopLogger,
    follow: signal =>
      new Promise(resolve => {
        begun.resolve()
        signal.addEventListener('abort', () => {
          hasEnded = true
          resolve(1)
        })
      }),
  })
  await begun.promise
  await stop()
  expect(hasEnded).toBe(true)
})
