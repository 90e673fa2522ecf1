import { createCompletion } from '../completion.ts'
import type { LabOperation, LabRequest } from '../operation.ts'
import { encryptContent } from '../signatures.ts'
import { findResponsesProblem } from './check-responses.ts'
import { CREATED_SECONDS, openai } from './provider.ts'
import { ResponsesInput, type ResponsesItem, textOf } from './read-responses.ts'
import { listStoredItems } from './stored-responses.ts'

/** Source: platform.openai.com/docs/api-reference/responses/compact */
export const compaction: LabOperation = {
  method: 'POST',
  path: /\/v1\/responses\/compact$/,
  isLive: true,
  provider: openai,
  read: (body, { account }) =>
    // What an earlier response continued needs no further input.
    ResponsesInput.transform(input => toLabRequest(input, account)).safeParse({ input: '', ...Object(body) }),
}

/** A message as the API returns it: with an id, and its text as a part. */
const toListed = (message: ResponsesItem, index: number) => ({
  id: `msg_lab_${index}`,
  status: 'completed',
  ...message,
  type: 'message',
  content:
    typeof message.content === 'string' ? [{ type: 'input_text', text: message.content }] : message.content,
})

function toLabRequest(input: ResponsesInput, account: string): LabRequest {
  const { prompt, lastText, request, items } = input
  const earlier = listStoredItems(account, request.previous_response_id ?? '')
  const messages = [...earlier, ...items].filter(({ role, content }) => role === 'user' && content !== '')
  return {
    model: prompt.model,
    lastText,
    isStream: false,
    findProblem: () => findResponsesProblem(input, account),
    reply(faultPlan) {
      const { id, usage } = createCompletion(prompt, faultPlan)
      const compacted = {
        id: `cmp_lab_${id}`,
        type: 'compaction',
        encrypted_content: encryptContent(account, textOf(messages.at(-1)?.content)),
      }
      return {
        json: () => ({
          id: `resp_lab_${id}`,
          object: 'response.compaction',
          created_at: CREATED_SECONDS,
          output: [...messages.map(toListed), compacted],
          usage: usage && {
            input_tokens: usage.prompt,
            input_tokens_details: { cached_tokens: usage.cached },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning },
            total_tokens: usage.prompt + usage.output,
          },
        }),
      }
    },
  }
}
