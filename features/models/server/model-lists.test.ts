import { afterEach, beforeEach, expect, test } from 'bun:test'
import { asArray, asObject, type JsonObject } from '#server/provider-kit/json.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

const ANTHROPIC = { 'anthropic-version': '2023-06-01' }

let relay: TestRelay
let key: string

beforeEach(async () => {
  relay = await TestRelay.open({ options: { ModelOutputLimit: { b: 8_000 } } })
  await relay.addChannel({ models: 'a,b,c,text-embedding-1,gpt-4o', max_input_tokens: 100_000 })
  await relay.addChannel({ models: 'b', max_input_tokens: 50_000 })
  await relay.addChannel({ models: 'c' })
  key = await relay.addToken()
})

afterEach(() => relay.close())

async function list(
  path: string,
  headers = {},
): Promise<{ readonly status: number; readonly json: JsonObject }> {
  const response = await relay.request(path, key, undefined, headers)
  return { status: response.status, json: asObject(await response.json()) }
}

const namesIn = (models: unknown): readonly unknown[] =>
  asArray(models).map(model => asObject(model).id ?? asObject(model).name)

test.each([
  ['', ['a', 'b', 'c', 'gpt-4o', 'text-embedding-1'], false],
  ['?limit=2', ['a', 'b'], true],
  ['?limit=2&after_id=b', ['c', 'gpt-4o'], true],
  ['?limit=2&after_id=c', ['gpt-4o', 'text-embedding-1'], false],
  ['?after_id=text-embedding-1', [], false],
  ['?limit=2&before_id=gpt-4o', ['b', 'c'], true],
  ['?limit=9&before_id=c', ['a', 'b'], false],
])("pages Anthropic's list by %s", async (query, ids, hasMore) => {
  const { json } = await list(`/v1/models${query}`, ANTHROPIC)
  expect(namesIn(json.data)).toEqual(ids)
  expect([json.has_more, json.first_id, json.last_id]).toEqual([
    hasMore,
    ids.at(0) ?? null,
    ids.at(-1) ?? null,
  ])
})

test('lists and shows only the models that a token may use', async () => {
  key = await relay.addToken({ columns: { model_limits_enabled: 1, model_limits: 'b,unserved' } })
  expect(namesIn((await list('/v1/models')).json.data)).toEqual(['b'])
  expect((await list('/v1/models/b')).status).toBe(200)
  expect((await list('/v1/models/a')).status).toBe(404)
})

test("pages Gemini's list to its end", async () => {
  const first = (await list('/v1beta/models?pageSize=3')).json
  const second = (await list(`/v1beta/models?pageSize=3&pageToken=${first.nextPageToken}`)).json
  expect([first, second].flatMap(({ models }) => namesIn(models))).toEqual(
    ['a', 'b', 'c', 'gpt-4o', 'text-embedding-1'].map(id => `models/${id}`),
  )
  expect(second.nextPageToken).toBeUndefined()
})

test.each([
  ['/v1/models?limit=0', ANTHROPIC],
  ['/v1/models?limit=many', ANTHROPIC],
  ['/v1/models?after_id=nothing', ANTHROPIC],
  ['/v1/models?before_id=nothing', ANTHROPIC],
  ['/v1beta/models?pageSize=-1', {}],
  ['/v1beta/models?pageToken=nothing', {}],
])('rejects the page of %s', async (path, headers) => {
  const { status, json } = await list(path, headers)
  expect(status).toBe(400)
  expect(asObject(json.error).message).toMatch(/found "(0|many|nothing|-1)", needed/)
})

test('says how long an input the channels take and an output may be, where that is known', async () => {
  const { data } = (await list('/v1/models', ANTHROPIC)).json
  expect(data).toMatchObject([
    { id: 'a', display_name: 'a', max_input_tokens: 100_000, max_tokens: null },
    { id: 'b', max_input_tokens: 100_000, max_tokens: 8_000 },
    { id: 'c', max_input_tokens: null },
    {},
    {},
  ])
  expect((await list('/v1beta/models/b')).json).toMatchObject({
    inputTokenLimit: 100_000,
    outputTokenLimit: 8_000,
  })
})

test('says of a model whose provider will drop it that it is deprecated, and how much its window holds', async () => {
  await relay.addChannel({ models: 'claude-opus-4-8,claude-sonnet-4-5', max_input_tokens: 900_000 })
  const { data } = (await list('/v1/models', ANTHROPIC)).json
  expect(asArray(data).filter(model => String(asObject(model).id).startsWith('claude'))).toMatchObject([
    { id: 'claude-opus-4-8', lifecycle: 'active', retires_at: null, max_input_tokens: 900_000 },
    {
      id: 'claude-sonnet-4-5',
      lifecycle: 'deprecated',
      deprecated_at: null,
      retires_at: '2026-11-30T00:00:00Z',
      max_input_tokens: 200_000,
    },
  ])
})

test("names Gemini's methods by what a model is for", async () => {
  const methodsOf = async (id: string) => (await list(`/v1beta/models/${id}`)).json.supportedGenerationMethods
  expect(await methodsOf('a')).toEqual(['generateContent', 'streamGenerateContent', 'countTokens'])
  expect(await methodsOf('text-embedding-1')).toEqual(['embedContent', 'batchEmbedContents'])
})

test('gives Codex a catalogue of the models that it does not know and whose window is known', async () => {
  const { data, models } = (await list('/v1/models?client_version=0.169.0')).json
  expect(asArray(data)).toHaveLength(5)
  expect(models).toMatchObject([
    { slug: 'a', context_window: 100_000, apply_patch_tool_type: 'freeform' },
    { slug: 'b' },
  ])
  expect((await list('/v1/models')).json.models).toBeUndefined()
})
