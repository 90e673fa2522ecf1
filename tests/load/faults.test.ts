import { expect, test } from 'bun:test'
import { runFaults } from './faults/run-faults.ts'

const REQUESTS = 4_000
const SEED = Math.floor(Math.random() * 1_000_000)
const TEST_TIMEOUT_MS = 400_000

test(
  `logs and charges each of ${REQUESTS} requests exactly once under faults of every kind (seed ${SEED})`,
  async () => {
    const { audit, ends, ...result } = await runFaults({ requests: REQUESTS, clients: 48, seed: SEED })
    expect(audit).toEqual({ rows: REQUESTS, lost: 0, surplus: 0, unpaid: 0, overcharged: 0, miscosted: 0 })
    expect(result).toMatchObject({ pending: 0, drift: 0, openHolds: 0, costDrift: 0 })
    for (const count of Object.values(ends)) expect(count).toBeGreaterThan(REQUESTS / 100)
  },
  TEST_TIMEOUT_MS,
)
