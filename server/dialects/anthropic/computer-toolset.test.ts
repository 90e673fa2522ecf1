import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { responseContext } from '../testing.ts'
import { parseMessages } from './parse-messages.ts'
import { writeMessage } from './reply.ts'
import { createMessageWriter } from './stream-writer.ts'

const SCREENSHOT = 'computer__screenshot'
const call = (name: string, args = '{}') =>
  ({ id: 'c1', type: 'function', function: { name, arguments: args } }) as const
const messages = [{ role: 'user', content: 'hi' }]
const parse = (fields: JsonObject) => parseMessages({ model: 'm', max_tokens: 9, messages, ...fields })
const TOOLSET = { type: 'computer_toolset_20260801', configs: { zoom: { enabled: false } } }

test('makes a function of every member of a computer toolset that is not disabled, whatever its date', () => {
  const names = (tool: JsonObject) =>
    parse({ tools: [tool] }).body.tools?.map(({ function: { name } }) => name)
  expect(names(TOOLSET)).toHaveLength(16)
  expect(names(TOOLSET)).not.toContain('computer__zoom')
  expect(names({ type: 'computer_toolset_20991231' })).toHaveLength(17)
  expect(parse({ tools: [TOOLSET] }).nativeOnlyFeature).toBeUndefined()
})

test('returns calls of a computer toolset under the names of its members', () => {
  const { echoedFields = {} } = parse({ tools: [TOOLSET] })
  const context = responseContext({ echoedFields })
  const choice = { text: '', toolCalls: [call(SCREENSHOT), call('look_up')], finish: 'tool_calls' } as const
  const { content } = writeMessage({ choices: [choice] }, NO_USAGE, context)
  expect(content).toMatchObject([
    { type: 'tool_use', name: 'screenshot', toolset_name: 'computer', input: {} },
    { type: 'tool_use', name: 'look_up' },
  ])
  const start = { type: 'tool-call-start', index: 0, id: 'c1', name: SCREENSHOT, arguments: '' } as const
  expect(createMessageWriter(context).write(start)).toContain('"name":"screenshot","toolset_name":"computer"')
})

test('leaves a function alone whose client has declared no toolset', () => {
  const choice = { text: '', toolCalls: [call(SCREENSHOT)], finish: 'tool_calls' } as const
  const { content } = writeMessage({ choices: [choice] }, NO_USAGE, responseContext())
  expect(content).toMatchObject([{ name: SCREENSHOT }])
})

test('reads calls of a toolset in the history as calls of its functions', () => {
  const used = { type: 'tool_use', id: 'c1', name: 'screenshot', toolset_name: 'computer', input: {} }
  const history = [...messages, { role: 'assistant', content: [used] }]
  const { body } = parse({ tools: [TOOLSET], messages: history })
  expect(body.messages.at(-1)?.tool_calls).toEqual([call(SCREENSHOT)])
})
