import { expect, test } from 'bun:test'
import type { ChatBody, ChatMessage } from '../../provider-kit/contract/chat.ts'
import type { UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'
import { chat } from './chat.ts'

interface ChatOverrides {
  readonly other?: string
  readonly model?: string
  readonly user?: string
}

function bodyOf(messages: readonly ChatMessage[], { other = '42', model = 'm', user }: ChatOverrides = {}) {
  const body: ChatBody = { model: 'asked', messages, ...(user && { user }) }
  const channel = { id: 1, key: 'k', baseUrl: 'https://v.example', other, organization: '', setting: {} }
  return JSON.parse(
    String(chat.request({ channel, model, body, isStream: false, requestId: 'r', nowSeconds: 0 }).body),
  )
}
const image = (url: string) => ({ type: 'image_url' as const, image_url: { url } })
const user = (content: NonNullable<ChatMessage['content']>): ChatMessage => ({ role: 'user', content })

test("calls the channel's bot or the one that the model name contains", () => {
  expect(bodyOf([user('hi')])).toMatchObject({ bot_id: '42', user_id: 'r', stream: true })
  expect(bodyOf([user('hi')], { model: 'bot-7', user: 'u' })).toMatchObject({ bot_id: '7', user_id: 'u' })
  expect(() => bodyOf([user('hi')], { other: '' })).toThrow('names a bot')
})

test('puts the system text in front of the first user message', () => {
  const { additional_messages } = bodyOf([
    { role: 'system', content: 'Be terse.' },
    { role: 'assistant', content: 'Hello.' },
    user('Weather in Lisbon?'),
  ])
  expect(additional_messages).toEqual([
    { role: 'assistant', type: 'answer', content: 'Hello.', content_type: 'text' },
    { role: 'user', type: 'question', content: 'Be terse.\nWeather in Lisbon?', content_type: 'text' },
  ])
  expect(bodyOf([{ role: 'system', content: 'Greet.' }]).additional_messages).toMatchObject([
    { role: 'user', content: 'Greet.' },
  ])
})

test('writes images as JSON inside the text', () => {
  const content = [{ type: 'text' as const, text: 'What is this?' }, image('https://v.example/a.png')]
  const [message] = bodyOf([user(content)]).additional_messages
  expect(message.content_type).toBe('object_string')
  expect(JSON.parse(message.content)).toEqual([
    { type: 'text', text: 'What is this?' },
    { type: 'image', file_url: 'https://v.example/a.png' },
  ])
})

test('uploads an inline image and reports why Coze rejects it', async () => {
  const body: ChatBody = { model: 'm', messages: [user([image('data:image/png;base64,iVBORw0KGgo=')])] }
  const channel = {
    id: 1,
    key: 'k',
    baseUrl: 'https://v.example',
    other: '42',
    organization: '',
    setting: {},
  }
  const prepare = async (status: number, json: object) => {
    const sent: UpstreamRequest[] = []
    const send = (request: UpstreamRequest) => {
      sent.push(request)
      return Promise.resolve({ status, json })
    }
    const ready = await chat.prepare?.({ body, channel, requestId: 'r' }, { nowSeconds: 0, send })
    return { sent, messages: ready?.messages ?? [] }
  }
  const { sent, messages } = await prepare(200, { code: 0, data: { id: '736' } })
  expect(sent).toMatchObject([{ url: 'https://v.example/v1/files/upload' }])
  const [message] = bodyOf(messages).additional_messages
  expect(JSON.parse(message.content)).toEqual([{ type: 'image', file_id: '736' }])
  expect(prepare(200, { code: 4000, msg: 'Request parameter error' })).rejects.toThrow(
    'Request parameter error',
  )
})
