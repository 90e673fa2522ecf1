import { expect, test } from 'bun:test'
import { provider } from './index.ts'

const channel = { id: 1, key: 'k', baseUrl: '', other: '', organization: '', setting: {} }
const body = { model: 'command-a', messages: [] }
const call = { channel, model: 'command-a', body, isStream: false, requestId: 'r', nowSeconds: 0 }

test.each([
  [
    'tokens',
    { tokens: { input_tokens: 9, output_tokens: 4 }, billed_units: { input_tokens: 1, output_tokens: 1 } },
  ],
  ['billed units alone', { billed_units: { input_tokens: 9, output_tokens: 4 } }],
])('reads a usage with %s', (_, usage) => {
  const json = { message: { content: [{ type: 'text', text: 'a' }] }, finish_reason: 'COMPLETE', usage }
  expect(provider.chat?.reply(json, call)).toMatchObject({ usage: { input: 9, output: 4 } })
})
