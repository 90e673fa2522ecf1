import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../core/errors.ts'
import { quota } from '../../core/money.ts'
import { dialect } from '../../dialects/openai/index.ts'
import { priceOf } from '../../ledger/price.ts'
import { type HoldExtender, createHoldExtender } from '../billing/extend-hold.ts'
import type { Outcome } from '../billing/usage-to-charge.ts'
import type { RelayRequest } from '../request/relay-request.ts'
import { Conversation } from './conversation.ts'

/** All of an order that a conversation looks at before it ends. */
const ORDER = { requestId: 'r', startedMs: 0, client: dialect } as RelayRequest
const USED = JSON.stringify({
  type: 'response.done',
  response: { usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
})

const ENDLESS: HoldExtender = {
  isWithinHold: () => true,
  extendTo: async () => true,
  extendToUsage: async () => true,
  hold: () => {
    throw new Error('nobody asks')
  },
}

/** A conversation whose charge can be stored or not, and what becomes of its two ends. */
function open(close: (outcome: Outcome) => Promise<void>, coverage: HoldExtender = ENDLESS) {
  const ends: string[] = []
  const heard: { closed?: (isGood: boolean) => void; heard?: (frame: string) => void } = {}
  const conversation = new Conversation({
    order: ORDER,
    protocol: undefined,
    coverage,
    upstream: {
      send: () => undefined,
      close: () => void ends.push('upstream'),
      listen: listener => void Object.assign(heard, listener),
    },
    close,
  })
  conversation.onOpen({ send: () => undefined, close: code => void ends.push(`client ${code}`) })
  return { conversation, ends, heard }
}

test('the vendor is told that it is over when a conversation cannot be charged, and so is the client', async () => {
  const { conversation, ends, heard } = open(() =>
    Promise.reject(new GatewayError('storage_failed', 'the disk is full')),
  )
  heard.heard?.(USED)
  await conversation.onClose()
  expect(ends).toEqual(['upstream', 'client 1011'])
})

test('both ends are closed once what was used is charged', async () => {
  let isCharged = false
  const { conversation, ends } = open(async () => {
    isCharged = true
  })
  await conversation.onClose()
  expect({ isCharged, ends }).toEqual({ isCharged: true, ends: ['upstream', 'client 1000'] })
})

describe('when nobody can pay for what comes next', () => {
  const delta = (text: string) => JSON.stringify({ type: 'response.text.delta', delta: text })
  const price = priceOf(
    {
      modelRatio: { lab: 1 },
      modelPrice: {},
      completionRatio: { lab: 1 },
      cacheRatio: {},
      createCacheRatio: {},
      groupRatio: { default: 1 },
    },
    { model: 'lab', group: 'default' },
  )
  const hold = { requestId: 'r', userId: 1, tokenId: null, isTokenLimited: false, amount: quota(10) }
  const chargedAfter = async (...frames: readonly string[]): Promise<Outcome | undefined> => {
    let outcome: Outcome | undefined
    const start = { hold, price, inputTokens: 0, outputTokens: 10 }
    const coverage = createHoldExtender(start, { extend: () => Promise.resolve(undefined) })
    const { conversation, heard } = open(async told => {
      outcome = told
    }, coverage)
    for (const frame of frames) heard.heard?.(frame)
    await conversation.onClose()
    return outcome
  }

  test('it costs nothing, since it is withheld', async () => {
    expect(await chargedAfter(delta('a'.repeat(400)))).toMatchObject({
      ending: 'quota-spent',
      provenance: 'free',
    })
  })

  test('what was delivered before is charged', async () => {
    const outcome = await chargedAfter(delta('a'.repeat(16)), delta('a'.repeat(400)))
    expect(outcome).toMatchObject({ ending: 'quota-spent', usage: { output: 4 }, provenance: 'estimated' })
  })

  test('the figures of an answer that was delivered are charged, whatever they are', async () => {
    const done = { type: 'response.done', response: { usage: { input_tokens: 90, output_tokens: 4 } } }
    const outcome = await chargedAfter(delta('a'.repeat(16)), JSON.stringify(done))
    expect(outcome).toMatchObject({ ending: 'quota-spent', usage: { input: 90, output: 4 } })
  })
})
