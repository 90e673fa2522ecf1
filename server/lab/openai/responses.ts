import {
  completionText,
  createCompletion,
  type LabCompletion,
  type LabToolCall,
  type LabUsage,
  reasoningText,
} from '../completion.ts'
import type { LabOperation, LabRequest, ResponseFrame } from '../operation.ts'
import { ResponsesInput } from './read-responses.ts'
import { CREATED_SECONDS, openai } from './vendor.ts'

const INCOMPLETE_REASONS = {
  length: 'max_output_tokens',
  filter: 'content_filter',
  stop: null,
  tools: null,
} as const
const ENCRYPTED = 'bGFiLXRob3VnaHQ='

/** Responses. Source: platform.openai.com/docs/api-reference/responses and /responses-streaming */
export const responses: LabOperation = {
  method: 'POST',
  path: /\/v1\/responses$/,
  vendor: {
    ...openai,
    errorFrame: vendorError =>
      `event: error\ndata: ${JSON.stringify({ type: 'error', ...Object(vendorError.body) })}\n\n`,
  },
  read: body => ResponsesRequest.safeParse(body),
}

const ResponsesRequest = ResponsesInput.transform(
  ({ prompt, lastText, isStream }): LabRequest => ({
    model: prompt.model,
    lastText,
    isStream,
    reply(faultPlan) {
      const completion = createCompletion(prompt, faultPlan)
      return { json: () => finishedResponse(completion), frames: () => responseFrames(completion) }
    },
  }),
)

const responseObject = (completion: LabCompletion, fields: object) => ({
  id: 'resp_lab',
  object: 'response',
  created_at: CREATED_SECONDS,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: completion.model,
  output: [],
  usage: null,
  ...fields,
})

function finishedResponse(completion: LabCompletion) {
  const reason = INCOMPLETE_REASONS[completion.finish]
  return responseObject(completion, {
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason && { reason },
    output: outputItems(completion).map(({ item }) => item),
    usage: completion.usage ? toUsage(completion.usage) : null,
  })
}

const toUsage = ({ prompt, cached, output, reasoning }: LabUsage) => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: prompt + output,
})

/** One output item, complete and as the events that a stream sends for it. */
interface LabItem {
  /** The completed item. */
  readonly item: object
  /** The item as it begins. */
  readonly started: object
  readonly deltaType: string
  /** The fields that say which item and part a delta belongs to. */
  readonly location: object
  /** The event that begins a content part, for items that have parts. */
  readonly part?: { readonly type: string; readonly part: object }
  deltas(): Iterable<string>
}

function outputItems(completion: LabCompletion): readonly LabItem[] {
  return [
    ...(completion.reasoningTokens > 0 ? [reasoningItem(completion)] : []),
    ...(completion.textTokens > 0 ? [messageItem(completion)] : []),
    ...completion.toolCalls.map(toolCallItem),
  ]
}

function reasoningItem(completion: LabCompletion): LabItem {
  const started = { id: 'rs_lab', type: 'reasoning', summary: [] }
  const summary = [{ type: 'summary_text', text: reasoningText(completion) }]
  return {
    item: { ...started, summary, encrypted_content: ENCRYPTED },
    started,
    deltaType: 'response.reasoning_summary_text.delta',
    location: { item_id: 'rs_lab', summary_index: 0 },
    part: { type: 'response.reasoning_summary_part.added', part: { type: 'summary_text', text: '' } },
    deltas: () => listTokens(completion.reasoningTokens, completion.reasoningToken),
  }
}

function messageItem(completion: LabCompletion): LabItem {
  const started = { id: 'msg_lab', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text: completionText(completion) }]
  return {
    item: { ...started, status: 'completed', content },
    started,
    deltaType: 'response.output_text.delta',
    location: { item_id: 'msg_lab', content_index: 0 },
    part: {
      type: 'response.content_part.added',
      part: { type: 'output_text', annotations: [], logprobs: [], text: '' },
    },
    deltas: () => listTokens(completion.textTokens, completion.textToken),
  }
}

function toolCallItem({ index, name, pieces }: LabToolCall): LabItem {
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
    location: { item_id: id },
    deltas: () => pieces,
  }
}

function* listTokens(count: number, token: (index: number) => string): Generator<string> {
  for (let index = 0; index < count; index++) yield token(index)
}

function* responseFrames(completion: LabCompletion): Generator<ResponseFrame> {
  let sequenceNumber = 0
  const frame = (kind: ResponseFrame['kind'], type: string, fields: object): ResponseFrame => {
    const body = JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })
    sequenceNumber += 1
    return { text: `event: ${type}\ndata: ${body}\n\n`, kind }
  }
  yield frame('other', 'response.created', { response: responseObject(completion, {}) })
  yield frame('other', 'response.in_progress', { response: responseObject(completion, {}) })
  for (const [output_index, { item, started, deltaType, location, part, deltas }] of outputItems(
    completion,
  ).entries()) {
    yield frame('other', 'response.output_item.added', { output_index, item: started })
    if (part) yield frame('other', part.type, { output_index, ...location, part: part.part })
    for (const delta of deltas()) yield frame('token', deltaType, { output_index, ...location, delta })
    yield frame('other', 'response.output_item.done', { output_index, item })
  }
  const response = finishedResponse(completion)
  yield frame('end', `response.${response.status}`, { response })
}
