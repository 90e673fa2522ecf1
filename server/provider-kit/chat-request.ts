import type { ChatBody, ChatMessage, ChatTool, ContentPart, ToolCall, ToolChoice } from './chat.ts'
import { isObject, objectOf, parseJson, textOf } from './json.ts'
import { refuse } from './refuse.ts'

/** For vendors that know tools only. Throws a GatewayError `invalid_request` for OpenAI's first form of them. */
export function refuseLegacyFunctions(body: ChatBody): void {
  if (body.functions || body.messages.some(({ role, function_call }) => role === 'function' || function_call))
    refuse('functions', 'the old form of function calls', '`tools` and messages of the role "tool"')
}

export const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'

export const partsOf = (content: ChatMessage['content']): readonly ContentPart[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content ?? []
}

/** The function calls of a message. Throws a GatewayError `invalid_request` for calls of a kind that only OpenAI knows. */
export function functionCallsOf({ tool_calls }: ChatMessage): readonly ToolCall[] {
  const calls = tool_calls ?? []
  if (!calls.every(call => isObject(call.function)))
    refuse('tool_calls', 'a call without a function', 'calls of the type "function"')
  return calls
}

/** The function that a tool declares. Throws a GatewayError `invalid_request` for tools of another kind. */
export const functionOf = (tool: ChatTool): ChatTool['function'] =>
  isObject(tool.function)
    ? tool.function
    : refuse('tools', `a tool of the type ${JSON.stringify(tool.type)}`, 'tools of the type "function"')

/** The name of the one function that must be called. Throws a GatewayError `invalid_request` where none is named. */
export const chosenFunctionOf = (choice: Exclude<ToolChoice, string>): string =>
  textOf(objectOf(choice.function).name) ??
  refuse('tool_choice', `the type ${JSON.stringify(choice.type)}`, 'the type "function" with a name')

/** The arguments of a tool call as an object: `{}` where a model wrote something else. */
export function argumentsOf(text: string): object {
  const json = parseJson(text)
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {}
}

/** The limit that the client set on an answer. The newer name wins. */
export const outputLimitOf = (body: ChatBody): number | undefined =>
  body.max_completion_tokens ?? body.max_tokens ?? undefined

/** Texts that end an answer, without blank ones, which vendors refuse. */
export function stopsOf(body: ChatBody): readonly string[] | undefined {
  const stops = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? [])
  const useful = stops.filter(stop => stop.trim() !== '')
  return useful.length > 0 ? useful : undefined
}

/** Names of functions by the ids of their calls: some vendors want the name with the result. */
export const callNamesOf = (messages: readonly ChatMessage[]): ReadonlyMap<string, string> =>
  new Map(messages.flatMap(functionCallsOf).map(call => [call.id, call.function.name] as const))

/** The text parts of a message, joined. */
export const plainTextOf = (content: ChatMessage['content']): string =>
  partsOf(content)
    .map(part => (part.type === 'text' ? part.text : ''))
    .join('')
