import { createHash } from 'node:crypto'
import type { ChatTool } from '../../provider-kit/contract/chat.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitNullish,
} from '../../provider-kit/json.ts'
import { toTextFunction } from '../../provider-kit/rules/chat-rules.ts'
import { checkBody } from '../../provider-kit/validation.ts'
import { type ClientToolKind, findItemForm, findKind, findKnownTool, isKnownKind } from './client-tools.ts'

/** The longest function name that every provider accepts, and the characters in it. */
const NAME_CHARS_MAX = 64
const HASH_CHARS = 8
const FOREIGN_CHARS = /[^a-zA-Z0-9_-]/g

/** A tool whose calls the client executes. */
export interface ClientTool {
  readonly kind: ClientToolKind
  readonly name: string
  readonly namespace?: string | undefined
}

/** The tools of a request as functions, which every provider has, and the way back. */
export interface ToolCatalog {
  readonly functions: readonly ChatTool[]
  /** The function that a tool stands for, or a call or choice of it. */
  functionName(tool: ClientTool): string
  /** The names of the functions among tools. */
  listNames(tools: unknown): readonly string[]
  /** The tool that a function stands for. A function that was not offered stands for itself. */
  findTool(functionName: string): ClientTool
}

/** The tools that a response refers to. Hosted tools are left out. */
export const toolsOf = ({ tools, addedTools }: JsonObject): ToolCatalog =>
  createToolCatalog([tools, ...asArray(addedTools)])

function createToolCatalog(lists: readonly unknown[]): ToolCatalog {
  const toolOfName = new Map<string, ClientTool>()
  const nameOfTool = new Map<string, string>()
  const functions: ChatTool[] = []
  for (const { tool, json: declaration } of lists.flatMap(listClientTools)) {
    const key = toKey(tool)
    if (nameOfTool.has(key)) continue
    const plain = toFunctionName(tool)
    const name = toolOfName.has(plain) ? shorten(plain, key) : plain
    toolOfName.set(name, tool)
    nameOfTool.set(key, name)
    functions.push(toFunction(name, tool, declaration))
  }
  const functionName = (tool: ClientTool): string => nameOfTool.get(toKey(tool)) ?? toFunctionName(tool)
  return {
    functions,
    functionName,
    listNames: tools => listClientTools(tools).map(({ tool }) => functionName(tool)),
    findTool: name => toolOfName.get(name) ?? { kind: 'function', name },
  }
}

/** The tool that a declaration, a choice or a call names. Undefined for tools of the provider. */
export function readClientTool(
  json: JsonObject,
  namespace = asString(json.namespace),
): ClientTool | undefined {
  const kind = findKind(json)
  if (kind === undefined) return undefined
  if (isKnownKind(kind)) return { kind, name: findKnownTool(kind).name }
  const name = asString(json.name)
  return name === undefined ? undefined : { kind, name, namespace }
}

interface DeclaredTool {
  readonly tool: ClientTool
  readonly json: JsonObject
}

/** Functions without a namespace come first, so that they keep their names. */
function listClientTools(json: unknown): readonly DeclaredTool[] {
  const tools = asArray(json).map(asObject)
  const inNamespaces = tools
    .filter(({ type }) => type === 'namespace')
    .flatMap(({ name, tools: members }) =>
      asArray(members).flatMap(member => toDeclaredTool(asObject(member), asString(name))),
    )
  return [...tools.flatMap(tool => toDeclaredTool(tool)), ...inNamespaces]
}

function toDeclaredTool(json: JsonObject, namespace?: string): readonly DeclaredTool[] {
  const tool = readClientTool(json, namespace)
  return tool ? [{ tool, json }] : []
}

/** A function may have the name of a tool that is known by its type. */
const toKey = ({ kind, namespace = '', name }: ClientTool): string =>
  isKnownKind(kind) ? kind : JSON.stringify([namespace, name])

/** Functions in a namespace get qualified names, as MCP clients form them. */
function toFunctionName({ namespace, name }: ClientTool): string {
  if (namespace === undefined) return name
  const qualified = `${namespace}__${name}`.replace(FOREIGN_CHARS, '_')
  return qualified.length > NAME_CHARS_MAX ? shorten(qualified, JSON.stringify([namespace, name])) : qualified
}

function shorten(name: string, key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, HASH_CHARS)
  return `${name.slice(0, NAME_CHARS_MAX - HASH_CHARS - 1)}_${hash}`
}

function toFunction(name: string, { kind }: ClientTool, json: JsonObject): ChatTool {
  if (kind === 'custom') return toTextFunction(name, json)
  if (isKnownKind(kind)) {
    const { describe, parameters } = findKnownTool(kind)
    return { type: 'function', function: { name, description: describe(json), parameters: parameters(json) } }
  }
  const { description, parameters, strict } = json
  return {
    type: 'function',
    function: {
      name,
      ...omitNullish({
        description: asString(description),
        parameters: isObject(parameters) ? parameters : undefined,
      }),
      ...(strict === true && { strict }),
    },
  }
}

/** Whether the client executes a tool, or all of a namespace. */
export const isClientTool = (tool: JsonObject): boolean =>
  tool.type === 'namespace' || findKind(tool) !== undefined

/** An item that sets options for the turns after it. */
export const CONFIGURATION = 'configuration_update'
/**
 * Items that are no part of a conversation. Among them are records of a provider's own searches and executions, whose
 * text follows in a message.
 */
export const SKIPPED_ITEMS: ReadonlySet<string> = new Set([
  'web_search_call',
  'code_interpreter_call',
  'file_search_call',
  'tool_search_call',
  'tool_search_output',
  'mcp_list_tools',
  'mcp_call',
  'additional_tools',
  'compaction_trigger',
  CONFIGURATION,
])
/** The tools that items add to those of the request, a list for each item: what is added later takes no name away. */
export const listAddedTools = (input: unknown): readonly unknown[] =>
  asArray(input).flatMap(item => {
    const { type, tools } = asObject(item)
    return type === 'additional_tools' || type === 'tool_search_output' ? [tools] : []
  })

/**
 * The items with calls of functions in place of others that the client executes, and the results of those. Of items that
 * are no part of the conversation, only what they set is left. Throws a GatewayError `invalid_request`.
 */
export const toFunctionItems = (items: readonly unknown[], catalog: ToolCatalog): readonly unknown[] =>
  items.map((value, index) => {
    const item = asObject(value)
    const found = findItemForm(item)
    if (!found) return SKIPPED_ITEMS.has(asString(item.type) ?? '') ? toSettings(item) : value
    const { kind, form, isCall } = found
    checkBody(isCall ? form.call : form.output, value, ['input', index])
    if (isCall) return toFunctionCall(item, catalog, { kind, arguments: form.toArguments(item) })
    const { id, call_id = id, output } = item
    return {
      ...item,
      type: 'function_call_output',
      call_id,
      output: form.toOutput ? form.toOutput(item, catalog.listNames) : output,
    }
  })

const toSettings = ({ type, tools, reasoning }: JsonObject): JsonObject => ({ type, tools, reasoning })

function toFunctionCall(
  item: JsonObject,
  catalog: ToolCatalog,
  { kind, arguments: json }: { readonly kind: ClientToolKind; readonly arguments: unknown },
): JsonObject {
  const { call_id, extra_content } = item
  const tool = readClientTool({ ...item, type: kind })
  return {
    type: 'function_call',
    call_id,
    name: tool && catalog.functionName(tool),
    arguments: JSON.stringify(json),
    ...(isObject(extra_content) && { extra_content }),
  }
}
