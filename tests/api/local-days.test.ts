import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { exportAnalytics, getAnalytics, getSelfAnalytics } from '#features/analytics/contract.ts'
import { exportSelfLogs } from '#features/logs/contract/log-export.ts'
import { getLogHistogram, getSelfLogHistogram, getSelfLogStat } from '#features/logs/contract/logs.ts'
import { getSelfStatement } from '#features/statements/contract.ts'
import { setClock } from '#server/core/clock.ts'
import { startOfHour } from '#server/core/usage.ts'
import { addToChargeHours } from '#server/db/billing/charge-hours.ts'
import { countAllRequests } from '#server/db/usage/count-requests.ts'
import { rollUpTotals } from '#server/db/usage/roll-up-totals.ts'
import { rollUpHours } from '#server/db/usage/roll-ups.ts'
import { addToUsageHours } from '#server/db/usage/usage-hours.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'

const DAY = 86_400
const QUARTER = 900
const NOW = Date.parse('2026-11-20T12:00:00Z') / 1000
const YEARS_DAYS = 3 * 365
const ROWS = 6000
const PERIOD_DAYS = 24
const RECENT_DAYS = 33
/** More than what charts by the day had hours for. */
const LONG_DAYS = 380

const ZONES = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Yangon',
  'Asia/Kabul',
  'Asia/Tehran',
  'Asia/Colombo',
  'Australia/Eucla',
  'Australia/Darwin',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Marquesas',
  'America/St_Johns',
  'America/New_York',
  'America/Santiago',
  'America/Havana',
  'America/Asuncion',
  'America/Sao_Paulo',
  'America/Los_Angeles',
  'America/Anchorage',
  'America/Halifax',
  'America/Nuuk',
  'America/Caracas',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Lisbon',
  'Europe/Chisinau',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Jerusalem',
  'Asia/Gaza',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Pacific/Auckland',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Norfolk',
  'Antarctica/Troll',
] // prettier-ignore

let app: TestApp
let anna: TestClient
let restoreClock: () => void
interface Row {
  readonly created_at: number
  readonly quota: number
}
let rows: readonly Row[]

beforeAll(async () => {
  app = await openTestApp()
  restoreClock = setClock({ nowMs: () => NOW * 1000, elapsedMs: () => performance.now() })
  anna = await app.addUser({ username: 'anna' })
  // Most rows are at the edges of quarters, where a wrong day shows.
  const time = fc
    .tuple(fc.integer({ min: 1, max: (YEARS_DAYS * DAY) / QUARTER }), fc.constantFrom(-1, 0, 1, 450))
    .map(([quarters, off]) => NOW - quarters * QUARTER + off)
  const [times = []] = fc.sample(fc.array(time, { minLength: ROWS, maxLength: ROWS, size: 'max' }), {
    numRuns: 1,
    seed: 46,
  })
  rows = times.map((created_at, index) => ({ created_at, quota: 1 + (index % 900) }))
  for (let start = 0; start < rows.length; start += 500)
    await app.db
      .insertInto('logs')
      .values(rows.slice(start, start + 500).map(row => ({ ...LOGGED, ...row, user_id: anna.id })))
      .execute()
  for (const { created_at, quota } of rows) {
    const hour = startOfHour(created_at)
    await addToUsageHours(app.db, [{ ...USED, hour, quota, user_id: anna.id }])
    await addToChargeHours(app.db, [{ user_id: anna.id, hour, amount: quota, count: 1 }])
  }
  const engine = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite'
  const deps = { db: app.db, reader: app.db, engine } as const
  await countAllRequests(deps, NOW)
  await rollUpTotals(deps, NOW)
  await rollUpHours(deps, NOW - 100 * DAY)
})
afterAll(async () => {
  restoreClock()
  await app.close()
})

const CALL = {
  token_id: 0,
  channel_id: 1,
  model_name: 'm',
  group: 'default',
  type: 2,
  prompt_tokens: 1,
  completion_tokens: 1,
}
const USED = { ...CALL, count: 1 }
const LOGGED = {
  ...CALL,
  request_id: 'r',
  username: 'anna',
  token_name: '',
  use_time: 1,
  is_stream: 0,
  content: '',
} as const

interface LocalDay {
  readonly start: number
  readonly end: number
  readonly count: number
  readonly amount: number
}

/** The days of a period by the runtime's own dates, apart from the rules of the gateway. */
function listDays(zone: string, daysBack: number, count = PERIOD_DAYS): readonly LocalDay[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  const dateOf = (seconds: number): string => format.format(seconds * 1000)
  const startOf = (near: number): number => {
    let start = near - (near % QUARTER)
    while (dateOf(start - QUARTER) === dateOf(near)) start -= QUARTER
    return start
  }
  const days: LocalDay[] = []
  for (let start = startOf(NOW - daysBack * DAY); days.length < count; start = days.at(-1)?.end ?? NOW) {
    const found = rows.filter(
      row => Math.abs(row.created_at - start) < 2 * DAY && dateOf(row.created_at) === dateOf(start),
    )
    const amount = sum(found.map(({ quota }) => quota))
    days.push({ start, end: startOf(start + 1.2 * DAY), count: found.length, amount })
  }
  return days
}

