import { expect, test } from 'bun:test'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { openTestDatabase } from '../db/testing.ts'
import { createReadinessCheck } from './probes.ts'

test('stays ready and says so while the shared store of rate limits is lost', async () => {
  const database = await openTestDatabase()
  let isLost = true
  const rateLimiter = { ...createLocalRateLimiter(), isStoreLost: () => isLost }
  const { read } = createReadinessCheck({ database, rateLimiter }, () => true)
  const lost = await read()
  isLost = false
  const back = await read()
  await database.close()
  expect([lost, back]).toEqual([
    { isReady: true, remark: expect.stringContaining('each process counts for itself') },
    { isReady: true },
  ])
})
