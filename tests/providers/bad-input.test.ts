import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Send } from '#server/http-client/send.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { isObject, type JsonObject } from '#server/provider-kit/json.ts'
import { receivedBody, receivedResponse } from '#server/testing/received-response.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { CLIENTS, type OddRequest } from './odd-requests.ts'
import { type Buckets, NATIVE_FORMATS, type NativeFormat, PROVIDERS, toStream } from './odd-responses.ts'

/**
 * What nobody should send: each of it from clients of every format, and from or for every provider, whole and streamed. It ends
 * in an error that the client understands or in a bill that can be true, soon, and the books are right.
 */

const USED: Buckets = {
  input: 40,
  cachedInput: 0,
  cacheWrite: 0,
  audioInput: 0,
  imageInput: 0,
  output: 9,
  reasoning: 0,
  audioOutput: 0,
  imageOutput: 0,
}
/** A token costs one unit, whatever it is. */
const CHARGE = USED.input + USED.output
/** The prompt is some tokens long, the text one. */
const ESTIMATE_MAX = 120

let script: (native: NativeFormat) => Response = native => Response.json(native.json(USED))
let calls = 0
let sentBytes = 0
const send: Send = async ({ url, body }) => {
  const native = Object.values(NATIVE_FORMATS).find(({ path }) => path.test(url))
  if (!native) throw new Error(`no format has the path of ${url}`)
  calls += 1
  sentBytes = String(receivedBody(body) ?? '').length
  return receivedResponse(script(native))
}

let relay: TestRelay
let key: string
beforeAll(async () => {
  const all = Object.fromEntries(Object.keys(PROVIDERS).map(model => [model, 1]))
  const prices = testPrices({ ModelRatio: all, CompletionRatio: all })
  relay = await TestRelay.open({ send, prices, wallet: 1_000_000_000, options: { RetryTimes: 0 } })
  for (const [model, type] of Object.entries(PROVIDERS))
    await relay.addChannel({
      type,
      models: model,
      base_url: `https://provider.test${model === 'custom' ? '/v1/chat/completions' : ''}`,
    })
  key = await relay.addToken()
})
afterAll(async () => {
  const user = await relay.db.selectFrom('users').select('held_quota').executeTakeFirstOrThrow()
  expect([(await auditLedger(relay.db)).drift, user.held_quota]).toEqual([0, 0])
  await relay.close()
})

interface SentRequest {
  readonly format: string
  readonly model: string
  readonly isStream: boolean
  readonly odd?: OddRequest
  readonly more?: JsonObject
}

async function ask({ format, model, isStream, odd = {}, more }: SentRequest) {
  const toRequest = CLIENTS.get(format)
  if (!toRequest) throw new Error(`there is no client of ${format}`)
  const { path, body } = toRequest(model, isStream, { tokens: 100, ...odd })
  calls = 0
  const lastId = await findLast()
  const response = await relay.request(path, key, { ...body, ...more })
  const text = await response.text()
  const row = await relay.db
    .selectFrom('logs')
    .select('quota')
    .where('id', '>', lastId)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return { status: response.status, text, charge: Number(row?.quota ?? 0) }
}

