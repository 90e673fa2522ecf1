import { expect, test } from 'bun:test'
import type { AdapterCall, ChannelView, UpstreamRequest } from '../contract/operation-adapter.ts'
import type { JsonObject } from '../json.ts'
import {
  balanceEndpoint,
  openaiCompatibleBalance,
  openaiCompatibleCompletions,
  openaiCompatibleEmbeddings,
} from './operations.ts'

const call: AdapterCall<JsonObject> = {
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  model: 'm',
  body: { model: 'asked', prompt: 'a', stream: true, unheard_of: 1 },
  isStream: true,
  requestId: 'r',
  nowSeconds: 0,
}

test('sends the complete body and requests usage', () => {
  const { url, body } = openaiCompatibleCompletions().request(call)
  expect(url).toBe('https://v.example/v1/completions')
  expect(JSON.parse(String(body))).toEqual({
    model: 'm',
    prompt: 'a',
    stream: true,
    unheard_of: 1,
    stream_options: { include_usage: true },
  })
})

test('reads the texts, the end and the usage of all choices from a stream', () => {
  const reader = openaiCompatibleCompletions().stream?.(call)
  const read = (json: object) => reader?.read({ data: JSON.stringify(json), raw: '' }) ?? []
  const choice = (index: number, text: string, finish_reason: string | null) => ({
    choices: [{ index, text, finish_reason }],
  })
  expect([
    ...read({ id: 'cmpl-1', ...choice(0, 'He', null) }),
    ...read(choice(1, 'Wo', null)),
    ...read(choice(0, 'y', 'length')),
    ...read({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 3 } }),
  ]).toMatchObject([
    { type: 'start', id: 'cmpl-1' },
    { type: 'text-delta', text: 'He', choice: 0 },
    { type: 'text-delta', text: 'Wo', choice: 1 },
    { type: 'text-delta', text: 'y', choice: 0 },
    { type: 'finish', reason: 'length', choice: 0 },
  ])
  expect(reader?.end()).toMatchObject({ isComplete: true, usage: { input: 2, output: 3 } })
})

test('reads an error in a stream as a failure', () => {
  const reader = openaiCompatibleCompletions().stream?.(call)
  const data = JSON.stringify({ error: { message: 'gone', type: 'server_error' } })
  expect(reader?.read({ data, raw: '' })).toMatchObject([{ type: 'failure', failure: { message: 'gone' } }])
})

const embeddings = openaiCompatibleEmbeddings({ drop: ['user'] })
const embeddingsCall = {
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  model: 'mapped',
  body: { model: 'asked', input: ['a', 'b'], user: 'u', dimensions: 2 },
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
}

test('sends the mapped model name and every field that the provider accepts', () => {
  const { url, body } = embeddings.request(embeddingsCall)
  expect(url).toBe('https://v.example/v1/embeddings')
  expect(JSON.parse(String(body))).toEqual({ model: 'mapped', input: ['a', 'b'], dimensions: 2 })
})

test('sorts vectors by the order of the inputs', () => {
  const data = [
    { index: 1, embedding: [2] },
    { index: 0, embedding: [1] },
  ]
  expect(embeddings.reply({ data }, embeddingsCall)).toMatchObject({ reply: { vectors: [[1], [2]] } })
})

test('decodes responses instead of passing through numbers in place of base64', () => {
  expect(embeddings.nativeFormat).toBeUndefined()
})

test('reads an error with status 200 as a failure', () => {
  const json = { error: { message: 'no such model', code: 'model_not_found' } }
  expect(embeddings.reply(json, embeddingsCall)).toMatchObject({ kind: 'failure', failure: { status: 404 } })
})

const channel: ChannelView = {
  id: 1,
  key: 'k',
  baseUrl: 'https://v.example',
  other: '',
  organization: '',
  setting: {},
}
const MARCH_15TH = Date.parse('2026-03-15T12:00:00Z') / 1000

function ask(subscription: unknown, usage: unknown, status = 200) {
  const sent: string[] = []
  const send = ({ url }: UpstreamRequest) => {
    sent.push(url)
    return Promise.resolve({ status, json: sent.length === 1 ? subscription : usage })
  }
  return { sent, balance: openaiCompatibleBalance(channel, { nowSeconds: MARCH_15TH, send }) }
}

test('requests the usage of the current month where a payment method is set', async () => {
  const { sent, balance } = ask({ hard_limit_usd: 10, has_payment_method: true }, { total_usage: 250 })
  expect(await balance).toEqual({ amount: 7.5, currency: 'USD' })
  expect(sent[1]).toEndWith('/v1/dashboard/billing/usage?start_date=2026-03-01&end_date=2026-03-15')
})

test('requests the usage of the last hundred days where no payment method is set', async () => {
  const { sent, balance } = ask({ hard_limit_usd: 10, has_payment_method: false }, { total_usage: 0 })
  await balance
  expect(sent[1]).toContain('start_date=2025-12-05&')
})

test('names the missing fields when the provider reports no balance', async () => {
  await expect(ask({}, {}, 404).balance).rejects.toThrow('status 404')
  await expect(ask({ hard_limit_usd: 10 }, {}).balance).rejects.toThrow('total_usage')
})

const accountChannel: ChannelView = {
  id: 1,
  key: 'k',
  baseUrl: 'https://v.example',
  other: '',
  organization: '',
  setting: {},
}
const balance = balanceEndpoint({
  path: '/v1/account',
  read: ({ left }) => (left === undefined ? undefined : { amount: Number(left), currency: 'CNY' }),
})
const askAccount = (status: number, json: unknown) =>
  balance(accountChannel, { nowSeconds: 0, send: () => Promise.resolve({ status, json }) })

test('reads the balance from a single response', async () => {
  expect(await askAccount(200, { left: '1.5' })).toEqual({ amount: 1.5, currency: 'CNY' })
})

test.each([
  [401, { left: '1.5' }],
  [200, {}],
  [200, 'text'],
  [200, { left: 'much' }],
])('rejects a %d with %j instead of guessing a balance', async (status, json) => {
  await expect(askAccount(status, json)).rejects.toThrow(`status ${status}`)
})
