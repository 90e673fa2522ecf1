import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import { provider } from './index.ts'

const requestOf = (model: string, isStream: boolean, other = '') => {
  const body: ChatBody = { model: 'asked', messages: [{ role: 'user', content: 'hi' }], top_p: 1 }
  const channel = { id: 1, key: 'k', baseUrl: 'https://v.example', other, organization: '', setting: {} }
  return provider.chat?.request({ channel, model, body, isStream, requestId: 'r', nowSeconds: 0 })
}
const bodyOf = (model: string, isStream = false) => JSON.parse(String(requestOf(model, isStream)?.body))

test('names the plugins of the channel in a header', () => {
  expect(requestOf('qwen-plus', false, 'pdf')?.headers).toMatchObject({ 'x-dashscope-plugin': 'pdf' })
  expect(requestOf('qwen-plus', false)?.headers).not.toHaveProperty('x-dashscope-plugin')
})

test('enables web search by the model name and clamps top_p', () => {
  expect(bodyOf('qwen-plus-internet')).toMatchObject({
    model: 'qwen-plus',
    enable_search: true,
    top_p: 0.999,
  })
  expect(bodyOf('qwen-plus')).not.toHaveProperty('enable_search')
})

test('forces streaming for stream-only models and disables thinking of open models without a stream', () => {
  expect(bodyOf('qwq-plus')).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  expect(bodyOf('qwen3-32b')).toMatchObject({ enable_thinking: false })
  expect(bodyOf('qwen3-32b', true)).not.toHaveProperty('enable_thinking')
})
