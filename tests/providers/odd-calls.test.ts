import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Send } from '#server/http-client/send.ts'
import { asArray, asObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { CLIENTS } from './odd-requests.ts'
import { toStream } from './odd-responses.ts'
import {
  readChatStream,
  readGenerateStream,
  readMessagesStream,
  readResponsesStream,
} from './read-streams.ts'

/**
 * How servers that call themselves compatible with OpenAI write calls of tools: each way was reported by users of gateways at one
 * server. Whatever it is, a client of every format gets both calls, each with its arguments and an id of its own.
 */

const PARIS = { city: 'Paris' }
const ROME = { city: 'Rome' }
const BOTH = [PARIS, ROME]
const text = (value: object): string => JSON.stringify(value)
const called = (fields: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  ...more,
  function: { name: 'look', ...fields },
})
const pair = (toCall: (city: object, at: number) => JsonObject): readonly JsonObject[] => BOTH.map(toCall)

/** The calls of a complete message. */
const JSON_CALLS: Readonly<Record<string, readonly JsonObject[]>> = {
  'as they should be': pair((city, at) => called({ arguments: text(city) }, { id: `c${at}` })),
  'arguments as objects': pair((city, at) => called({ arguments: city }, { id: `c${at}` })),
  'no ids': pair(city => called({ arguments: text(city) })),
  'one id twice': pair(city => called({ arguments: text(city) }, { id: 'c' })),
  'empty ids': pair(city => called({ arguments: text(city) }, { id: '' })),
  'ids of null': pair(city => called({ arguments: text(city) }, { id: null })),
  'ids that are numbers': pair((city, at) => called({ arguments: text(city) }, { id: at })),
  'no type': pair((city, at) => ({ id: `c${at}`, function: { name: 'look', arguments: text(city) } })),
  'an index': pair((city, at) => called({ arguments: text(city) }, { id: `c${at}`, index: at })),
  'blanks around the arguments': pair((city, at) =>
    called({ arguments: `\n ${text(city)} ` }, { id: `c${at}` }),
  ),
}

const event = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta, finish_reason }],
})
const events = (...calls: readonly JsonObject[]): readonly JsonObject[] =>
  calls.map(call => event({ tool_calls: [call] }))
const [left, right] = ['{"city":', '"Paris"}']
const rest = (part: string, more: JsonObject = {}): JsonObject => ({ ...more, function: { arguments: part } })

/** The calls of a stream. */
const STREAMS: Readonly<Record<string, readonly JsonObject[]>> = {
  'in parts, as they should be': events(
    called({ arguments: '' }, { index: 0, id: 'a' }),
    rest(left, { index: 0 }),
    rest(right, { index: 0 }),
    called({ arguments: text(ROME) }, { index: 1, id: 'b' }),
  ),
  'all in one event': [event({ tool_calls: JSON_CALLS['an index'] ?? [] })],
  'all in one event, without an index': [event({ tool_calls: JSON_CALLS['no ids'] ?? [] })],
  'each with the index 0': events(
    ...pair((city, at) => called({ arguments: text(city) }, { index: 0, id: `c${at}` })),
  ),
  'each with the index 0 and no id': events(...pair(city => called({ arguments: text(city) }, { index: 0 }))),
  'an index that is a text': events(
    called({ arguments: left }, { index: '0', id: 'a' }),
    rest(right, { index: '0' }),
    called({ arguments: text(ROME) }, { index: '1', id: 'b' }),
  ),
  'an index of null': events(
    called({ arguments: left }, { index: null, id: 'a' }),
    rest(right, { index: null }),
    called({ arguments: text(ROME) }, { index: null, id: 'b' }),
  ),
  'an index from 1 on': events(
    ...pair((city, at) => called({ arguments: text(city) }, { index: at + 1, id: `c${at}` })),
  ),
  'the id with the last part': events(
    called({ arguments: left }, { index: 0 }),
    rest(right, { index: 0, id: 'a' }),
    called({ arguments: text(ROME) }, { index: 1 }),
    rest('', { index: 1, id: 'b' }),
  ),
  'arguments of null at first': events(
    called({ arguments: null }, { index: 0, id: 'a' }),
    rest(text(PARIS), { index: 0 }),
    called({ arguments: null }, { index: 1, id: 'b' }),
    rest(text(ROME), { index: 1 }),
  ),
  'arguments as objects': events(
    ...pair((city, at) => called({ arguments: city }, { index: at, id: `c${at}` })),
  ),
  'arguments as objects, without ids': events(
    ...pair((city, at) => called({ arguments: city }, { index: at })),
  ),
  'numbers as ids': events(
    ...pair((city, at) => called({ arguments: text(city) }, { index: at, id: at + 7 })),
  ),
  'one id twice': events(...pair((city, at) => called({ arguments: text(city) }, { index: at, id: 'c' }))),
  'empty names later': events(
    called({ arguments: left }, { index: 0, id: 'a' }),
    { index: 0, id: '', function: { name: '', arguments: right } },
    called({ arguments: text(ROME) }, { index: 1, id: 'b' }),
  ),
  'names of null later': events(
    called({ arguments: left }, { index: 0, id: 'a' }),
    { index: 0, id: null, type: null, function: { name: null, arguments: right } },
    called({ arguments: text(ROME) }, { index: 1, id: 'b' }),
  ),
  'no list or an empty one between': [
    ...events(called({ arguments: left }, { index: 0, id: 'a' })),
    event({ content: '', tool_calls: null }),
    event({ content: null, tool_calls: [] }),
    ...events(rest(right, { index: 0 }), called({ arguments: text(ROME) }, { index: 1, id: 'b' })),
  ],
  'in turns': events(
    called({ arguments: left }, { index: 0, id: 'a' }),
    called({ arguments: left }, { index: 1, id: 'b' }),
    rest('"Rome"}', { index: 1 }),
    rest(right, { index: 0 }),
  ),
}
const ENDS: Readonly<Record<string, readonly JsonObject[]>> = {
  tool_calls: [event({}, 'tool_calls')],
  stop: [event({}, 'stop')],
  function_call: [event({}, 'function_call')],
  'no reason': [],
}
const USAGE = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }

