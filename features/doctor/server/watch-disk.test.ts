import { expect, test } from 'bun:test'
import { createMetricsRegistry } from '#server/core/telemetry/metrics.ts'
import { buildLogRow } from '#server/db/testing.ts'
import { openTestApp } from '#server/testing/open-test-app.ts'
import { getDiskForecast } from '../contract.ts'
import { watchDisk } from './watch-disk.ts'

test('says how long the disk lasts once there are enough requests', async () => {
  const app = await openTestApp()
  const early = (await app.root.call(getDiskForecast)).data
  expect(early).toEqual({ free_bytes: expect.any(Number), full_in_days: null })
  const now = Math.floor(Date.now() / 1000)
  const rows = Array.from({ length: 1200 }, (_, at) =>
    buildLogRow({ request_id: `r${at}`, created_at: now - 1200 + at }),
  )
  await app.db.insertInto('logs').values(rows).execute()
  const { data } = await app.root.call(getDiskForecast)
  const isEmbedded = !process.env.TEST_DATABASE_URL
  expect(data.full_in_days).toEqual(isEmbedded ? expect.any(Number) : null)
  await app.close()
})

test('metrics have the free bytes, and NaN for what is not known', async () => {
  const app = await openTestApp()
  const metrics = createMetricsRegistry()
  const engine = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite'
  const database = { engine, db: app.db } as const
  const { jobs } = watchDisk({ database, dataDir: '.', metrics })
  expect(metrics.render()).toContain('tollgate_disk_free_bytes NaN')
  const stops = jobs.map(start => start())
  await Promise.all(stops.map(stop => stop?.()))
  expect(metrics.render()).toMatch(/tollgate_disk_free_bytes \d+\n/)
  expect(metrics.render()).toContain('tollgate_disk_full_in_days NaN')
  await app.close()
})
