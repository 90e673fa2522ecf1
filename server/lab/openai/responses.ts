import {
  completionText,
  createCompletion,
  type LabCompletion,
  type LabToolCall,
  type LabUsage,
  reasoningText,
} from '../completion.ts'
import type { LabOperation, LabRequest, ResponseFrame } from '../operation.ts'
import { ResponsesAsk } from './read-responses.ts'
import { CREATED_SECONDS, openai } from './vendor.ts'

const CUT_SHORT = { length: 'max_output_tokens', filter: 'content_filter', stop: null, tools: null } as const
const ENCRYPTED = 'bGFiLXRob3VnaHQ='

const ReadAsk = ResponsesAsk.transform(
  ({ prompt, lastText, isStream }): LabRequest => ({
    model: prompt.model,
    lastText,
    isStream,
    reply(faultPlan) {
      const reply = createCompletion(prompt, faultPlan)
      return { json: () => finished(reply), frames: () => responseFrames(reply) }
    },
  }),
)

/** Source: platform.openai.com/docs/api-reference/responses and /responses-streaming */
export const responses: LabOperation = {
  method: 'POST',
  path: /\/v1\/responses$/,
  vendor: {
    ...openai,
    errorFrame: vendorError =>
      `event: error\ndata: ${JSON.stringify({ type: 'error', ...Object(vendorError.body) })}\n\n`,
  },
  read: body => ReadAsk.safeParse(body),
}

const responseOf = (reply: LabCompletion, found: object) => ({
  id: 'resp_lab',
  object: 'response',
  created_at: CREATED_SECONDS,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: reply.model,
  output: [],
  usage: null,
  ...found,
})

function finished(reply: LabCompletion) {
  const reason = CUT_SHORT[reply.finish]
  return responseOf(reply, {
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason && { reason },
    output: itemsOf(reply).map(({ item }) => item),
    usage: reply.usage ? usageOf(reply.usage) : null,
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
  readonly started: object
  readonly deltaType: string
  readonly place: object
  /** Where the item has parts: the event that begins one. */
  readonly part?: { readonly type: string; readonly part: object }
  deltas(): Iterable<string>
}

function itemsOf(reply: LabCompletion): readonly LabItem[] {
  return [
    ...(reply.reasoningTokens > 0 ? [reasoningOf(reply)] : []),
    ...(reply.textTokens > 0 ? [messageOf(reply)] : []),
    ...reply.toolCalls.map(callOf),
  ]
}

function reasoningOf(reply: LabCompletion): LabItem {
  const started = { id: 'rs_lab', type: 'reasoning', summary: [] }
  const summary = [{ type: 'summary_text', text: reasoningText(reply) }]
  return {
    item: { ...started, summary, encrypted_content: ENCRYPTED },
    started,
    deltaType: 'response.reasoning_summary_text.delta',
    place: { item_id: 'rs_lab', summary_index: 0 },
    part: { type: 'response.reasoning_summary_part.added', part: { type: 'summary_text', text: '' } },
    deltas: () => tokens(reply.reasoningTokens, reply.reasoningToken),
  }
}

function messageOf(reply: LabCompletion): LabItem {
  const started = { id: 'msg_lab', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text: completionText(reply) }]
  return {
    item: { ...started, status: 'completed', content },
    started,
    deltaType: 'response.output_text.delta',
    place: { item_id: 'msg_lab', content_index: 0 },
    part: {
      type: 'response.content_part.added',
      part: { type: 'output_text', annotations: [], logprobs: [], text: '' },
    },
    deltas: () => tokens(reply.textTokens, reply.textToken),
  }
}

function callOf({ index, name, pieces }: LabToolCall): LabItem {
  const id = `fc_lab_${index}`
  const started = {
    id,
    type: 'function_call',
    status: 'in_progress',
    arguments: '',
    call_id: `call_lab_${index}`,
    name,
  }
  return {
    item: { ...started, status: 'completed', arguments: pieces.join('') },
    started,
    deltaType: 'response.function_call_arguments.delta',
    place: { item_id: id },
    deltas: () => pieces,
  }
}

function* tokens(count: number, token: (index: number) => string): Generator<string> {
  for (let index = 0; index < count; index++) yield token(index)
}

function* responseFrames(reply: LabCompletion): Generator<ResponseFrame> {
  let number = 0
  const frame = (kind: ResponseFrame['kind'], type: string, fields: object): ResponseFrame => {
    const body = JSON.stringify({ type, sequence_number: number, ...fields })
    number += 1
    return { text: `event: ${type}\ndata: ${body}\n\n`, kind }
  }
  yield frame('other', 'response.created', { response: responseOf(reply, {}) })
  yield frame('other', 'response.in_progress', { response: responseOf(reply, {}) })
  for (const [output_index, { item, started, deltaType, place, part, deltas }] of itemsOf(reply).entries()) {
    yield frame('other', 'response.output_item.added', { output_index, item: started })
    if (part) yield frame('other', part.type, { output_index, ...place, part: part.part })
    for (const delta of deltas()) yield frame('token', deltaType, { output_index, ...place, delta })
    yield frame('other', 'response.output_item.done', { output_index, item })
  }
  const response = finished(reply)
  yield frame('end', `response.${response.status}`, { response })
}