/** Their periods contain the changes of clocks in both halves of the earth. */
const DAYS_BACK = [RECENT_DAYS, 62, 250, 265, 600, 1000]
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
const toQuery = (query: Record<string, string | number>) =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()

test.each(ZONES)('days of %s add up to the period and to the rows, on every screen', async zone => {
  for (const daysBack of DAYS_BACK) {
    const days = listDays(zone, daysBack)
    await checkAnalytics(days, zone)
    await checkLog(days, zone)
    await checkStatement(days, zone)
  }
})

const periodOf = (days: readonly LocalDay[]) => ({
  start_timestamp: days[0]?.start ?? 0,
  end_timestamp: days.at(-1)?.end ?? 0,
})

test.each(['Asia/Kathmandu', 'America/New_York', 'Pacific/Auckland', 'UTC'])(
  'days of a year and more in %s are those of the zone, for all users and for each',
  async zone => checkAnalytics(listDays(zone, LONG_DAYS + 1, LONG_DAYS), zone),
)

async function checkAnalytics(days: readonly LocalDay[], zone: string): Promise<void> {
  const query = { ...periodOf(days), bucket: 'day', time_zone: zone } as const
  const numbers = days.map(({ count }) => count)
  for (const { data } of [
    await app.root.call(getAnalytics, { query }),
    await app.root.call(getAnalytics, { query: { ...query, by: 'user' } }),
    await anna.call(getSelfAnalytics, { query }),
  ]) {
    expect([data.slots, data.series[0]?.numbers]).toEqual([days.map(({ start }) => start), numbers])
    expect(data.total.requests).toBe(sum(numbers))
  }
  for (const day of days.slice(0, 3)) {
    const one = { ...periodOf([day]), time_zone: zone }
    expect((await app.root.call(getAnalytics, { query: one })).data.total.requests).toBe(day.count)
    const csv = await app.root.fetch(`${exportAnalytics.path}?${toQuery(one)}`)
    expect(await csv.text()).toContain(`(total),${day.count},`)
  }
}

async function checkLog(days: readonly LocalDay[], zone: string): Promise<void> {
  const used = days.filter(({ count }) => count > 0)
  const bars = used.map(({ start, count, amount }) => [start, count, amount])
  const { start_timestamp, end_timestamp } = periodOf(days)
  const query = { start_timestamp, end_timestamp: end_timestamp - 1, time_zone: zone }
  for (const { data } of [
    await app.root.call(getLogHistogram, { query }),
    await anna.call(getSelfLogHistogram, { query }),
  ])
    expect(data.points.map(({ start, count, quota }) => [start, count, quota])).toEqual(bars)
  for (const { start, end, count, amount } of days.slice(0, 3)) {
    const one = { start_timestamp: start, end_timestamp: end - 1 }
    const { data } = await anna.call(getSelfLogStat, { query: one })
    expect(data).toMatchObject({ count, quota: amount })
    const csv = await (await anna.fetch(`${exportSelfLogs.path}?${toQuery(one)}`)).text()
    expect(csv.trim().split('\r\n')).toHaveLength(1 + count)
  }
}

async function checkStatement(days: readonly LocalDay[], zone: string): Promise<void> {
  const { data } = await anna.call(getSelfStatement, { query: { ...periodOf(days), time_zone: zone } })
  const used = days.filter(({ count }) => count > 0).toReversed()
  expect(data.transactions.map(({ created_at, amount }) => [created_at, -amount])).toEqual(
    used.map(({ start, amount }) => [start, amount]),
  )
  expect(data.charged).toBe(sum(used.map(({ amount }) => amount)))
}

test.each(['Asia/Kathmandu', 'America/New_York'])(
  'calls that name no zone have the days of the gateway: %s',
  async zone => {
    const setZone = async (value: string): Promise<boolean> => {
      const body = JSON.stringify({ key: 'ReportingTimeZone', value })
      return (await (await app.root.fetch('/api/option/', { method: 'PUT', body })).json()).success
    }
    expect(await setZone('Mars/Olympus')).toBe(false)
    const query = periodOf(listDays(zone, RECENT_DAYS))
    const slots = async (where: { readonly time_zone?: string; readonly utc_offset?: number }) =>
      (await app.root.call(getAnalytics, { query: { ...query, bucket: 'day', ...where } })).data.slots
    const bars = async (where: { readonly time_zone?: string }) =>
      (await anna.call(getSelfLogHistogram, { query: { ...query, ...where } })).data.points
    const charges = async (where: { readonly time_zone?: string }) =>
      (await anna.call(getSelfStatement, { query: { ...query, ...where } })).data.transactions
    const named = { time_zone: zone }
    const byMinutes = await slots({ utc_offset: 60 })
    expect(await setZone(zone)).toBe(true)
    expect(await slots({})).toEqual(await slots(named))
    expect(await bars({})).toEqual(await bars(named))
    expect(await charges({})).toEqual(await charges(named))
    expect(await slots({ utc_offset: 60 })).toEqual(byMinutes)
    await setZone('')
    expect(await slots({})).toEqual(await slots({ time_zone: 'UTC' }))
  },
)
