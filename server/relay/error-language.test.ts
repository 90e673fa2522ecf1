import { afterEach, expect, test } from 'bun:test'
import { readStoredText } from '../core/language.ts'
import { asObject, parseJson } from '../provider-kit/json.ts'
import { TestRelay } from '../testing/test-relay.ts'

let relay: TestRelay
afterEach(() => relay.close())

const CHINESE = { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' }
const HAN = /\p{Script=Han}/u
const messages = [{ role: 'user', content: 'hello' }]
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]

async function ask(path: string, body: unknown, headers = {}, key?: string) {
  const response = await relay.request(path, key ?? (await relay.addToken()), body, headers)
  const text = await response.text()
  return { status: response.status, text, message: messageOf(text) }
}

/** The message in the error of any dialect or platform. */
function messageOf(text: string): string {
  const data = text.split('\n').findLast(line => line.startsWith('data: {') && line.includes('error'))
  const json = asObject(parseJson(data?.slice('data: '.length) ?? text))
  return String(asObject(json.error).message ?? json.message ?? json.description ?? '')
}

const REQUESTS: readonly (readonly [what: string, path: string, body: unknown])[] = [
  ['OpenAI', '/v1/chat/completions', { model: 'unserved', messages }],
  ['Anthropic', '/v1/messages', { model: 'unserved', max_tokens: 9, messages }],
  ['Gemini', '/v1beta/models/unserved:generateContent', { contents }],
  ['Responses', '/v1/responses', { model: 'unserved', input: 'hello' }],
  ['an invalid body', '/v1/chat/completions', { model: 'lab', messages: [{ role: 'user', content: 7 }] }],
  ['a body that is not JSON', '/v1/chat/completions', '{'],
  ['an unknown path', '/v1/nowhere', {}],
  ['drawing', '/mj/submit/imagine', { prompt: 'a lighthouse' }],
  [
    'a drawing that does not exist',
    '/mj/submit/action',
    { taskId: '7', customId: 'MJ::JOB::upsample::1::x' },
  ],
  ['music', '/suno/submit/music', 'no object'],
]

test.each(REQUESTS)('answers %s in the language that the client prefers', async (_, path, body) => {
  relay = await TestRelay.open()
  await relay.addChannel()
  for (const headers of [{}, { 'accept-language': '*' }, { 'accept-language': 'en-US,zh;q=0.5' }]) {
    const { message } = await ask(path, body, headers)
    expect(message).toMatch(/\w+ \w+/)
    expect(message).not.toMatch(HAN)
  }
  const { message } = await ask(path, body, CHINESE)
  expect(message).toMatch(HAN)
})

test('rejects an invalid key in the language that the client prefers', async () => {
  relay = await TestRelay.open()
  const body = { model: 'lab', messages }
  expect((await ask('/v1/chat/completions', body, {}, 'wrong')).message).toContain('the token is not valid')
  expect((await ask('/v1/chat/completions', body, CHINESE, 'wrong')).message).toContain('无效的令牌')
})

test.each([
  ['/v1/chat/completions', { model: 'lab', stream: true, messages }],
  ['/v1/messages', { model: 'lab', stream: true, max_tokens: 99, messages }],
  ['/v1/responses', { model: 'lab', stream: true, input: 'hello' }],
  ['/v1beta/models/lab:streamGenerateContent?alt=sse', { contents }],
])('ends a broken stream of %s in the language that the client prefers', async (path, body) => {
  relay = await TestRelay.open()
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/cut' })
  expect((await ask(path, body)).text).toMatch(/the upstream/)
  expect((await ask(path, body, CHINESE)).text).toMatch(/上游/)
})

test('passes a provider’s own message on unchanged, with our words around it translated', async () => {
  relay = await TestRelay.open()
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/status-429' })
  const body = { model: 'lab', messages }
  const english = (await ask('/v1/chat/completions', body)).message
  const [providerMessage = ''] = english.split('try again later: ')[1]?.split(' (request id') ?? []
  expect(providerMessage).not.toBe('')
  const { message } = await ask('/v1/chat/completions', body, CHINESE)
  expect(message).toContain(`当前上游负载已饱和，请稍后重试：${providerMessage}`)
})

test('stores the reasons of failures and of disabled channels in both languages', async () => {
  relay = await TestRelay.open({ options: { AutomaticDisableChannelEnabled: true } })
  await relay.addChannel({ base_url: 'http://lab.test/lab/fault/status-401' })
  await ask('/v1/chat/completions', { model: 'lab', messages })
  const channel = await relay.db.selectFrom('channels').select('other_info').executeTakeFirstOrThrow()
  const reason = JSON.parse(channel.other_info).status_reason
  expect(readStoredText(reason, 'zh')).toStartWith('状态码 401，')
  expect(readStoredText(reason, 'en')).toStartWith('status 401, ')
})
