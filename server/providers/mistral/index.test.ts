import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import { asArray, asObject } from '../../provider-kit/json.ts'
import { provider, toMistralBody } from './index.ts'

const user = { role: 'user', content: 'u' } as const
const channel = { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} }
const sentFor = (body: ChatBody) =>
  asObject(
    JSON.parse(
      String(
        provider.chat?.request({ channel, model: 'm', body, isStream: true, requestId: 'r', nowSeconds: 0 })
          .body,
      ),
    ),
  )
const sentMessages = (messages: ChatBody['messages']) =>
  asArray(sentFor({ model: 'm', messages }).messages).map(asObject)
const messagesOf = (messages: readonly object[]) =>
  asArray(toMistralBody({ messages }).messages).map(asObject)

test('gives a call and its result the same id of nine letters and digits', () => {
  const call = {
    id: 'call_9aX2kQhTgB1mVwZr',
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  } as const
  const [toBody, result] = sentMessages([
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, name: 'f', content: 't' },
  ])
  const id = asObject(asArray(toBody?.tool_calls)[0]).id
  expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
  expect(result).toEqual({ role: 'tool', tool_call_id: id, name: 'f', content: 't' })
})

test("keeps Mistral's own ids", () => {
  const [result] = sentMessages([{ role: 'tool', tool_call_id: 'gSIMJiOkT', content: 't' }])
  expect(result?.tool_call_id).toBe('gSIMJiOkT')
})

test('drops empty turns and rejected fields', () => {
  expect(
    messagesOf([
      { ...user, name: 'ann' },
      { role: 'assistant', content: '', reasoning_content: 'hm' },
    ]),
  ).toEqual([user])
})

test("sends only supported fields under Mistral's names", () => {
  const body: ChatBody = {
    model: 'asked',
    messages: [user],
    seed: 7,
    max_completion_tokens: 5,
    temperature: 2,
    tool_choice: 'required',
    user: 'u-1',
    stream_options: { include_usage: true },
  }
  expect(sentFor(body)).toEqual({
    model: 'm',
    messages: [user],
    stream: true,
    random_seed: 7,
    max_tokens: 5,
    temperature: 1.5,
    tool_choice: 'any',
  })
})
