import { expect, test } from 'bun:test'
import type { ChannelHealth } from '#features/channel-health/contract.ts'
import type { Channel } from '#features/channels/contract/channels.ts'
import { allPages, findConcerns, type InstallationState, PAGE_ROWS } from './attention.ts'

const NOW = 1_790_000_000
const HOUR = 3600

const channel = (changes: Partial<Channel>) =>
  ({
    id: 1,
    name: 'lab',
    status: 1,
    stopped_models: [],
    balance: 0,
    balance_updated_time: 0,
    ...changes,
  }) as Partial<Channel> as Channel
const health = (state: ChannelHealth['state']): ChannelHealth => ({
  id: 1,
  state,
  attempts: 4,
  failed: 2,
  hours: [],
  last_error: '401 invalid_api_key',
  last_error_at: NOW,
})
const backups = {
  is_configured: true,
  interval_hours: 24,
  keep: 7,
  is_running: false,
  failure: '',
  backups: [],
}
const madeAt = (created_at: number) => ({ name: 'x', bytes: 1, created_at })
const stopped = { model: 'gpt', reason: 'a loss', stopped_at: 1 }

const spike = { id: 7, name: 'anna', amount: '$30', usual: '$2', since: NOW }

const NOTHING: InstallationState = {
  channels: [],
  health: [],
  spikes: undefined,
  unpricedModels: undefined,
  hasSharedLimits: undefined,
  diskFullInDays: undefined,
  backups: undefined,
}

const find = (state: Partial<InstallationState>) =>
  findConcerns({ ...NOTHING, ...state }, NOW).map(({ tone, textKey }) => `${tone} ${textKey}`)

const CASES: readonly (readonly [
  what: string,
  state: Partial<InstallationState>,
  found: readonly string[],
])[] = [
  ['limits that all processes share', { hasSharedLimits: true }, []],
  ['a disk with room for two weeks', { diskFullInDays: 14 }, []],
  ['a disk of which nothing is known', { diskFullInDays: null }, []],
  ['a disk that fills', { diskFullInDays: 3 }, ['danger diskFull']],
  ['limits that each process counts alone', { hasSharedLimits: false }, ['danger limitsAlone']],
  ['a healthy channel', { channels: [channel({})], health: [health('healthy')] }, []],
  ['a failing channel', { channels: [channel({})], health: [health('failing')] }, ['danger channelFailing']],
  ['a degraded one', { channels: [channel({})], health: [health('degraded')] }, ['warning channelDegraded']],
  ['one that the operator disabled', { channels: [channel({ status: 2 })], health: [health('failing')] }, []],
  ['one that the gateway disabled', { channels: [channel({ status: 3 })] }, ['danger channelDisabled']],
  ['stopped models', { channels: [channel({ stopped_models: [stopped] })] }, ['warning modelsStopped']],
  [
    'a low balance',
    { channels: [channel({ balance: 4.99, balance_updated_time: 1 })] },
    ['warning balanceLow'],
  ],
  ['a balance that was never queried', { channels: [channel({ balance: 0 })] }, []],
  ['a user who spends more than usual', { spikes: [spike] }, ['warning usageSpike']],
  ['models without a price', { unpricedModels: ['a', 'b'] }, ['warning modelsUnpriced']],
  ['a failed backup', { backups: { ...backups, failure: 'no space' } }, ['danger backupFailed']],
  [
    'an overdue backup',
    { backups: { ...backups, backups: [madeAt(NOW - 49 * HOUR)] } },
    ['warning backupLate'],
  ],
  ['a recent backup', { backups: { ...backups, backups: [madeAt(NOW - 30 * HOUR)] } }, []],
  [
    'several, the worst first',
    { channels: [channel({ balance: 1, balance_updated_time: 1 })], health: [health('failing')] },
    ['danger channelFailing', 'warning balanceLow'],
  ],
]

test.each(CASES)('names %s', (_, state, found) => {
  expect(find(state)).toEqual([...found])
})

test('says why and when the gateway disabled a channel', () => {
  const other_info = JSON.stringify({ status_reason: '401 invalid_api_key', status_time: NOW - HOUR })
  const [concern] = findConcerns({ ...NOTHING, channels: [channel({ status: 3, other_info })] }, NOW)
  expect(concern).toMatchObject({
    textKey: 'channelDisabled',
    values: { name: 'lab', reason: '401 invalid_api_key' },
    at: NOW - HOUR,
  })
})

test.each(['', '{', '[]'])('names a disabled channel without a reason, from %p', other_info => {
  expect(find({ channels: [channel({ status: 3, other_info })] })).toEqual(['danger channelDisabled'])
})

const rowsOf = (total: number) => (page: number) =>
  Promise.resolve(
    Array.from({ length: total }, (_, index) => index).slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS),
  )

test.each([0, 1, 99, 100, 101, 250])('reads all of %d rows, each once', async total => {
  expect(await allPages(rowsOf(total))).toEqual([...Array(total).keys()])
})

test('ends after twenty pages', async () => {
  let pages = 0
  const read = (page: number) => {
    pages += 1
    return rowsOf(PAGE_ROWS * 1000)(page)
  }
  expect(await allPages(read)).toHaveLength(20 * PAGE_ROWS)
  expect(pages).toBe(20)
})
