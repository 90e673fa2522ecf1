import { nowSeconds } from '../../core/clock.ts'
import type { Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatReply, FinishReason } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { asArray, asObject, type JsonObject } from '../../provider-kit/json.ts'
import { findForm } from './client-tools.ts'
import { compactionItem } from './compaction.ts'
import {
  callItem,
  type ItemStatus,
  messageItem,
  reasoningItem,
  refusalPart,
  searchItem,
  textPart,
  toResponsesUsage,
  urlAnnotation,
} from './items.ts'
import { toolsOf } from './tools.ts'

export function writeResponse(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  const [choice] = reply.choices
  return {
    ...fixedFields(context),
    ...endedFields(choice?.finish ?? 'stop', choice ? toOutput(choice, context) : [], usage),
  }
}

const toOutput = (choice: ChatChoice, context: ResponseContext): readonly JsonObject[] =>
  context.echoedFields.compacts ? [compactionItem(choice.text, context)] : toItems(choice, context)

function toItems(
  choice: ChatChoice,
  { requestId: id, echoedFields }: ResponseContext,
): readonly JsonObject[] {
  const { reasoning, reasoningSignature, text, refusal, toolCalls = [], finish } = choice
  const annotations = choice.citations?.map(urlAnnotation)
  const parts = [
    ...(text ? [textPart(text, annotations, choice.logprobs)] : []),
    ...(refusal ? [refusalPart(refusal)] : []),
  ]
  const isThought = reasoning !== undefined || reasoningSignature !== undefined
  const catalog = toolsOf(toolCalls.length > 0 ? echoedFields : {})
  return [
    ...(isThought ? [reasoningItem(`rs_${id}`, reasoning ?? '', reasoningSignature)] : []),
    ...(choice.searches ?? []).map((search, index) => searchItem(`ws_${id}_${index}`, 'completed', search)),
    ...(parts.length > 0 ? [messageItem(`msg_${id}`, toItemStatus(finish), parts)] : []),
    ...toolCalls.map((call, index) => {
      const tool = catalog.findTool(call.function.name)
      return callItem(`${findForm(tool.kind).idPrefix}_${id}_${index}`, 'completed', {
        tool,
        callId: call.id,
        arguments: call.function.arguments,
        extraContent: call.extra_content,
      })
    }),
  ]
}

export const toItemStatus = (finish: FinishReason): ItemStatus =>
  finish === 'length' || finish === 'content_filter' ? 'incomplete' : 'completed'

/** The reason why a response is incomplete. Null when it is complete. */
const incompleteDetails = (finish: FinishReason): JsonObject | null => {
  if (finish === 'length') return { reason: 'max_output_tokens' }
  return finish === 'content_filter' ? { reason: 'content_filter' } : null
}

/**
 * The fields of a response that are known from its request. Clients read them without checking for their presence, so
 * none is left out. Sources: platform.openai.com/docs/api-reference/responses/object, openresponses.org
 */
export function fixedFields({ echoedFields, requestId, model, nowSeconds }: ResponseContext): JsonObject {
  return {
    id: `resp_${requestId}`,
    object: 'response',
    created_at: nowSeconds,
    background: echoedFields.background === true,
    ...Object.fromEntries(
      Object.entries(REQUEST_DEFAULTS).map(([name, value]) => [name, echoedFields[name] ?? value]),
    ),
    model,
    reasoning: { effort: null, summary: null, ...asObject(echoedFields.reasoning) },
    text: toTextField(asObject(echoedFields.text)),
    tools: asArray(echoedFields.tools).map(tool => toDeclaredTool(asObject(tool))),
    service_tier: 'default',
    store: echoedFields.store ?? false,
    previous_response_id: echoedFields.previous_response_id ?? null,
    conversation: echoedFields.conversation ?? null,
    access_programs: null,
  }
}

/** The values that the API reports where a request names none. */
const REQUEST_DEFAULTS: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  tool_choice: 'auto',
  truncation: 'disabled',
  prompt_cache_key: null,
  safety_identifier: null,
  user: null,
}

const toTextField = ({ format, ...text }: JsonObject): JsonObject => ({
  format: toFormatField(asObject(format)),
  verbosity: 'medium',
  ...text,
})

const toFormatField = ({ type = 'text', ...format }: JsonObject): JsonObject =>
  type === 'json_schema' ? { type, description: null, strict: false, ...format } : { type, ...format }

/** The API fills in the optional fields of functions. */
const toDeclaredTool = (tool: JsonObject): JsonObject =>
  tool.type === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool

/** The fields of a response that change until it ends. */
export const STARTED_FIELDS: JsonObject = {
  status: 'in_progress',
  completed_at: null,
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
}

export function endedFields(
  finish: FinishReason,
  output: readonly JsonObject[],
  usage: Usage | undefined,
): JsonObject {
  const status = toItemStatus(finish)
  return {
    status,
    completed_at: status === 'completed' ? nowSeconds() : null,
    error: null,
    incomplete_details: incompleteDetails(finish),
    output,
    usage: usage ? toResponsesUsage(usage) : null,
  }
}
