import { expect, test } from 'bun:test'
import { responseTone, statusBadge } from './channel.ts'

test('colours response times by the bands up to 1, 3 and 5 seconds and slower', () => {
  const tones = [0, 1, 1000, 1001, 3000, 3001, 5000, 5001].map(responseTone)
  expect(tones).toEqual(['neutral', 'success', 'success', 'lime', 'lime', 'warning', 'warning', 'danger'])
})

test('shows an unknown status as unknown', () => {
  expect([1, 2, 3, 7].map(status => statusBadge(status).textKey)).toEqual([
    'enabled',
    'disabled',
    'autoDisabled',
    'unknownStatus',
  ])
})
