import type { ChatBody, ChatTool, JsonObject, ToolChoice } from '../chat.ts'
import { chosenFunctionOf, functionCallsOf, functionOf } from '../chat-request.ts'
import { textOf } from '../json.ts'
import type { ModelRules } from './model-rules.ts'

const SEARCHES_OF_CONTEXT: Readonly<Record<string, number>> = { low: 1, medium: 5, high: 10 }
const SEARCHES_DEFAULT = 5
const EMPTY_SCHEMA: JsonObject = { type: 'object', properties: {} }

/** The tools, and the choice among them where there are any. */
export function toAnthropicTools(body: ChatBody, rules: ModelRules): JsonObject {
  const tools = [...declaredTools(body, rules), ...searchTool(body)]
  if (tools.length === 0) return {}
  return {
    tools,
    tool_choice: toToolChoice(body.tool_choice ?? undefined, body.parallel_tool_calls === false),
  }
}

/** Claude wants every tool of the history declared, so names that the client left out get an open schema. */
function declaredTools(body: ChatBody, rules: ModelRules): readonly JsonObject[] {
  if (body.tools && body.tools.length > 0) return body.tools.map(tool => toTool(tool, rules))
  const names = body.messages.flatMap(functionCallsOf).map(call => call.function.name)
  return [...new Set(names)].map(name => ({ name, input_schema: EMPTY_SCHEMA }))
}

/** What is not a function is a tool of Claude's own, and stays as it is. */
function toTool(tool: ChatTool, rules: ModelRules): JsonObject {
  if (tool.type !== 'function') return tool
  const { name, description, parameters, strict } = functionOf(tool)
  return {
    name,
    description,
    input_schema: { ...(parameters ?? EMPTY_SCHEMA), type: 'object' },
    ...(strict && rules.takesSchema && { strict }),
    ...(tool.cache_control !== undefined && { cache_control: tool.cache_control }),
  }
}

function searchTool({ web_search_options: options }: ChatBody): readonly JsonObject[] {
  if (typeof options !== 'object' || options === null) return []
  const context = 'search_context_size' in options ? textOf(options.search_context_size) : undefined
  const uses = SEARCHES_OF_CONTEXT[context ?? ''] ?? SEARCHES_DEFAULT
  return [{ type: 'web_search_20250305', name: 'web_search', max_uses: uses }]
}

function toToolChoice(choice: ToolChoice | undefined, isOneAtATime: boolean): JsonObject | undefined {
  const single = isOneAtATime ? { disable_parallel_tool_use: true } : undefined
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'any', ...single }
  if (choice === 'auto' || choice === undefined)
    return choice || single ? { type: 'auto', ...single } : undefined
  return { type: 'tool', name: chosenFunctionOf(choice), ...single }
}
