import { expect, test } from 'bun:test'
import { ERRAND_POINTS, FIRST_START_POINTS, REQUEST_POINTS, TASK_POINTS } from './points/points.ts'
import { runAll } from './points/run-all.ts'
import type { RunResult } from './points/run-points.ts'

/** Each run of the suite tries other deaths; what fails says with which seed it can be repeated. */
const SEED = Math.floor(Math.random() * 1_000_000)
const POINTS = [...REQUEST_POINTS, ...ERRAND_POINTS, ...TASK_POINTS, ...FIRST_START_POINTS]
/** Each run tries a third of the points there. */
const POSTGRES_LEAST = 12
const CLOSED_MS_MAX = 60_000
const TEST_TIMEOUT_MS = 600_000

const results: RunResult[] = []

test(
  `killed at each of ${POINTS.length} named points, seed ${SEED}: the books balance, nothing is lost or charged twice`,
  async () => {
    for await (const result of runAll({ seeds: [SEED], name: '', sideBySide: 2 })) results.push(result)
    expect(results.filter(({ problems }) => problems.length > 0)).toEqual([])
    const onPostgres = results.filter(({ name }) => name.startsWith('PostgreSQL'))
    const embedded = results.filter(result => !onPostgres.includes(result))
    expect(embedded.map(({ name }) => name).sort()).toEqual(POINTS.map(({ name }) => name).sort())
    expect(onPostgres.length).toBeGreaterThan(POSTGRES_LEAST)
  },
  TEST_TIMEOUT_MS,
)

test('what the dead one held is free within 60 s', () => {
  expect(results.filter(({ closedMs }) => closedMs > CLOSED_MS_MAX)).toEqual([])
})
