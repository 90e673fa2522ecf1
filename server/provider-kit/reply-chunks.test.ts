import { expect, test } from 'bun:test'
import type { ChatReply } from './contract/chat.ts'
import { createReplyCollector, replyToChunks } from './reply-chunks.ts'

const reply: ChatReply = {
  id: 'a',
  model: 'm',
  choices: [
    {
      text: '',
      reasoning: 'hm',
      reasoningSignature: 'sig',
      refusal: undefined,
      toolCalls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'f', arguments: '{}' },
          extra_content: { google: {} },
        },
        { id: 'c2', type: 'function', function: { name: 'g', arguments: '{"a":1}' } },
      ],
      finish: 'tool_calls',
    },
    {
      text: 'two',
      reasoning: undefined,
      reasoningSignature: undefined,
      refusal: 'no',
      toolCalls: undefined,
      finish: 'length',
    },
  ],
}

test('restores the same reply from its chunks', () => {
  const collector = createReplyCollector()
  for (const chunk of replyToChunks(reply)) collector.add(chunk)
  expect(collector.reply()).toEqual(reply)
})

test('collects the interleaved arguments of several calls', () => {
  const collector = createReplyCollector()
  for (const index of [0, 1])
    collector.add({ type: 'tool-call-start', index, id: `c${index}`, name: 'f', arguments: '' })
  for (const text of ['{"a"', ':1}'])
    for (const index of [1, 0]) collector.add({ type: 'tool-arguments-delta', index, text })
  const calls = collector.reply().choices[0]?.toolCalls
  expect(calls?.map(call => call.function.arguments)).toEqual(['{"a":1}', '{"a":1}'])
  expect(collector.reply().choices[0]?.finish).toBe('tool_calls')
})
