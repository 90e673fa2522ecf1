import { describe, expect, test } from 'bun:test'
import { nextTurn } from '#server/core/async.ts'
import { GatewayError } from '#server/core/errors.ts'
import { sameInBoth } from '#server/core/language.ts'
import { MIB } from '#server/core/limits.ts'
import { quota } from '#server/core/money.ts'
import { dialect } from '#server/dialects/openai/index.ts'
import { createHoldExtender, type HoldExtender } from '#server/relay/billing/hold.ts'
import { AbandonedResponses, ClientPresence, type LiveCall } from '#server/relay/request/client-presence.ts'
import type { ConversationParts, Outcome, RelayRequest } from '#server/relay/types.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { Conversation } from './conversation.ts'

const CLIENT = { caller: { token: undefined }, connection: { clientIp: () => '' } }
/** The part of a request that a conversation reads before it ends. */
const REQUEST = { requestId: 'r', startedMs: 0, client: dialect, language: 'en' } as RelayRequest
const USED = JSON.stringify({
  type: 'response.done',
  response: { usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
})

/** Stands for policies and features that refuse events by their words. */
function judge(event: unknown): void {
  if (JSON.stringify(event).toLowerCase().includes('bad word'))
    throw new GatewayError('sensitive_words_detected', sameInBoth('bad word'))
}

const ENDLESS: HoldExtender = {
  isWithinHold: () => true,
  extendTo: async () => true,
  extendToUsage: async () => true,
  hold: () => {
    throw new Error('not expected')
  },
}

const NO_READING = { readMs: 0, bytesMax: 0 }

/** Opens a conversation and records how its two ends are closed. */
function open(
  close: (outcome: Outcome) => Promise<void>,
  holdExtender: HoldExtender = ENDLESS,
  { readMs, bytesMax } = NO_READING,
  gate: Partial<Pick<ConversationParts, 'admitFrame'>> = {},
) {
  const ends: string[] = []
  const forwarded: unknown[] = []
  const received: string[] = []
  const upstream: { onClose?: (isGood: boolean) => void; onFrame?: (frame: string) => void } = {}
  const openCalls = new Set<LiveCall>()
  const client = new ClientPresence(new AbortController().signal, CLIENT, {
    abandonedResponses: new AbandonedResponses(),
    openCalls,
    settings: {
      current: () => ({ DisconnectReadSeconds: readMs / 1_000, DisconnectReadMegabytes: bytesMax / MIB }),
    },
  })
  const conversation = new Conversation({
    request: REQUEST,
    extendHold: holdExtender.extendToUsage,
    client,
    judge,
    checkUsage: usage => ({ usage }),
    admitFrame: () => undefined,
    ...gate,
    upstream: {
      send: frame => void forwarded.push(frame),
      unsentBytes: () => 0,
      close: () => void ends.push('upstream'),
      listen: listener => void Object.assign(upstream, listener),
    },
    close: outcome => {
      client.end()
      return close(outcome)
    },
  })
  conversation.onOpen({
    send: frame => void received.push(String(frame)),
    drained: () => Promise.resolve(),
    close: code => void ends.push(`client ${code}`),
  })
  return { conversation, ends, upstream, forwarded, received, openCalls }
}

test('ends when the caller may not go on, and charges what was used', async () => {
  const outcomes: Outcome[] = []
  const { conversation, ends, upstream, received, forwarded, openCalls } = open(
    async outcome => void outcomes.push(outcome),
  )
  upstream.onFrame?.(USED)
  await nextTurn()
  for (const call of openCalls) call.revoke(new GatewayError('user_banned', sameInBoth('banned')))
  await nextTurn()
  conversation.onMessage('{"type":"input_audio_buffer.commit"}')
  expect(forwarded).toEqual([])
  expect(received.join()).toContain('user_banned')
  expect(ends).toEqual(['upstream', 'client 1008'])
  expect(outcomes).toMatchObject([{ ending: 'access-ended', provenance: 'upstream' }])
  expect(openCalls.size).toBe(0)
})

test('passes on no frame beyond the share of its caller, and goes on', () => {
  let isBusy = true
  const { conversation, forwarded, received } = open(async () => undefined, ENDLESS, NO_READING, {
    admitFrame(bytes) {
      if (isBusy && bytes > 0) throw new GatewayError('server_busy', sameInBoth('busy'))
    },
  })
  const frame = '{"type":"input_audio_buffer.commit"}'
  conversation.onMessage(frame)
  isBusy = false
  conversation.onMessage(frame)
  expect(received.join()).toContain('server_busy')
  expect(forwarded).toEqual([frame])
})

test('passes on nothing after its end', async () => {
  const { conversation, upstream, forwarded } = open(async () => undefined)
  upstream.onClose?.(true)
  await nextTurn()
  conversation.onMessage('{"type":"input_audio_buffer.commit"}')
  expect(forwarded).toEqual([])
})

test('passes on no event with more keys than any session has', () => {
  const { conversation, forwarded, received } = open(async () => undefined)
  const keys = Array.from({ length: 10_001 }, (_, at) => `"k${at}":1`).join()
  conversation.onMessage(`{"type":"session.update",${keys}}`)
  expect(forwarded).toEqual([])
  expect(received[0]).toContain('error')
})

test('closes both ends when a conversation cannot be charged', async () => {
  const { conversation, ends, upstream } = open(() =>
    Promise.reject(new GatewayError('storage_failed', sameInBoth('the disk is full'))),
  )
  upstream.onFrame?.(USED)
  await conversation.onClose()
  expect(ends).toEqual(['upstream', 'client 1011'])
})

test('closes both ends once the usage is charged', async () => {
  let isCharged = false
  const { conversation, ends } = open(async () => {
    isCharged = true
  })
  await conversation.onClose()
  expect({ isCharged, ends }).toEqual({ isCharged: true, ends: ['upstream', 'client 1000'] })
})

describe('an event with a sensitive word', () => {
  const content = [{ type: 'input_text', text: 'a Bad Word' }]
  const events = [
    { type: 'conversation.item.create', item: { type: 'message', role: 'user', content } },
    { type: 'session.update', session: { instructions: 'a bad word' } },
    { type: 'response.create', response: { instructions: 'a bad word' } },
  ]

  test.each(events)('is not passed on, and the conversation goes on', async event => {
    let outcome: Outcome | undefined
    const { conversation, forwarded, received } = open(async charged => {
      outcome = charged
    })
    for (const frame of [JSON.stringify(event), new TextEncoder().encode(JSON.stringify(event))])
      conversation.onMessage(frame)
    expect(forwarded).toEqual([])
    expect(received.map(frame => JSON.parse(frame))).toMatchObject(
      Array.from({ length: 2 }, () => ({ type: 'error', error: { code: 'sensitive_words_detected' } })),
    )
    const fine = JSON.stringify({ type: 'response.create' })
    conversation.onMessage(fine)
    expect(forwarded).toEqual([fine])
    await conversation.onClose()
    expect(outcome).toMatchObject({ provenance: 'free', usage: { input: 0 } })
  })
})

test.each([
  ['a key twice', '{"type":"session.update","type":"response.create"}'],
  ['a nested key twice', '{"type":"response.create","response":{"instructions":"","instructions":"long"}}'],
  ['keys that differ only by case', '{"type":"session.update","Type":"response.create"}'],
  ['such keys in its session', '{"type":"session.update","session":{"Instructions":"long"}}'],
  ['more than JSON', '{"type":"response.create",}'],
])('an event with %s is not passed on, and the conversation goes on', async (_, frame) => {
  const { conversation, forwarded, received, ends } = open(() => Promise.resolve())
  conversation.onMessage(frame)
  expect(forwarded).toEqual([])
  expect(received.map(text => JSON.parse(text))).toMatchObject([{ type: 'error' }])
  expect(ends).toEqual([])
})

describe('a client that leaves during a response', () => {
  const created = JSON.stringify({ type: 'response.created', response: {} })
  const openLeaving = (afterDisconnect: { readMs: number; bytesMax: number }) => {
    const outcomes: Outcome[] = []
    const close = async (outcome: Outcome) => void outcomes.push(outcome)
    return { ...open(close, ENDLESS, afterDisconnect), outcomes }
  }

  test('has it cancelled and charged by the figures that follow', async () => {
    const { conversation, upstream, forwarded, outcomes } = openLeaving({ readMs: 5_000, bytesMax: 10_000 })
    upstream.onFrame?.(created)
    const closed = conversation.onClose()
    await Bun.sleep(1)
    expect(forwarded).toEqual([JSON.stringify({ type: 'response.cancel' })])
    expect(outcomes).toEqual([])
    upstream.onFrame?.(USED)
    await closed
    expect(outcomes).toMatchObject([{ provenance: 'upstream', usage: { input: 3, output: 4 } }])
  })

  test('is charged by estimate when no figures follow in time', async () => {
    const { conversation, upstream, outcomes } = openLeaving({ readMs: 20, bytesMax: 10_000 })
    upstream.onFrame?.(JSON.stringify({ type: 'session.created', session: { instructions: 'a'.repeat(40) } }))
    upstream.onFrame?.(created)
    await conversation.onClose()
    expect(outcomes).toMatchObject([{ provenance: 'estimated', usage: { input: 10, output: 0 } }])
  })
})

test('says which model the session names', async () => {
  const outcomes: Outcome[] = []
  const { conversation, upstream } = open(async outcome => void outcomes.push(outcome))
  upstream.onFrame?.(JSON.stringify({ type: 'session.created', session: { model: 'dear' } }))
  upstream.onFrame?.(JSON.stringify({ type: 'session.updated', session: {} }))
  upstream.onFrame?.(USED)
  await conversation.onClose()
  expect(outcomes).toMatchObject([{ servedModel: 'dear', usage: { input: 3, output: 4 } }])
})

describe('a conversation whose payer cannot afford more', () => {
  const delta = (text: string) => JSON.stringify({ type: 'response.text.delta', delta: text })
  const prices = testPrices({ ModelRatio: { lab: 1 }, CompletionRatio: { lab: 1 } })
  const price = prices.get({ model: 'lab', group: 'default' })
  const payer = { userId: 1, tokenId: null, isTokenLimited: false }
  const hold = { requestId: 'r', ...payer, amount: quota(50), isShort: true } as const
  const chargedAfter = async (...frames: readonly string[]): Promise<Outcome | undefined> => {
    let outcome: Outcome | undefined
    const reservation = { hold, price, heldPrice: price, outputTokens: 10 }
    const holdExtender = createHoldExtender(reservation, 0, {
      extend: () => Promise.resolve(undefined),
      affordable: () => Promise.resolve(quota(10)),
    })
    const { conversation, upstream } = open(async charged => {
      outcome = charged
    }, holdExtender)
    for (const frame of frames) upstream.onFrame?.(frame)
    await conversation.onClose()
    return outcome
  }

  test('charges nothing for output that was withheld', async () => {
    expect(await chargedAfter(delta('a'.repeat(400)))).toMatchObject({
      ending: 'quota-spent',
      provenance: 'free',
    })
  })

  test('charges the output that was delivered before', async () => {
    const outcome = await chargedAfter(delta('a'.repeat(16)), delta('a'.repeat(400)))
    expect(outcome).toMatchObject({ ending: 'quota-spent', usage: { output: 4 }, provenance: 'estimated' })
  })

  test('charges the figures of a response that was delivered, even beyond the hold', async () => {
    const done = { type: 'response.done', response: { usage: { input_tokens: 90, output_tokens: 4 } } }
    const outcome = await chargedAfter(delta('a'.repeat(16)), JSON.stringify(done))
    expect(outcome).toMatchObject({ ending: 'quota-spent', usage: { input: 90, output: 4 } })
  })
})
