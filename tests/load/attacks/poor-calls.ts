import { COST } from '#contract/endpoint.ts'
import { BYTES_PER_POINT } from '#server/http/rate-limits.ts'
import { ROUTES } from '#server/relay/routes/routes.ts'
import { examplePath } from '#server/testing/example-path.ts'
import { loadRoutes } from '#server/testing/open-test-app.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import type { AdminClient } from '../../harness/api-client.ts'

/** A call of a user without money. */
export interface PoorCall {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What the call takes from its user's budget for the management API. */
  readonly points?: number
}

export const MODEL = 'gpt-4o-mini'
const MANY_KEYS = 95_000
const MANY_ELEMENTS = 390_000
const MANY_ITEMS = 9_500
const LONG_TEXT = 7 * 2 ** 20

const repeat = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at))
const keys = (count: number, value: unknown): object =>
  Object.fromEntries(repeat(count, at => [`k${at}`, value]))

/** The body that costs most to parse, for entries that do not read it. */
export const HEAVY_BODY = JSON.stringify({
  model: MODEL,
  messages: [{ role: 'user', content: 'x' }],
  input: 'x',
  metadata: keys(MANY_KEYS, 'a'),
})

/** Every path of the relay. */
export async function everyRelayCall(): Promise<readonly PoorCall[]> {
  const relay = await TestRelay.open()
  const routes = [...ROUTES, ...relay.context.paths].filter(({ auth }) => auth !== 'session')
  await relay.close()
  return routes.map(route => {
    const { method } = route
    const path = examplePath(route)
    const body = method === 'POST' ? { body: HEAVY_BODY } : {}
    return { name: `${method} ${path}`, method, path, ...body }
  })
}

/** What a signed-in user without money may not do again and again: it ends what the other calls need. */
const ENDS_SESSION = /logout|^(PUT|DELETE) .*\/self$/
/** As large as calls of users and visitors may be. */
const MANAGEMENT_BODIES: Readonly<Record<string, string>> = {
  user: JSON.stringify({ name: 'x'.repeat(170_000), list: repeat(9_000, () => ({ a: 1 })) }),
  visitor: JSON.stringify({ name: 'x'.repeat(9_000), list: repeat(800, () => ({ a: 1 })) }),
}

/** A write that succeeds, unlike those with the bodies above. */
const ADDED_TOKEN = JSON.stringify({ name: 'x', unlimited_quota: true })

/** Every call of the management API that users may make. */
export async function managementCalls({ cookie, userId }: AdminClient): Promise<readonly PoorCall[]> {
  const endpoints = (await loadRoutes()).map(({ endpoint }) => endpoint)
  const headers = { cookie, 'new-api-user': String(userId), authorization: '' }
  const calls = endpoints
    .filter(({ method, path, role }) => role in MANAGEMENT_BODIES && !ENDS_SESSION.test(`${method} ${path}`))
    .map(({ method, path, role, cost = method === 'GET' ? 0 : COST.write }) => {
      const body = method === 'GET' ? '' : MANAGEMENT_BODIES[role]
      return {
        name: `${method} ${path}`,
        method,
        path: path.replaceAll(/:\w+/g, '1'),
        headers,
        points: cost + Math.floor(Buffer.byteLength(body ?? '') / BYTES_PER_POINT),
        ...(body && { body }),
      }
    })
  const [method, path] = ['POST', '/api/token/']
  const added = { name: 'a token is added', method, path, headers, body: ADDED_TOKEN, points: COST.write }
  return [...calls, added]
}

/** Frames of a WebSocket of the Responses API, whose user had money when it was opened. */
export const SOCKET_FRAMES: Readonly<Record<string, string>> = {
  turn: frame({ metadata: keys(MANY_KEYS, 'a') }),
  'warm-up with many keys': frame({ generate: false, metadata: keys(MANY_KEYS, 'a') }),
  'warm-up with a long input': frame({ generate: false, input: 'word '.repeat(LONG_TEXT / 5) }),
  'long instructions': frame({ instructions: 'word '.repeat(LONG_TEXT / 5) }),
  'no event': '[]',
}

function frame(fields: object): string {
  return JSON.stringify({ type: 'response.create', model: MODEL, input: 'x', ...fields })
}

const SCHEMAS: Readonly<Record<string, object>> = {
  'many keys': { type: 'object', properties: keys(MANY_KEYS, {}) },
  'fewer keys': { type: 'object', properties: keys(4_000, { type: 'string', description: 'what it is' }) },
  'many levels': JSON.parse(`${'{"items":'.repeat(250)}{}${'}'.repeat(250)}`),
}
const MESSAGES: Readonly<Record<string, readonly object[]>> = {
  'many messages': repeat(MANY_ITEMS, () => ({ role: 'user', content: 'x' })),
  'many parts': [{ role: 'user', content: repeat(MANY_ITEMS, () => ({ type: 'text', text: 'x' })) }],
  'many elements': [{ role: 'user', content: 'x', extra: repeat(MANY_ELEMENTS, () => 0) }],
  'long text': [{ role: 'user', content: 'word '.repeat(LONG_TEXT / 5) }],
  'long word': [{ role: 'user', content: 'w'.repeat(LONG_TEXT) }],
  'a megabyte of text': [{ role: 'user', content: '\u4f60'.repeat(340_000) }],
  'many numbers': [{ role: 'user', content: 'x', extra: repeat(MANY_KEYS, at => at * 1e9 + 0.123456789) }],
}
const TEXT = [{ role: 'user', content: 'x' }]

/** Token counts, which are free, in every shape that has cost much. */
export const TOKEN_COUNTS: readonly PoorCall[] = [
  ...Object.entries(SCHEMAS).flatMap(([name, schema]) => [
    count(name, '/v1/messages/count_tokens', {
      messages: TEXT,
      tools: [{ name: 't', input_schema: schema }],
    }),
    count(name, '/v1/responses/input_tokens', {
      input: 'x',
      tools: [{ type: 'function', name: 't', parameters: schema }],
    }),
    count(name, `/v1beta/models/${MODEL}:countTokens`, {
      contents: [{ role: 'user', parts: [{ text: 'x' }] }],
      generateContentRequest: { tools: [{ functionDeclarations: [{ name: 't', parameters: schema }] }] },
    }),
  ]),
  ...Object.entries(MESSAGES).flatMap(([name, messages]) => [
    count(name, '/v1/messages/count_tokens', { messages }),
    count(name, '/v1/responses/input_tokens', { input: messages }),
  ]),
  count('many references', '/v1/responses/input_tokens', {
    input: repeat(MANY_ITEMS, at => ({ type: 'item_reference', id: `msg_${at}` })),
  }),
  count('many contents', `/v1beta/models/${MODEL}:countTokens`, {
    contents: repeat(MANY_ITEMS, () => ({ role: 'user', parts: [{ text: 'x' }] })),
  }),
]

function count(shape: string, path: string, fields: object): PoorCall {
  const body = JSON.stringify({ model: MODEL, ...fields })
  return { name: `POST ${path}, ${shape}`, method: 'POST', path, body }
}
