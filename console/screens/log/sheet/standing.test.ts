import { expect, test } from 'bun:test'
import { candidateStatus } from './standing.ts'

test('a candidate was tried, passed over without being asked, or not needed', () => {
  const attempts = [
    { channel_id: 1, status: 0, ms: 0, code: 'upstream_failed' },
    { channel_id: 2, status: 503, ms: 9, code: 'x' },
    { channel_id: 3, status: 0, ms: 0, code: 'too_many_requests' },
    { channel_id: 3, status: 200, ms: 9 },
  ]
  expect([1, 2, 3, 4].map(id => candidateStatus(id, attempts))).toEqual([
    'passedOver',
    'tried',
    'tried',
    'notNeeded',
  ])
})
