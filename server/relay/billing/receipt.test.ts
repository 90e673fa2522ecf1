import { expect, test } from 'bun:test'
import { readUsage } from '#features/repricing/server/read-usage.ts'
import { NO_USAGE, type Usage } from '../../core/usage.ts'
import { calculateCharge } from '../../pricing/charge.ts'
import { testPrices } from '../../testing/test-prices.ts'
import { toReceipt } from './receipt.ts'

type ReceiptArguments = Parameters<typeof toReceipt>

const price = testPrices({ ModelRatio: { model: 1.25 } }).get({ model: 'model', group: 'default' })

/** Only what receipts read of a request. */
const asArguments = (request: object, facts: object) => [request, facts] as unknown as ReceiptArguments

function receiptOf(usage: Usage, more: object = {}): string {
  const [request, facts] = asArguments(
    { model: ',"usage":{"input":1},"lines":[', client: { name: 'openai' }, operation: {}, effort: 'high' },
    {
      durationMs: 10,
      trace: { attempts: [], candidates: [] },
      responder: { upstreamModel: 'model', droppedTools: ['search'] },
      outcome: { ending: 'complete', provenance: 'upstream', usage, firstOutputMs: 1, ...more },
      price,
      charge: calculateCharge(price, usage),
      held: 100,
      costNanos: 5,
    },
  )
  return JSON.stringify(toReceipt(request, facts))
}

test('the usage is read again from a receipt as it was charged', () => {
  const usage: Usage = {
    ...NO_USAGE,
    input: 1000,
    cachedInput: 20,
    cacheWriteHour: 7,
    output: 300,
    reasoning: 40,
    images: 1.5,
    webSearches: 2,
    searchContext: 'high',
    toolCalls: { maps: 3 },
    toolImages: [{ model: ',"lines":[', count: 1, size: '1024x1024' }],
    seconds: 12.5,
    serviceTier: 'flex',
    region: 'us',
  }
  expect(readUsage(receiptOf(usage))).toEqual(usage)
  expect(readUsage(receiptOf({ ...NO_USAGE, output: 1 }))).toEqual({ ...NO_USAGE, output: 1 })
  const rejectedUsage = { ...NO_USAGE, input: 9 }
  expect(readUsage(receiptOf(usage, { rejectedUsage }))).toEqual(usage)
})

test('a receipt of a response that cost nothing says so', () => {
  expect(readUsage(receiptOf(NO_USAGE, { provenance: 'free' }))).toBe('free')
})
