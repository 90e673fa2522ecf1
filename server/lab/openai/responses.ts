import {
  type Answer,
  answerOf,
  answerText,
  type LabToolCall,
  type LabUsage,
  reasoningText,
} from '../answer.ts'
import type { Ask, Frame, Operation } from '../operation.ts'
import { CREATED_SECONDS } from './chat.ts'
import { ResponsesAsk } from './read-responses.ts'
import { openai } from './vendor.ts'

const CUT_SHORT = { length: 'max_output_tokens', filter: 'content_filter', stop: null, tools: null } as const
const ENCRYPTED = 'bGFiLXRob3VnaHQ='

const ReadAsk = ResponsesAsk.transform(
  ({ prompt, lastText, isStream }): Ask => ({
    model: prompt.model,
    lastText,
    isStream,
    reply(plan) {
      const answer = answerOf(prompt, plan)
      return { whole: () => finished(answer), frames: () => responseFrames(answer) }
    },
  }),
)

/** Source: platform.openai.com/docs/api-reference/responses and /responses-streaming */
export const responses: Operation = {
  method: 'POST',
  path: /\/v1\/responses$/,
  vendor: {
    ...openai,
    errorFrame: refusal =>
      `event: error\ndata: ${JSON.stringify({ type: 'error', ...Object(refusal.body) })}\n\n`,
  },
  read: body => ReadAsk.safeParse(body),
}

const responseOf = (answer: Answer, found: object) => ({
  id: 'resp_lab',
  object: 'response',
  created_at: CREATED_SECONDS,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: answer.model,
  output: [],
  usage: null,
  ...found,
})

function finished(answer: Answer) {
  const reason = CUT_SHORT[answer.finish]
  return responseOf(answer, {
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason && { reason },
    output: itemsOf(answer).map(({ item }) => item),
    usage: answer.usage ? usageOf(answer.usage) : null,
  })
}

const usageOf = ({ prompt, cached, output, reasoning }: LabUsage) => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: prompt + output,
})

/** One item of the answer, and the deltas in which a stream tells it. */
interface LabItem {
  readonly item: object
  readonly begun: object
  readonly deltaType: string
  readonly place: object
  /** Where the item has parts: the event that begins one. */
  readonly part?: { readonly type: string; readonly part: object }
  deltas(): Iterable<string>
}

function itemsOf(answer: Answer): readonly LabItem[] {
  return [
    ...(answer.reasoningTokens > 0 ? [reasoningOf(answer)] : []),
    ...(answer.textTokens > 0 ? [messageOf(answer)] : []),
    ...answer.toolCalls.map(callOf),
  ]
}

function reasoningOf(answer: Answer): LabItem {
  const begun = { id: 'rs_lab', type: 'reasoning', summary: [] }
  const summary = [{ type: 'summary_text', text: reasoningText(answer) }]
  return {
    item: { ...begun, summary, encrypted_content: ENCRYPTED },
    begun,
    deltaType: 'response.reasoning_summary_text.delta',
    place: { item_id: 'rs_lab', summary_index: 0 },
    part: { type: 'response.reasoning_summary_part.added', part: { type: 'summary_text', text: '' } },
    deltas: () => tokens(answer.reasoningTokens, answer.reasoningToken),
  }
}

function messageOf(answer: Answer): LabItem {
  const begun = { id: 'msg_lab', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text: answerText(answer) }]
  return {
    item: { ...begun, status: 'completed', content },
    begun,
    deltaType: 'response.output_text.delta',
    place: { item_id: 'msg_lab', content_index: 0 },
    part: {
      type: 'response.content_part.added',
      part: { type: 'output_text', annotations: [], logprobs: [], text: '' },
    },
    deltas: () => tokens(answer.textTokens, answer.textToken),
  }
}

function callOf({ index, name, pieces }: LabToolCall): LabItem {
  const id = `fc_lab_${index}`
  const begun = {
    id,
    type: 'function_call',
    status: 'in_progress',
    arguments: '',
    call_id: `call_lab_${index}`,
    name,
  }
  return {
    item: { ...begun, status: 'completed', arguments: pieces.join('') },
    begun,
    deltaType: 'response.function_call_arguments.delta',
    place: { item_id: id },
    deltas: () => pieces,
  }
}

function* tokens(count: number, token: (index: number) => string): Generator<string> {
  for (let index = 0; index < count; index++) yield token(index)
}

function* responseFrames(answer: Answer): Generator<Frame> {
  let number = 0
  const frame = (kind: Frame['kind'], type: string, fields: object): Frame => {
    const body = JSON.stringify({ type, sequence_number: number, ...fields })
    number += 1
    return { text: `event: ${type}\ndata: ${body}\n\n`, kind }
  }
  yield frame('other', 'response.created', { response: responseOf(answer, {}) })
  yield frame('other', 'response.in_progress', { response: responseOf(answer, {}) })
  for (const [output_index, { item, begun, deltaType, place, part, deltas }] of itemsOf(answer).entries()) {
    yield frame('other', 'response.output_item.added', { output_index, item: begun })
    if (part) yield frame('other', part.type, { output_index, ...place, part: part.part })
    for (const delta of deltas()) yield frame('token', deltaType, { output_index, ...place, delta })
    yield frame('other', 'response.output_item.done', { output_index, item })
  }
  const response = finished(answer)
  yield frame('end', `response.${response.status}`, { response })
}