async function findLast(): Promise<number> {
  const row = await relay.db.selectFrom('logs').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

/** How clients of each format recognise an error. */
const ERRORS: Readonly<Record<string, RegExp>> = {
  openai: /^\{"error":\{.*"message":".*"type":"/s,
  responses: /^\{"error":\{.*"message":".*"type":"/s,
  anthropic: /^\{"type":"error","error":\{"type":"\w+","message":"/s,
  gemini: /^\{"error":\{"code":400,"message":".*"status":"INVALID_ARGUMENT"/s,
}
const BROKEN: Readonly<Record<string, RegExp>> = {
  openai: /"error":\{/,
  responses: /"response\.failed"/,
  anthropic: /event: error/,
  gemini: /"error":\{/,
}

/** The figures of a usage, wherever it is. */
function mapFigures(json: unknown, change: (figure: number) => number, isUsage = false): unknown {
  if (Array.isArray(json)) return json.map(entry => mapFigures(entry, change, isUsage))
  if (typeof json === 'number' && isUsage) return change(json)
  if (!isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      mapFigures(value, change, isUsage || name === 'usage' || name === 'usageMetadata'),
    ]),
  )
}
const FIGURES: Readonly<Record<string, readonly [change: (figure: number) => number, isExact: boolean]>> = {
  fractions: [figure => figure + (figure > 0 ? 0.25 : 0), true],
  'negative figures': [figure => -figure, false],
  '10^18 tokens': [figure => figure * 10 ** 18, false],
}

/** Details of a kind of content that nobody knows. */
function withSmell(json: unknown): unknown {
  if (Array.isArray(json))
    return json.map(entry =>
      isObject(entry) && entry.modality === 'TEXT' ? { ...entry, modality: 'SMELL' } : withSmell(entry),
    )
  if (!isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      /tokens_details$/.test(name) && isObject(value) ? { ...value, smell_tokens: 5 } : withSmell(value),
    ]),
  )
}

const N = { $ref: '#/$defs/N' }
const BOMBS: Readonly<Record<string, object>> = {
  'contains itself three times': {
    type: 'object',
    properties: { n: N },
    $defs: { N: { type: 'object', properties: { a: N, b: N, c: N } } },
  },
  'is a diamond of thirty definitions': {
    type: 'object',
    properties: { n: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` }
        return [
          `d${at}`,
          at === 29 ? { type: 'string' } : { type: 'object', properties: { a: next, b: next } },
        ]
      }),
    ),
  },
  'contains itself in lists and alternatives': {
    type: 'object',
    properties: { n: N },
    $defs: { N: { anyOf: [{ type: 'array', items: N }, { type: 'object', additionalProperties: N }, N] } },
  },
  'is itself': { type: 'object', properties: { a: { $ref: '#' }, b: { $ref: '#' } } },
}
const CPU_MS_MAX = 1_000
const SENT_BYTES_MAX = 400_000
const MODELS_NAMED = Array.from({ length: 1_000 }, (_, index) => `m${index}`)
const WAYS = [false, true]

for (const format of CLIENTS.keys())
  describe.each(Object.keys(PROVIDERS))(`a client of ${format} and %s`, model => {
    const respondWith = (change: (json: unknown) => unknown, isStream: boolean): void => {
      script = native => {
        const [events] = Object.values(native.streams)
        return isStream
          ? toStream(
              (events?.(USED) ?? []).map(event => change(event) as JsonObject),
              true,
            )
          : Response.json(change(native.json(USED)))
      }
    }

    test.each(Object.entries(FIGURES))(
      'are charged what can be true for %s',
      async (_, [change, isExact]) => {
        for (const isStream of WAYS) {
          respondWith(json => mapFigures(json, change), isStream)
          const { status, text, charge } = await ask({ format, model, isStream })
          expect([isStream, status, /ok|"k"/.test(text)]).toEqual([isStream, 200, true])
          if (isExact) expect([isStream, charge]).toEqual([isStream, CHARGE])
          else expect(charge).toBeWithin(1, ESTIMATE_MAX)
        }
      },
    )

    test('are charged the price of text for contents that nobody knows', async () => {
      for (const isStream of WAYS) {
        respondWith(withSmell, isStream)
        const { status, charge } = await ask({ format, model, isStream })
        expect([isStream, status, charge]).toEqual([isStream, 200, CHARGE])
      }
    })

    test('hear of a stream that ends in the middle of a call, and pay for what came', async () => {
      script = native => toStream(native.callStart, false)
      const { text, charge } = await ask({ format, model, isStream: true })
      expect(text).toMatch(BROKEN[format] ?? '')
      expect(charge).toBeWithin(1, ESTIMATE_MAX)
    })

    test.each(Object.entries(BOMBS))('end soon for a schema that %s', async (_, schema) => {
      script = native => Response.json(native.json(USED))
      for (const odd of [{ tool: { name: 'look', schema } }, { outputSchema: schema }]) {
        const before = process.cpuUsage()
        const { status, text, charge } = await ask({ format, model, isStream: false, odd })
        const { user, system } = process.cpuUsage(before)
        expect((user + system) / 1_000).toBeLessThan(CPU_MS_MAX)
        if (status === 200) expect([charge, sentBytes < SENT_BYTES_MAX]).toEqual([CHARGE, true])
        else {
          expect([status, calls, charge]).toEqual([400, 0, 0])
          expect(text).toMatch(ERRORS[format] ?? '')
          expect(text).toMatch(/schema/)
        }
      }
    })

    test('get an error for a body that names a thousand models', async () => {
      for (const isStream of WAYS)
        for (const more of [{ fallbacks: MODELS_NAMED }, { models: MODELS_NAMED }]) {
          const { status, text, charge } = await ask({ format, model, isStream, more })
          expect([status, calls, charge]).toEqual([400, 0, 0])
          expect(text).toMatch(ERRORS[format] ?? '')
          expect(text).toContain('at most 16 other models')
        }
    })
  })