const PROVIDERS: Readonly<Record<string, number>> = {
  custom: 8,
  openrouter: 20,
  deepseek: 43,
  mistral: 42,
}

let script: () => Response = () => Response.json({})
const send: Send = async ({ url }) =>
  receivedResponse(/chat\/completions/.test(url) ? script() : new Response('no such path', { status: 404 }))
let relay: TestRelay
let key: string
beforeAll(async () => {
  const all = Object.fromEntries(Object.keys(PROVIDERS).map(model => [model, 1]))
  relay = await TestRelay.open({
    send,
    prices: testPrices({ ModelRatio: all, CompletionRatio: all }),
    wallet: 1_000_000_000,
  })
  for (const [model, type] of Object.entries(PROVIDERS))
    await relay.addChannel({
      type,
      models: model,
      base_url: `https://provider.test${type === 8 ? '/v1/chat/completions' : ''}`,
    })
  key = await relay.addToken()
})
afterAll(() => relay.close())

type Call = readonly [id: unknown, name: unknown, args: unknown]
const parsed = (value: unknown): unknown => (typeof value === 'string' ? parseJson(value) : value)
const objects = (value: unknown): readonly JsonObject[] => asArray(value).map(asObject)

/** The calls in a complete response of each format, and how its stream is put together. */
const READERS: Readonly<
  Record<
    string,
    readonly [readStream: (text: string) => JsonObject, listCalls: (reply: JsonObject) => readonly Call[]]
  >
> = {
  openai: [
    readChatStream,
    ({ choices }) =>
      objects(asObject(objects(choices)[0]?.message).tool_calls).map(({ id, function: inner }) => {
        const { name, arguments: args } = asObject(inner)
        return [id, name, parsed(args)]
      }),
  ],
  anthropic: [
    readMessagesStream,
    ({ content }) =>
      objects(content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => [id, name, input]),
  ],
  responses: [
    readResponsesStream,
    ({ output }) =>
      objects(output)
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id, name, arguments: args }) => [call_id, name, parsed(args)]),
  ],
  gemini: [
    readGenerateStream,
    ({ candidates }) =>
      objects(asObject(objects(candidates)[0]?.content).parts)
        .map(({ functionCall }) => asObject(functionCall))
        .map(({ id, name, args }) => [id, name, args]),
  ],
}

/** Both calls, as the client of a format reads them. */
async function expectBoth(format: string, model: string, isStream: boolean): Promise<void> {
  const [readStream, listCalls] = READERS[format] ?? []
  const request = CLIENTS.get(format)?.(model, isStream, {
    tool: { name: 'look', schema: { type: 'object', properties: { city: { type: 'string' } } } },
    tokens: 500,
  })
  if (!request || !readStream || !listCalls) throw new Error(`there is no client of ${format}`)
  const response = await relay.request(request.path, key, request.body)
  const received = await response.text()
  expect([response.status, received]).toEqual([200, expect.not.stringMatching(/"error":\{/)])
  const calls = listCalls(isStream ? readStream(received) : asObject(parseJson(received)))
  expect(calls.map(([, name, args]) => [name, args])).toEqual(BOTH.map(city => ['look', city]))
  const ids = calls.map(([id]) => id)
  // Google's ids are optional.
  if (format !== 'gemini' || ids.some(id => id !== undefined)) {
    expect(ids.every(id => typeof id === 'string' && id !== '')).toBe(true)
    expect(new Set(ids).size).toBe(BOTH.length)
  }
}

for (const format of CLIENTS.keys())
  describe.each(Object.keys(PROVIDERS))(`a client of ${format} gets both calls of %s`, model => {
    test.each(Object.entries(JSON_CALLS))('whole, with %s', async (_, tool_calls) => {
      for (const finish_reason of ['tool_calls', 'stop', null]) {
        const message = { role: 'assistant', content: null, tool_calls }
        script = () => Response.json({ choices: [{ index: 0, message, finish_reason }], usage: USAGE })
        await expectBoth(format, model, false)
      }
    })

    test.each(Object.entries(STREAMS))('in a stream, with %s', async (_, sent) => {
      for (const end of Object.values(ENDS)) {
        script = () => toStream([...sent, ...end, { choices: [], usage: USAGE }], true)
        await expectBoth(format, model, true)
      }
    })
  })
