import {
  getChosenFunctionName,
  getFunctionCalls,
  getToolFunction,
  isSystemMessage,
  readStopSequences,
  rejectLegacyFunctions,
  toContentParts,
  toImageUrl,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type {
  ChatBody,
  ChatMessage,
  ChatTool,
  ContentPart,
  JsonObject,
} from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'

/**
 * Builds a chat body. The API has no output limit, so the client's limit is dropped. Source:
 * cloud.tencent.com/document/api/1729/105701
 */
export function toTencentBody({ body, model, isStream }: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  const tools = body.tools ?? []
  return {
    Model: model,
    Messages: toMessages(body.messages),
    Stream: isStream,
    Temperature: body.temperature ?? undefined,
    TopP: body.top_p ?? undefined,
    Stop: readStopSequences(body),
    Seed: body.seed ?? undefined,
    EnableEnhancement: body.enable_enhancement ?? undefined,
    ...(tools.length > 0 && { Tools: tools.map(toTool), ...toChoice(body) }),
  }
}

/** The API takes a single system message at the start, so all system texts are joined. */
function toMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const system = messages.filter(isSystemMessage).map(({ content }) => toPlainText(content))
  const others = messages.filter(message => !isSystemMessage(message)).map(toMessage)
  return system.length > 0 ? [{ Role: 'system', Content: system.join('\n\n') }, ...others] : others
}

function toMessage(message: ChatMessage): JsonObject {
  const { role: Role, content } = message
  if (Role === 'tool') return { Role, ToolCallId: message.tool_call_id ?? '', Content: toPlainText(content) }
  const calls = getFunctionCalls(message).map(({ id, function: called }, Index) => ({
    Id: id,
    Type: 'function',
    Function: { Name: called.name, Arguments: called.arguments },
    Index,
  }))
  if (calls.length > 0) return { Role, Content: toPlainText(content), ToolCalls: calls }
  const parts = toContentParts(content)
  const isPlain = parts.every(({ type }) => type === 'text')
  return isPlain ? { Role, Content: toPlainText(content) } : { Role, Contents: parts.map(toContent) }
}

const toContent = (part: ContentPart): JsonObject =>
  part.type === 'image_url'
    ? { Type: 'image_url', ImageUrl: { Url: toImageUrl(part.image_url) } }
    : { Type: 'text', Text: part.type === 'text' ? part.text : '' }

/** The schema is sent as text. */
function toTool(tool: ChatTool): JsonObject {
  const { name, description, parameters } = getToolFunction(tool)
  const Parameters = JSON.stringify(parameters ?? { type: 'object', properties: {} })
  return { Type: 'function', Function: { Name: name, Description: description, Parameters } }
}

function toChoice({ tool_choice: choice, tools }: ChatBody): JsonObject {
  if (!choice) return {}
  if (choice === 'none' || choice === 'auto') return { ToolChoice: choice }
  const named =
    typeof choice === 'string'
      ? tools?.[0]
      : tools?.find(tool => getToolFunction(tool).name === getChosenFunctionName(choice))
  return named ? { ToolChoice: 'custom', CustomTool: toTool(named) } : { ToolChoice: 'auto' }
}
