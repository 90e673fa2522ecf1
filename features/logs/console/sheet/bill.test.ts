import { describe, expect, test } from 'bun:test'
import type { LogDetail } from '../../contract/log-detail.ts'
import type { LogEntry } from '../../contract/logs.ts'
import { recalculateBill, sumDecimals } from './bill.ts'

const entry = (quota: number): LogEntry => ({
  id: 1,
  request_id: 'r',
  user_id: 1,
  created_at: 0,
  type: 2,
  content: '',
  username: 'root',
  user_role: 1,
  token_id: 1,
  token_name: 't',
  model_name: 'claude',
  quota,
  prompt_tokens: 910,
  completion_tokens: 22,
  use_time: 0,
  is_stream: false,
  channel: 5,
  channel_name: 'lab',
  group: 'default',
  other: '',
})

const detail: LogDetail = {
  model_ratio: 1.5,
  group_ratio: 1,
  bill: {
    lines: [
      { bucket: 'input', tokens: 410, ratio: 1, amount: '615' },
      { bucket: 'cachedInput', tokens: 200, ratio: 1, amount: '300' },
      { bucket: 'cacheWrite', tokens: 300, ratio: 1.25, amount: '562.5' },
      { bucket: 'output', tokens: 22, ratio: 1, amount: '33' },
    ],
    exact: '1510.5',
    hold: 2466,
  },
}

describe('recalculateBill', () => {
  test('adds up the lines and rounds halves up', () => {
    expect(recalculateBill(entry(1511), detail)).toMatchObject({
      sum: '1510.5',
      rounded: 1511,
      isConsistent: true,
      hold: 2466,
    })
  })

  test('is inconsistent when the charge differs by one unit', () => {
    expect(recalculateBill(entry(1510), detail)?.isConsistent).toBe(false)
  })

  test('is inconsistent when the stored sum differs from its lines', () => {
    const wrongSum = { ...detail, bill: { lines: [], hold: 0, ...detail.bill, exact: '1510.4' } }
    expect(recalculateBill(entry(1511), wrongSum)?.isConsistent).toBe(false)
  })

  test('rounds an amount above zero to at least one unit and zero to zero', () => {
    const recalculate = (amount: string, quota: number) =>
      recalculateBill(entry(quota), {
        bill: { lines: [{ bucket: 'input', tokens: 1, ratio: 1, amount }], exact: amount, hold: 0 },
      })
    expect(recalculate('0.01', 1)?.isConsistent).toBe(true)
    expect(recalculate('0', 0)?.isConsistent).toBe(true)
    expect(recalculate('0.01', 0)?.isConsistent).toBe(false)
  })

  test('keeps the length above which a prompt has its price', () => {
    const lines = [{ bucket: 'input', tokens: 300, ratio: 2, amount: '600', above: 200 }]
    const bill = recalculateBill(entry(600), { model_ratio: 1, bill: { lines, exact: '600', hold: 0 } })
    expect(bill?.lines).toMatchObject([{ above: 200, unitsPerMillion: 2_000_000 }])
  })

  test('prices a million tokens of each kind before the group ratio', () => {
    expect(recalculateBill(entry(1511), detail)?.lines.map(line => line.unitsPerMillion)).toEqual([
      1_500_000, 1_500_000, 1_875_000, 1_500_000,
    ])
  })

  test('returns undefined for entries without a bill', () => {
    expect(recalculateBill(entry(0), {})).toBeUndefined()
  })
})

test('adds decimals exactly where floating point would not', () => {
  expect(sumDecimals(['0.1', '0.2'])).toBe('0.3')
  expect(sumDecimals(['1.50', '2', '-0.5'])).toBe('3')
  expect(sumDecimals(['9007199254740993', '0.000000000001'])).toBe('9007199254740993.000000000001')
})
