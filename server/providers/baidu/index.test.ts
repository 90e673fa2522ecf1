import { expect, test } from 'bun:test'
import type { ChatBody, ChatMessage } from '../../provider-kit/contract/chat.ts'
import type { ChannelView, UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'
import { chat } from './chat.ts'
import { askForToken } from './transport.ts'

const channelOf = (key: string): ChannelView => ({
  id: 1,
  key,
  baseUrl: 'https://v.example',
  other: '',
  organization: '',
  setting: {},
})
function bodyOf(messages: readonly ChatMessage[], changes: Partial<ChatBody> = {}) {
  const body: ChatBody = { model: 'asked', messages, ...changes }
  const credential = { token: 't', expiresAt: 0 }
  const call = { channel: channelOf('a|b'), model: 'ERNIE-4.0-8K', body, isStream: false, requestId: 'r' }
  return JSON.parse(String(chat.request({ ...call, nowSeconds: 0, credential }).body))
}

test('trades both parts of the key for a token and reports a rejection', async () => {
  const sent: UpstreamRequest[] = []
  const respondingWith = (status: number, json: object) => ({
    nowSeconds: 100,
    send: (request: UpstreamRequest) => {
      sent.push(request)
      return Promise.resolve({ status, json })
    },
  })
  const json = { access_token: '24.x', expires_in: 2592000 }
  expect(await askForToken(channelOf('id|se cret'), respondingWith(200, json))).toEqual({
    token: '24.x',
    expiresAt: 2592100,
  })
  expect(sent[0]?.url).toBe(
    'https://v.example/oauth/2.0/token?grant_type=client_credentials&client_id=id&client_secret=se+cret',
  )
  const invalid = { error: 'invalid_client', error_description: 'Client authentication failed' }
  expect(askForToken(channelOf('id|x'), respondingWith(401, invalid))).rejects.toMatchObject({ status: 401 })
  expect(askForToken(channelOf('id'), respondingWith(200, json))).rejects.toThrow('APIKey|SecretKey')
})

test('alternates user and assistant turns, starting and ending with a user', () => {
  const { system, messages } = bodyOf([
    { role: 'system', content: 'Be terse.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'a' },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: 'c' },
  ])
  expect(system).toBe('Be terse.')
  expect(messages.map(({ role }: ChatMessage) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ])
  expect(messages[2].content).toBe('a\nb')
})

test("clamps numbers to Baidu's ranges and rejects images", () => {
  const user: ChatMessage = { role: 'user', content: 'a' }
  expect(bodyOf([user], { temperature: 0, max_tokens: 1 })).toMatchObject({
    temperature: 0.01,
    max_output_tokens: 2,
  })
  const image = { type: 'image_url' as const, image_url: 'https://v.example/a.png' }
  expect(() => bodyOf([{ role: 'user', content: [image] }])).toThrow('is not text')
})
