import { expect, test } from 'bun:test'
import { PERIODS } from '../contract.ts'
import { createWindowReader, resetOf, type WindowRule, windowAt } from './windows.ts'

const HOUR = 3600
const at = (text: string) => Date.parse(text) / 1000
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
const rule = (period: WindowRule['period'], time_zone = 'UTC', hours = 0): WindowRule => ({
  period,
  time_zone,
  hours,
})

test.each([
  ['hour', 'Asia/Kolkata', '2026-05-01T10:45:00Z', '2026-05-01T10:30:00Z', '2026-05-01T11:30:00Z'],
  ['day', 'Asia/Shanghai', '2026-05-01T17:00:00Z', '2026-05-01T16:00:00Z', '2026-05-02T16:00:00Z'],
  ['week', 'UTC', '2026-05-03T23:59:59Z', '2026-04-27T00:00:00Z', '2026-05-04T00:00:00Z'],
  ['month', 'America/New_York', '2026-03-31T12:00:00Z', '2026-03-01T05:00:00Z', '2026-04-01T04:00:00Z'],
  // A day that loses an hour, and one that gains one.
  ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['day', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  // Clocks skip midnight.
  ['day', 'Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  // The clock shows this hour twice.
  ['hour', 'Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25T00:00:00Z', '2026-10-25T02:00:00Z'],
] as const)('the %s of %s around %s is from %s to %s', (...times) => {
  const [period, zone, now, start, end] = times
  const window = windowAt(rule(period, zone), at(now))
  expect([iso(window.start), iso(window.end)]).toEqual([start, end])
  expect(window.since).toBe(window.start)
})

test('a budget without windows counts everything and never resets', () => {
  const window = windowAt(rule('none'), at('2026-05-20T00:00:00Z'))
  expect(window.since).toBe(0)
  expect(resetOf(rule('none'), window, 5)).toBeUndefined()
})

test('a rolling window resets when the slice of its oldest use has left it', () => {
  const rolling = rule('rolling', '', 5)
  const slice = 300
  const used = at('2026-05-01T10:02:00Z')
  const { start } = windowAt(rolling, used)
  const resetsAt = resetOf(rolling, windowAt(rolling, used), start) ?? 0
  expect(iso(resetsAt)).toBe('2026-05-01T15:05:00Z')
  expect(windowAt(rolling, resetsAt - 1).since).toBe(start)
  expect(windowAt(rolling, resetsAt).since).toBe(start + slice)
})

const ZONES = [
  'UTC',
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Havana',
  'America/New_York',
  'America/Nuuk',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Shanghai',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Pacific/Apia',
  'Pacific/Chatham',
] as const
const CALENDAR = PERIODS.filter(period => period !== 'none' && period !== 'rolling')
/** `TEST_LONG` runs a million of them. */
const EVENTS = process.env.TEST_LONG ? 1_000_000 : 10_000
const LONG_TEST_MS = 600_000
const LIMIT = 1000
const AMOUNT_MAX = 300
const GAP_HOURS = { hour: 0.5, day: 9, week: 70, month: 300 } as const

/** A generator with a seed (mulberry32), so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const FIGURES = ['year', 'month', 'day', 'hour'] as const

/** What the clocks of a zone show, by which a person would tell windows apart. */
function createLabels(zone: string) {
  const figures = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, hourCycle: 'h23', ...figures })
  return (period: (typeof CALENDAR)[number], seconds: number): string => {
    const shown = format.formatToParts(seconds * 1000)
    const [year = 0, month = 0, day = 0, hour = 0] = FIGURES.map(name =>
      Number(shown.find(({ type }) => type === name)?.value),
    )
    if (period === 'month') return `${year}-${month}`
    if (period === 'day') return `${year}-${month}-${day}`
    if (period === 'hour') return `${year}-${month}-${day} ${hour}`
    const date = new Date(Date.UTC(year, month - 1, day))
    date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
    return date.toISOString()
  }
}

/** A budget as the ledger counts it, beside one that goes by what the clocks show. */
class ComparedBudget {
  differences = 0
  rejected = 0
  private readonly read = createWindowReader()
  private readonly windows = new Map<number, number>()
  private readonly labels = new Map<string, number>()

  request(rule: WindowRule, { now, amount, label }: { now: number; amount: number; label: string }): void {
    const { start, since, end } = this.read(rule, now)
    let taken = 0
    for (const [from, used] of this.windows) if (from >= since) taken += used
    const isGranted = taken + amount <= LIMIT
    const used = this.labels.get(label) ?? 0
    const mustBeGranted = used + amount <= LIMIT
    if (isGranted !== mustBeGranted || start > now || now >= end) this.differences += 1
    if (mustBeGranted) this.labels.set(label, used + amount)
    if (isGranted) this.windows.set(start, (this.windows.get(start) ?? 0) + amount)
    else this.rejected += 1
    if (this.windows.size > 3) this.windows.delete(Math.min(...this.windows.keys()))
  }
}

const YEARS = 10 * 365 * 24
const LONG_PAUSE_HOURS = 700

test.each(CALENDAR)(
  'a budget by %s grants what a model of the clocks grants, in all zones and over all clock changes',
  period => {
    const random = randomOf(7)
    const totals = { differences: 0, rejected: 0 }
    for (const zone of ZONES) {
      const labelOf = createLabels(zone)
      const budget = new ComparedBudget()
      let now = at('2012-01-02T00:00:00Z') + Math.floor(random() * YEARS) * HOUR
      for (let event = 0; event < EVENTS / (ZONES.length * CALENDAR.length); event += 1) {
        // Long pauses reach further clock changes.
        const pause = random() < 0.01 ? LONG_PAUSE_HOURS * random() : 0
        now += Math.floor((random() * random() * 2 * GAP_HOURS[period] + pause) * HOUR)
        const amount = Math.ceil(random() * AMOUNT_MAX)
        budget.request(rule(period, zone), { now, amount, label: labelOf(period, now) })
      }
      totals.differences += budget.differences
      totals.rejected += budget.rejected
    }
    expect(totals.differences).toBe(0)
    expect(totals.rejected).toBeGreaterThan(EVENTS / (CALENDAR.length * 100))
  },
  LONG_TEST_MS,
)

test('a rolling window counts all use of its hours, and none older than a slice more', () => {
  const random = randomOf(11)
  for (const hours of [1, 5, 24, 744]) {
    const rolling = rule('rolling', '', hours)
    const read = createWindowReader()
    let now = at('2026-01-01T00:00:00Z')
    let uses: (readonly [time: number, start: number])[] = []
    let differences = 0
    for (let event = 0; event < EVENTS / 40; event += 1) {
      now += Math.floor(random() * random() * hours * 400)
      const { start, since } = read(rolling, now)
      const oldest = now - hours * HOUR
      uses = uses.filter(([time]) => time > oldest - hours * HOUR)
      const isWrong = ([time, from]: readonly [number, number]) =>
        from >= since ? time <= oldest - hours * 60 : time > oldest
      if (uses.some(isWrong)) differences += 1
      uses.push([now, start])
    }
    expect(differences).toBe(0)
  }
})
