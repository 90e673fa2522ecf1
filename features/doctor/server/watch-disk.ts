import { handle, type Route } from '#server/api/handle.ts'
import { everyMs, nowSeconds } from '#server/core/clock.ts'
import type { Database, OpenDatabase } from '#server/db/engine/database.ts'
import type { Job, Services } from '#server/feature.ts'
import { getDiskForecast } from '../contract.ts'
import { daysUntilFull, readFreeBytes } from './check-machine.ts'
import { GROWTH_SECONDS, readFileGrowth } from './queries.ts'

const CHECK_MS = 600_000

interface DiskForecast {
  readonly freeBytes: number
  /** Undefined where it cannot be told. */
  readonly days: number | undefined
}

interface DiskWatchDeps extends Pick<Services, 'dataDir' | 'metrics'> {
  readonly database: Pick<OpenDatabase, 'engine' | 'db'>
}

/** The free space of the data folder and how long it lasts, as metrics and for the console. */
export function watchDisk({ database, dataDir = '.', metrics }: DiskWatchDeps): {
  readonly routes: readonly Route[]
  readonly jobs: readonly Job[]
} {
  const read = async (db: Database): Promise<DiskForecast> => {
    const freeBytes = readFreeBytes(dataDir)
    const now = nowSeconds()
    const growth = database.engine === 'sqlite' ? await readFileGrowth(db, now - GROWTH_SECONDS) : undefined
    return { freeBytes, days: growth && daysUntilFull(freeBytes, growth, now) }
  }
  let known: DiskForecast | undefined
  metrics.gauge('tollgate_disk_free_bytes', 'Free bytes on the disk of the data folder.', () => {
    return known?.freeBytes ?? Number.NaN
  })
  metrics.gauge(
    'tollgate_disk_full_in_days',
    'Days until the disk of an embedded database is full, at the pace of the last week. NaN: unknown.',
    () => known?.days ?? Number.NaN,
  )
  const check = async (): Promise<void> => {
    known = await read(database.db).catch(() => undefined)
  }
  return {
    routes: [
      handle(getDiskForecast, async ({ reader }) => {
        const { freeBytes, days } = await read(reader)
        return { free_bytes: freeBytes, full_in_days: days ?? null }
      }),
    ],
    jobs: [
      () => {
        const first = check()
        const stop = everyMs(CHECK_MS, check)
        return () => Promise.all([first, stop()]).then(() => undefined)
      },
    ],
  }
}
