import { expect, test } from 'bun:test'
import type { ChatBody, ChatMessage } from '../../provider-kit/contract/chat.ts'
import { chat, readOutputText } from './chat.ts'

function requestOf(messages: readonly ChatMessage[], model = 'm', extras: Partial<ChatBody> = {}) {
  const body: ChatBody = { model: 'asked', messages, ...extras }
  const channel = { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} }
  const request = chat.request({ channel, model, body, isStream: false, requestId: 'r', nowSeconds: 0 })
  return { url: request.url, body: JSON.parse(String(request.body)) }
}
const user = (content: NonNullable<ChatMessage['content']>): ChatMessage => ({ role: 'user', content })
const image = (url: string) => ({ type: 'image_url' as const, image_url: { url } })

test('sends a single question unchanged and writes a conversation as one text', () => {
  expect(requestOf([user('Weather?')]).body).toEqual({
    inputs: {},
    query: 'Weather?',
    response_mode: 'streaming',
    user: 'r',
    files: [],
    auto_generate_name: false,
  })
  const { body } = requestOf([{ role: 'system', content: 'Be terse.' }, user('Weather?')], 'm', { user: 'u' })
  expect(body).toMatchObject({ query: 'SYSTEM: \nBe terse.\nUSER: \nWeather?\n', user: 'u' })
})

test('recognizes workflows and text generators by the prefix of the model name', () => {
  const messages = [user('Weather?')]
  expect(requestOf(messages).url).toBe('https://v.example/v1/chat-messages')
  expect(requestOf(messages, 'dify-workflow-weather').url).toBe('https://v.example/v1/workflows/run')
  expect(requestOf(messages, 'dify-completion').url).toBe('https://v.example/v1/completion-messages')
  expect(requestOf(messages, 'dify-workflow').body).toMatchObject({ inputs: { query: 'Weather?' } })
  expect(requestOf(messages, 'dify-workflow').body).not.toHaveProperty('query')
})

test('passes images by URL', () => {
  expect(requestOf([user([image('https://v.example/a.png')])]).body.files).toEqual([
    { type: 'image', transfer_method: 'remote_url', url: 'https://v.example/a.png' },
  ])
})

test('reads the text output of a workflow, else its only text, else all outputs', () => {
  expect(readOutputText({ outputs: { text: 'a', more: 'b' } })).toBe('a')
  expect(readOutputText({ outputs: { result: 'a' } })).toBe('a')
  expect(readOutputText({ outputs: { a: 'b', c: 1 } })).toBe('{"a":"b","c":1}')
  expect(readOutputText({ outputs: null })).toBe('')
})
