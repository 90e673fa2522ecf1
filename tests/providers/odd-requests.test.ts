import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Send } from '#server/http-client/send.ts'
import { createLab } from '#server/lab/open-lab.ts'
import { receivedBody, receivedResponse } from '#server/testing/received-response.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { CLIENTS, type OddRequest } from './odd-requests.ts'

/**
 * What clients send and a provider rejects: each kind was reported by users of gateways, in one format at one provider. Here
 * it comes in every format and goes to every kind of provider, whose lab rejects what the provider does.
 */
const LAB = 'http://lab.test/lab'

/** The types of channels, the format that each has itself, and models with rules of their own. */
const PROVIDERS = [
  {
    type: 1,
    own: ['openai', 'responses'],
    models: ['gpt-4o-mini', 'gpt-5-mini', 'gpt-5.1', 'o3', 'gpt-6-sol'],
  },
  { type: 8, own: ['openai'], models: ['qwen3-max', 'kimi-k2-thinking'] },
  { type: 14, own: ['anthropic'], models: ['claude-sonnet-4-5', 'claude-opus-4-8', 'claude-opus-4-1'] },
  { type: 24, own: ['gemini'], models: ['gemini-2.5-flash', 'gemini-3.1-pro-preview'] },
] as const

const STRING = { type: 'string' }
const OPEN = { type: 'object', properties: { a: STRING } }
const toolWith = (schema: object): OddRequest => ({ tool: { name: 'look', schema } })
const named = (name: string): OddRequest => ({ tool: { name, schema: OPEN }, callId: 'call_1' })
const N = { $ref: '#/$defs/N' }

const KINDS: Readonly<Record<string, OddRequest>> = {
  'a name with dots': named('time.get-now'),
  'a name of 90 characters': named(`mcp__tracker__${'x'.repeat(76)}`),
  'a name of 200 characters': named('x'.repeat(200)),
  'a name with a slash and a blank': named('3d print/all'),
  'a name of other letters': named('天气查询'),
  'a name that begins with a dash': named('-look'),
  "an ID of Kimi's": { ...named('look'), callId: 'functions.look:0' },
  'an empty ID': { ...named('look'), callId: '' },
  'an ID of 200 characters': { ...named('look'), callId: 'c'.repeat(200) },
  'an ID with a bar and other letters': { ...named('look'), callId: 'call|ü|1' },
  'a schema without properties': toolWith({ type: 'object' }),
  'a schema that says nothing': toolWith({}),
  'a union at the top': toolWith({ anyOf: [OPEN, { type: 'object', properties: { b: STRING } }] }),
  'alternatives beside properties': toolWith({ ...OPEN, oneOf: [{ required: ['a'] }, { required: [] }] }),
  'an intersection at the top': toolWith({ allOf: [OPEN, N], $defs: { N: OPEN } }),
  'a reference at the top': toolWith({ ...N, $defs: { N: OPEN } }),
  'a list of anything': toolWith({ type: 'object', properties: { a: { type: 'array' } } }),
  'a tuple of old': toolWith({ type: 'object', properties: { a: { type: 'array', items: [STRING] } } }),
  'a tuple': toolWith({ type: 'object', properties: { a: { type: 'array', prefixItems: [STRING] } } }),
  'numbers to choose from': toolWith({
    type: 'object',
    properties: { a: { type: 'integer', enum: [1, 2] } },
  }),
  'a schema that contains itself': toolWith({
    type: 'object',
    properties: { n: N },
    $defs: { N: { type: 'object', properties: { a: N, b: N, c: N } } },
  }),
  'a temperature of 1.8': { temperature: 1.8 },
  'two kinds of sampling': { temperature: 0.7, topP: 0.9 },
  'more tokens than any model writes': { tokens: 900_000 },
  'seven stops': { stops: 7 },
  'instructions of a developer': { instructions: 'Be brief.' },
  'a blank answer': { earlierText: '\n' },
  'a result that refers to something': { ...named('look'), result: '{"schema":{"$ref":"#/$defs/B"}}' },
  'an open output schema with limits': {
    outputSchema: {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 }, s: { ...STRING, maxLength: 9 } },
    },
  },
}
/** In a provider's own format these are the client's word: the provider's refusal is the client's to read. */
const OWN_WORD = new Set(Object.keys(KINDS).filter(kind => !kind.startsWith('instructions')))

/** Their clients know no higher one. */
const CLAUDE_TEMPERATURE_MAX = 1

const lab = createLab()
let rejections: string[] = []
const send: Send = async ({ url, headers, body }) => {
  const sent = receivedBody(body) ?? ''
  const response = await lab.fetch(new Request(url, { method: 'POST', headers, body: sent }))
  if (!response.ok) rejections.push(`${await response.clone().text()} ${sent}`)
  return receivedResponse(response)
}

let relay: TestRelay
let key: string
beforeAll(async () => {
  const models = PROVIDERS.flatMap(({ models }) => models)
  const prices = testPrices({ ModelRatio: Object.fromEntries(models.map(model => [model, 1])) })
  relay = await TestRelay.open({ send, prices, wallet: 1_000_000_000_000 })
  for (const { type, models } of PROVIDERS)
    await relay.addChannel({
      type,
      models: models.join(','),
      base_url: type === 8 ? `${LAB}/v1/chat/completions` : LAB,
    })
  key = await relay.addToken()
})
afterAll(() => relay.close())

for (const [format, toRequest] of CLIENTS)
  for (const { own, models } of PROVIDERS)
    describe.each([...models])(`a request of ${format} to %s`, model => {
      const isOwn = own.some(name => name === format)
      const kinds = Object.entries(KINDS).filter(
        ([kind, { temperature = 0 }]) =>
          !(isOwn && OWN_WORD.has(kind)) && (format !== 'anthropic' || temperature <= CLAUDE_TEMPERATURE_MAX),
      )
      test.each(kinds)('is taken with %s', async (_, odd) => {
        for (const isStream of [false, true]) {
          rejections = []
          const { path, body } = toRequest(model, isStream, odd)
          const response = await relay.request(path, key, body)
          const text = await response.text()
          expect(rejections).toEqual([])
          expect(response.status, text).toBe(200)
        }
      })
    })
