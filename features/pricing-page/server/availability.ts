import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { listModelOutcomes } from './queries.ts'

const HOUR_SECONDS = 3600
const DAY_HOURS = 24
const STALE_AFTER_SECONDS = 60
/** Fewer say little of a model, and much of whoever sent them. */
const REQUESTS_MIN = 20
const DIGITS = 4

type Availabilities = ReadonlyMap<string, number>

/** Reads the availability of models during the last day, at most once a minute however many visitors ask. */
export function createAvailabilityReader(): (db: Database) => Promise<Availabilities> {
  let readAt = 0
  let latest: Promise<Availabilities> | undefined
  return db => {
    const now = nowSeconds()
    if (!latest || now - readAt >= STALE_AFTER_SECONDS) {
      readAt = now
      const reading = readAvailabilities(db, now)
      latest = reading
      reading.catch(() => {
        if (latest === reading) latest = undefined
      })
    }
    return latest
  }
}

async function readAvailabilities(db: Database, now: number): Promise<Availabilities> {
  const hour = Math.floor(now / HOUR_SECONDS) * HOUR_SECONDS
  const range = { from: hour - DAY_HOURS * HOUR_SECONDS, until: hour + HOUR_SECONDS }
  const outcomes = await listModelOutcomes(db, range)
  return new Map(
    outcomes
      .filter(({ requests }) => requests >= REQUESTS_MIN)
      .map(({ model, requests, failed }) => [model, Number((1 - failed / requests).toFixed(DIGITS))]),
  )
}
