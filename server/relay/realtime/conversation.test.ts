import { expect, test } from 'bun:test'
import { GatewayError } from '../../kernel/errors.ts'
import type { Order } from '../order.ts'
import { Conversation } from './conversation.ts'

/** All of an order that a conversation looks at before it ends. */
const ORDER = { requestId: 'r', startedMs: 0 } as Order
const USED = JSON.stringify({
  type: 'response.done',
  response: { usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
})

/** A conversation whose charge can be stored or not, and what becomes of its two ends. */
function open(close: () => Promise<void>) {
  const ends: string[] = []
  const heard: { closed?: (isGood: boolean) => void; heard?: (frame: string) => void } = {}
  const conversation = new Conversation({
    order: ORDER,
    protocol: undefined,
    coverage: {
      covers: () => true,
      extendTo: async () => true,
      coversUsage: async () => true,
      hold: () => {
        throw new Error('nobody asks')
      },
    },
    upstream: {
      send: () => undefined,
      close: () => void ends.push('upstream'),
      listen: listener => void Object.assign(heard, listener),
    },
    close,
  })
  conversation.opened({ send: () => undefined, close: code => void ends.push(`client ${code}`) })
  return { conversation, ends, heard }
}

test('the vendor is told that it is over when a conversation cannot be charged, and so is the client', async () => {
  const { conversation, ends, heard } = open(() =>
    Promise.reject(new GatewayError('storage_failed', 'the disk is full')),
  )
  heard.heard?.(USED)
  await conversation.closed()
  expect(ends).toEqual(['upstream', 'client 1011'])
})

test('both ends are closed once what was used is charged', async () => {
  let isCharged = false
  const { conversation, ends } = open(async () => {
    isCharged = true
  })
  await conversation.closed()
  expect({ isCharged, ends }).toEqual({ isCharged: true, ends: ['upstream', 'client 1000'] })
})
