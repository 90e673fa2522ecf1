import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import { responseContext } from '../testing.ts'
import { dialect } from './index.ts'

const context = responseContext({ requestId: 'r1', nowSeconds: 5, wantsUsage: false })
const usage = { ...NO_USAGE, input: 3, output: 4 }

test('writes a whole answer', () => {
  const reply = { id: 'msg_1', model: 'm', choices: [{ text: 'hi', finish: 'stop' as const }] }
  expect(dialect.chat.writeReply(reply, usage, context)).toMatchObject({
    id: 'chatcmpl-msg_1',
    object: 'chat.completion',
    created: 5,
    model: 'm',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'hi', refusal: null }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  })
})

test('has no content where the answer is only tool calls', () => {
  const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
  const reply = { choices: [{ text: '', toolCalls: [call], finish: 'tool_calls' as const }] }
  expect(dialect.chat.writeReply(reply, usage, context)).toMatchObject({
    model: 'asked',
    choices: [{ message: { content: null, tool_calls: [call] } }],
  })
})

test('has empty content where the answer is empty', () => {
  const reply = { choices: [{ text: '', finish: 'length' as const }] }
  expect(dialect.chat.writeReply(reply, usage, context)).toMatchObject({
    choices: [{ message: { content: '' } }],
  })
})

test('lists models as OpenAI does', () => {
  expect(dialect.models?.writeList([{ id: 'gpt-4o', ownedBy: 'openai' }])).toMatchObject({
    object: 'list',
    data: [{ id: 'gpt-4o', object: 'model', owned_by: 'openai', root: 'gpt-4o' }],
  })
})

test("keeps an upstream's own type and parameter of an error", () => {
  const error = { status: 400, code: 'unsupported', type: 'invalid_request_error', param: 'n', message: 'no' }
  expect(dialect.writeError(error, 'r1')).toEqual({
    error: { message: 'no (request id: r1)', type: 'invalid_request_error', param: 'n', code: 'unsupported' },
  })
})
