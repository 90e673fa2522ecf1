import { asArray, asObject, asString, isObject, type JsonObject } from './json.ts'

/** A tool that the provider runs itself and charges for, as one request asks for it. */
export interface ServerTool {
  /** The name under which price lists and usage have it. */
  readonly name: string
  /** The entry of `tools`, or the field of the body. */
  readonly entry: JsonObject
}

/** Tools that the client runs, or that only describe others. Everything else in `tools` is run by the provider. */
const CLIENT_TOOL =
  /^(function|custom|namespace|tool_search|local_shell|shell|apply_patch|computer|bash|text_editor|memory)(_|$)/
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(web_search|\$web_search|x_search|google_?search|live_search)/i, 'web_search'],
  [/^(web_fetch|url_?context)/i, 'web_fetch'],
  [/^code_?(interpreter|execution)/i, 'code_interpreter'],
  [/^(file_?search|retrieval|collections_search)/i, 'file_search'],
  [/^google_?maps/i, 'maps'],
]
const NAME_CHARS_MAX = 64

/** Gemini names its tools by the field of the entry. */
const isGeminiClientTool = (field: string): boolean => /^(function_?declarations|computer_?use)$/i.test(field)

/** The tools of the provider that a body in any dialect asks for. */
export function readServerTools(body: JsonObject): readonly ServerTool[] {
  const listed = body.tools === undefined ? [] : asArray(body.tools).flatMap(toServerTools)
  return [...listed, ...SEARCH_FIELDS.flatMap(field => readSearchField(body, field))]
}

function toServerTools(value: unknown): readonly ServerTool[] {
  const entry = asObject(value)
  const type = asString(entry.type)
  if (type === undefined) return asString(entry.name) === undefined ? toGeminiTools(entry) : []
  if (type === 'builtin_function') return [toTool(asString(asObject(entry.function).name) ?? type, entry)]
  return CLIENT_TOOL.test(type) ? [] : [toTool(type, entry)]
}

const toGeminiTools = (entry: JsonObject): readonly ServerTool[] =>
  Object.entries(entry)
    .filter(isGeminiServerTool)
    .map(([field, value]) => toTool(field, asObject(value)))

const isGeminiServerTool = ([field, value]: readonly [string, unknown]): boolean =>
  isObject(value) && !isGeminiClientTool(field)

const toTool = (type: string, entry: JsonObject): ServerTool => ({
  name: NAMES.find(([pattern]) => pattern.test(type))?.[1] ?? type.slice(0, NAME_CHARS_MAX),
  entry,
})

/** Fields that make a provider search: of OpenAI and Perplexity, xAI, Alibaba, and OpenRouter. */
export const SEARCH_FIELDS = ['web_search_options', 'search_parameters', 'enable_search', 'plugins'] as const

function readSearchField(body: JsonObject, field: (typeof SEARCH_FIELDS)[number]): readonly ServerTool[] {
  const value = body[field]
  if (!value || asObject(value).mode === 'off') return []
  const isPlugin = field === 'plugins' && !asArray(value).some(plugin => asObject(plugin).id === 'web')
  return isPlugin ? [] : [{ name: 'web_search', entry: asObject(value) }]
}

/** The body without the tools of the provider. A choice among tools means nothing where none is left. */
export function withoutServerTools({ tools, ...body }: JsonObject): JsonObject {
  const rest = Object.fromEntries(Object.entries(body).filter(([field]) => !TOOL_FIELDS.has(field)))
  if (tools === undefined) return rest
  const clientTools = asArray(tools).flatMap(toClientTools)
  if (clientTools.length > 0) return { ...rest, tools: clientTools }
  const { tool_choice: _, parallel_tool_calls: __, toolConfig: ___, tool_config: ____, ...others } = rest
  return others
}

const TOOL_FIELDS: ReadonlySet<string> = new Set([...SEARCH_FIELDS, 'mcp_servers'])

/** An entry of Gemini's may hold functions beside a tool of the provider. */
function toClientTools(tool: unknown): readonly unknown[] {
  if (toServerTools(tool).length === 0) return [tool]
  const entry = asObject(tool)
  if (entry.type !== undefined) return []
  const fields = Object.entries(entry).filter(field => !isGeminiServerTool(field))
  return fields.length > 0 ? [Object.fromEntries(fields)] : []
}
