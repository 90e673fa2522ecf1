import { expect, test } from 'bun:test'
import { completionTokens, promptTokens } from '../../core/usage.ts'
import { readInteractionUsage } from './response.ts'

const USAGE = {
  total_input_tokens: 100,
  total_output_tokens: 50,
  total_thought_tokens: 20,
  total_tool_use_tokens: 10,
}

test.each([
  ['both beside them', 180, 110, 70],
  ['thoughts beside the output', 170, 100, 70],
  ['what tools brought beside the input', 160, 110, 50],
  ['neither', 150, 100, 50],
  ['a sum that nobody can explain', 155, 100, 50],
])('the sum of a usage says what its parts leave out: %s', (_, total_tokens, prompt, completion) => {
  const usage = readInteractionUsage({ ...USAGE, total_tokens })
  expect(usage && [promptTokens(usage), completionTokens(usage)]).toEqual([prompt, completion])
})
