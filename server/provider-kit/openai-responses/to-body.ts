import {
  getChosenFunctionName,
  getFunctionCalls,
  getToolFunction,
  moveToolImages,
  readMaxOutputTokens,
  rejectLegacyFunctions,
  toContentParts,
  toImageUrl,
  toPlainText,
} from '../chat-request.ts'
import type { ChatBody, ChatMessage, ChatTool, ContentPart, ToolChoice } from '../contract/chat.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import { asString, type JsonObject, omitNullish } from '../json.ts'
import { toToolSchema } from '../rules/object-schema.ts'
import { type ToolDialect, toHostedChoice, toResponsesTool } from './hosted-tools.ts'

/** The lowest limit that the API accepts. */
const OUTPUT_TOKENS_MIN = 16
/** Hosted tools are rejected together with it. */
const LEAST_EFFORT = 'minimal'

/**
 * Builds a body of the Responses API, for requests with tools that chat completions lack. Nothing is stored. Source:
 * platform.openai.com/docs/api-reference/responses/create
 */
export function toResponsesBody(call: AdapterCall<ChatBody>, dialect: ToolDialect): JsonObject {
  const { body, isStream, hostedTools } = call
  rejectLegacyFunctions(body)
  const limit = readMaxOutputTokens(body)
  const { tools, parallel_tool_calls, reasoning_effort: effort } = body
  const hosted = (hostedTools?.tools ?? []).flatMap(tool => toResponsesTool(tool, dialect))
  return {
    model: body.model,
    input: moveToolImages(body.messages).flatMap(toItems),
    tools: [...(tools ?? []).map(toFunctionTool), ...hosted],
    store: false,
    ...(isStream && { stream: true }),
    ...omitNullish({
      tool_choice: hostedTools?.forced
        ? toHostedChoice(hostedTools, hostedTools.forced)
        : toToolChoice(body.tool_choice),
      parallel_tool_calls,
      max_output_tokens: limit === undefined ? undefined : Math.max(limit, OUTPUT_TOKENS_MIN),
      temperature: body.temperature,
      top_p: body.top_p,
      include: dialect.include,
      reasoning: effort ? { effort: effort === LEAST_EFFORT ? 'low' : effort } : undefined,
      text: toTextField(body),
      user: asString(body.user),
    }),
  }
}

function toItems(message: ChatMessage): readonly JsonObject[] {
  const { role, content, tool_call_id } = message
  if (role === 'tool')
    return [{ type: 'function_call_output', call_id: tool_call_id ?? '', output: toPlainText(content) }]
  if (role !== 'assistant') return [{ type: 'message', role, content: toContentParts(content).map(toPart) }]
  const text = toPlainText(content)
  const calls = getFunctionCalls(message).map(call => ({
    type: 'function_call',
    call_id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }))
  return [...(text === '' ? [] : [{ type: 'message', role, content: text }]), ...calls]
}

function toPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image_url': {
      const { image_url: image } = part
      const detail = typeof image === 'string' ? undefined : image.detail
      return { type: 'input_image', image_url: toImageUrl(image), detail: detail ?? 'auto' }
    }
    case 'input_audio':
      return { type: 'input_audio', input_audio: part.input_audio }
    case 'file':
      return toFilePart(part.file)
  }
}

/** A file is given by its content or by its address. */
function toFilePart({ filename, file_data: data }: JsonObject): JsonObject {
  const source = asString(data) ?? ''
  return source.startsWith('data:')
    ? { type: 'input_file', filename, file_data: source }
    : { type: 'input_file', file_url: source }
}

/** The API makes functions strict by default, chat completions do not. */
function toFunctionTool(tool: ChatTool): JsonObject {
  const { name, description, parameters, strict } = getToolFunction(tool)
  return {
    type: 'function',
    name,
    ...omitNullish({ description }),
    parameters: toToolSchema(parameters ?? {}),
    strict: strict === true,
  }
}

function toToolChoice(choice: ToolChoice | null | undefined): ToolChoice | JsonObject | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined
  return { type: 'function', name: getChosenFunctionName(choice) }
}

function toTextField({ response_format: format }: ChatBody): JsonObject | undefined {
  if (format?.type === 'json_object') return { format: { type: 'json_object' } }
  if (format?.type !== 'json_schema') return undefined
  const { name = 'response', schema, strict } = format.json_schema
  return { format: { type: 'json_schema', name, schema: schema ?? {}, strict: strict === true } }
}
