import { expect, test } from 'bun:test'
import { BALANCE_POINTS, FIRST_START_POINTS, REQUEST_POINTS, TASK_POINTS } from './points/crash-points.ts'
import { runAll } from './points/run-all.ts'
import type { RunResult } from './points/run-in-sequence.ts'

/** Each run kills at other moments. The title names the seed, which repeats a failure. */
const SEED = Math.floor(Math.random() * 1_000_000)
const POINTS = [...REQUEST_POINTS, ...BALANCE_POINTS, ...TASK_POINTS, ...FIRST_START_POINTS]
/** Each run repeats a sixth of the points on PostgreSQL, another one each time; `npm run test:long` a third. */
const POSTGRES_SHARE = process.env.TEST_LONG ? 3 : 6
const POSTGRES_LEAST = 36 / POSTGRES_SHARE
const RECOVERY_MS_MAX = 60_000
/** Gateways start, wait for requests and are killed: most of a batch is waiting. */
const CONCURRENCY = 4
const TEST_TIMEOUT_MS = 1_200_000

const results: RunResult[] = []

test(
  `keeps the ledger balanced and charges once when killed at each of ${POINTS.length} crash points (seed ${SEED})`,
  async () => {
    for await (const result of runAll({
      seeds: [SEED],
      name: '',
      concurrency: CONCURRENCY,
      postgresShare: POSTGRES_SHARE,
    }))
      results.push(result)
    expect(results.filter(({ problems }) => problems.length > 0)).toEqual([])
    const onPostgres = results.filter(({ name }) => name.startsWith('PostgreSQL'))
    const embedded = results.filter(result => !onPostgres.includes(result))
    expect(embedded.map(({ name }) => name).sort()).toEqual(POINTS.map(({ name }) => name).sort())
    expect(onPostgres.length).toBeGreaterThan(POSTGRES_LEAST)
  },
  TEST_TIMEOUT_MS,
)

test('releases the holds of a killed gateway within 60 s', () => {
  expect(results.filter(({ recoveryMs }) => recoveryMs > RECOVERY_MS_MAX)).toEqual([])
})
