import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Send } from '#server/http-client/send.ts'
import { createLab } from '#server/lab/open-lab.ts'
import { asObject, type JsonObject } from '#server/provider-kit/json.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { deleteOldTags } from './index.ts'
import { readTagsHeader, readTagsOfBody } from './read-tags.ts'

let relay: TestRelay
let key: string
/** The names of all headers that reached the provider. */
let sentHeaders: string[]

const lab = sendThrough(createLab().fetch)
const recordingSend: Send = (request, options) => {
  sentHeaders.push(...Object.keys(request.headers).map(name => name.toLowerCase()))
  return lab(request, options)
}

const open = async (...RequestTagKeys: string[]) => {
  sentHeaders = []
  relay = await TestRelay.open({ options: { RequestTagKeys }, send: recordingSend })
  await relay.addChannel()
  key = await relay.addToken()
}

beforeEach(() => open('project', 'env'))
afterEach(() => relay.close())

interface Call {
  readonly tags?: string
  readonly path?: string
  readonly body?: JsonObject
}

async function ask({ tags, path = '/v1/chat/completions', body = {} }: Call = {}) {
  const messages = [{ role: 'user', content: 'hi' }]
  const sent = path.startsWith('/v1beta') ? {} : { model: 'lab', messages }
  const headers = tags === undefined ? {} : { 'x-tollgate-tags': tags }
  const response = await relay.request(path, key, { ...sent, ...body }, headers)
  return { status: response.status, text: await response.text() }
}

/** The tags of each logged request, in the order of the rows. */
async function loggedTags() {
  const logs = await relay.db.selectFrom('logs').select(['id', 'request_id']).orderBy('id').execute()
  const tags = await relay.db.selectFrom('request_tags').selectAll().orderBy('key').execute()
  return logs.map(({ request_id }) =>
    tags.filter(tag => tag.request_id === request_id).map(tag => `${tag.key}=${tag.value}`),
  )
}

const errorOf = ({ text }: { readonly text: string }) =>
  String(asObject(asObject(JSON.parse(text)).error).message)

test('the header is kept with the log row, and never reaches the provider', async () => {
  expect((await ask({ tags: 'project=website, env = prod' })).status).toBe(200)
  expect(await loggedTags()).toEqual([['env=prod', 'project=website']])
  expect(sentHeaders).not.toContain('x-tollgate-tags')
  expect(sentHeaders.length).toBeGreaterThan(0)
})

describe('the body of', () => {
  const contents = [{ parts: [{ text: 'hi' }] }]
  test.each([
    ['chat completions', { body: { metadata: { project: 'a', unknown: 'x' } } }],
    ['a stream', { body: { stream: true, metadata: { project: 'a' } } }],
    [
      'the Responses API',
      { path: '/v1/responses', body: { input: 'hi', messages: undefined, metadata: { project: 'a' } } },
    ],
    ['Gemini', { path: '/v1beta/models/lab:generateContent', body: { contents, labels: { project: 'a' } } }],
  ] satisfies [string, Call][])('%s names tags', async (_, call) => {
    expect((await ask(call)).status).toBe(200)
    expect(await loggedTags()).toEqual([['project=a']])
  })

  test('Anthropic names the user only, so that its clients send the header', async () => {
    const call = { path: '/v1/messages', body: { max_tokens: 5, metadata: { user_id: 'u' } } }
    expect((await ask({ ...call, tags: 'env=dev' })).status).toBe(200)
    expect(await loggedTags()).toEqual([['env=dev']])
  })

  test('a provider keeps what cannot be counted', async () => {
    const metadata = { project: 'x'.repeat(65), env: 'a\u0007b' }
    expect((await ask({ body: { metadata } })).status).toBe(200)
    expect(await loggedTags()).toEqual([[]])
  })
})

test('the header wins over the body', async () => {
  await ask({ tags: 'project=header', body: { metadata: { project: 'body', env: 'test' } } })
  expect(await loggedTags()).toEqual([['env=test', 'project=header']])
})

test('a request that fails keeps its tags', async () => {
  await relay.addChannel({ base_url: 'http://lab.test/fault/status-400', priority: 10 })
  expect((await ask({ tags: 'env=prod' })).status).toBe(400)
  expect(await loggedTags()).toEqual([['env=prod']])
})

test('a response in the background keeps its tags', async () => {
  const body = { input: 'hi', messages: undefined, background: true, store: true }
  const { text } = await ask({ path: '/v1/responses', body, tags: 'env=prod' })
  const { id } = asObject(JSON.parse(text))
  for (let status: unknown = 'queued'; status === 'queued' || status === 'in_progress'; ) {
    const found = await relay.request(`/v1/responses/${String(id)}`, key, undefined)
    status = asObject(await found.json()).status
  }
  expect(await loggedTags()).toEqual([['env=prod']])
})

describe('400', () => {
  test.each([
    ['a key that is not in use', 'team=a', 'the tag "team" is not in use; these are: project, env'],
    ['a value that is too long', `env=${'x'.repeat(65)}`, 'must have 1 to 64 printable characters'],
    ['an empty value', 'env=', 'must have 1 to 64 printable characters'],
    ['a control character', 'env=a\tb', 'must have 1 to 64 printable characters'],
    ['a tag twice', 'env=a,env=b', 'the tag env appears twice'],
    ['a flood', Array.from({ length: 500 }, (_, n) => `k${n}=v`).join(','), 'at most 1024 are allowed'],
  ])('names %s', async (_, tags, words) => {
    const rejected = await ask({ tags })
    expect(rejected.status).toBe(400)
    expect(errorOf(rejected)).toContain(words)
    expect(sentHeaders).toEqual([])
  })
})

test('without keys nothing is read, whatever the header says', async () => {
  await relay.close()
  await open()
  expect((await ask({ tags: '\u0001=,,=', body: { metadata: { env: 'a' } } })).status).toBe(200)
  expect(await loggedTags()).toEqual([[]])
})

test('300 requests at once each keep their own', async () => {
  const numbers = Array.from({ length: 300 }, (_, number) => number)
  await Promise.all(numbers.map(number => ask({ tags: `env=${number}` })))
  const found = (await loggedTags()).flat().sort()
  expect(found).toEqual(numbers.map(number => `env=${number}`).sort())
})

test('tags of requests whose rows are gone are deleted', async () => {
  await ask({ tags: 'env=prod' })
  const old = { request_id: 'gone', key: 'env', value: 'old', created_at: 1 }
  await relay.db.insertInto('request_tags').values(old).execute()
  await deleteOldTags(relay.db)
  const left = await relay.db.selectFrom('request_tags').select('value').execute()
  expect(left).toEqual([{ value: 'prod' }])
})

test('values are text of any script, as UTF-8 in the header', () => {
  const header = String.fromCharCode(...new TextEncoder().encode('env=生产,project=a=b c'))
  expect([...readTagsHeader(header, ['env', 'project'])]).toEqual([
    ['env', '生产'],
    ['project', 'a=b c'],
  ])
  expect(readTagsOfBody('openai', { metadata: { env: ' 生产 ' } }, ['env']).get('env')).toBe('生产')
  expect(readTagsOfBody('openai', { metadata: [] }, ['env', 'constructor']).size).toBe(0)
})
