import {
  functionNamesByCallId,
  getChosenFunctionName,
  getFunctionCalls,
  getToolFunction,
  isSystemMessage,
  readMaxOutputTokens,
  readStopSequences,
  rejectLegacyFunctions,
  toContentParts,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, ChatTool, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'

const STOPS_MAX = 4
const OUTPUT_TOKENS_LEAST = 2
const TEMPERATURE_LEAST = 0.01

/**
 * Builds a Wenxin body. Fields without a counterpart are dropped. Source:
 * cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t
 */
export function toWenxinBody({ body, isStream }: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  const system = body.messages.filter(isSystemMessage).map(({ content }) => toPlainText(content))
  const limit = readMaxOutputTokens(body)
  const tools = body.tool_choice === 'none' ? [] : (body.tools ?? [])
  return {
    system: system.length > 0 ? system.join('\n') : undefined,
    messages: toMessages(body.messages),
    stream: isStream,
    temperature: between(body.temperature, TEMPERATURE_LEAST),
    top_p: between(body.top_p, 0),
    max_output_tokens: limit === undefined ? undefined : Math.max(limit, OUTPUT_TOKENS_LEAST),
    stop: readStopSequences(body)?.slice(0, STOPS_MAX),
    functions: tools.length > 0 ? tools.map(toFunction) : undefined,
    tool_choice: tools.length > 0 ? toChoice(body) : undefined,
    response_format: body.response_format?.type === 'json_object' ? 'json_object' : undefined,
    user_id: typeof body.user === 'string' ? body.user : undefined,
  }
}

const between = (value: unknown, least: number): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, least), 1) : undefined

function toFunction(tool: ChatTool): JsonObject {
  const { name, description, parameters } = getToolFunction(tool)
  return {
    name,
    description: description ?? name,
    parameters: parameters ?? { type: 'object', properties: {} },
  }
}

const toChoice = ({ tool_choice: choice }: ChatBody): JsonObject | undefined =>
  choice && typeof choice === 'object'
    ? { type: 'function', function: { name: getChosenFunctionName(choice) } }
    : undefined

/** Alternating turns that start and end with the user, none of them empty. */
function toMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const names = functionNamesByCallId(messages)
  const turns: JsonObject[] = []
  for (const message of messages
    .filter(message => !isSystemMessage(message))
    .map(entry => toMessage(entry, names))) {
    const last = turns.at(-1)
    if (last && last.role === message.role && last.content && message.content)
      turns[turns.length - 1] = { ...last, content: `${last.content}\n${message.content}` }
    else turns.push(message)
  }
  const opened = turns[0]?.role === 'user' ? turns : [FILLER, ...turns]
  return opened.at(-1)?.role === 'assistant' ? [...opened, FILLER] : opened
}

const FILLER: JsonObject = { role: 'user', content: '继续' }

function toMessage(message: ChatMessage, names: ReadonlyMap<string, string>): JsonObject {
  const { role, content, tool_call_id: id = '' } = message
  if (toContentParts(content).some(({ type }) => type !== 'text'))
    invalidRequest('messages', 'a part that is not text', 'text for this vendor')
  const text = toPlainText(content)
  if (role === 'tool') return { role: 'function', name: names.get(id ?? '') ?? id, content: text || '{}' }
  const [call] = getFunctionCalls(message)
  if (call) {
    const { name, arguments: args } = call.function
    return { role, content: null, function_call: { name, arguments: args, thoughts: text } }
  }
  return { role, content: text || '.' }
}
