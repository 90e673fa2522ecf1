import { createHash } from 'node:crypto'
import type { ChatTool } from '../../provider-kit/contract/chat.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitNullish,
  parseJson,
} from '../../provider-kit/json.ts'

/** The longest function name that every provider accepts, and the characters in it. */
const NAME_CHARS_MAX = 64
const HASH_CHARS = 8
const FOREIGN_CHARS = /[^a-zA-Z0-9_-]/g

/** A tool whose calls the client executes. `custom` tools take free text instead of JSON arguments. */
export interface ClientTool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly namespace?: string | undefined
}

/** The tools of a request as functions, which every provider has, and the way back. */
export interface ToolCatalog {
  readonly functions: readonly ChatTool[]
  functionName(tool: Omit<ClientTool, 'kind'>): string
  /** The tool that a function stands for. A function that was not offered stands for itself. */
  findTool(functionName: string): ClientTool
}

/** `json` is the list of tools of a request, whose hosted tools are left out. */
export function createToolCatalog(json: unknown): ToolCatalog {
  const toolOfName = new Map<string, ClientTool>()
  const nameOfTool = new Map<string, string>()
  const functions: ChatTool[] = []
  for (const { tool, json: declaration } of listClientTools(json)) {
    const key = toKey(tool)
    if (nameOfTool.has(key)) continue
    const plain = toFunctionName(tool)
    const name = toolOfName.has(plain) ? shorten(plain, key) : plain
    toolOfName.set(name, tool)
    nameOfTool.set(key, name)
    functions.push(toFunction(name, tool, declaration))
  }
  return {
    functions,
    functionName: tool => nameOfTool.get(toKey(tool)) ?? toFunctionName(tool),
    findTool: name => toolOfName.get(name) ?? { kind: 'function', name },
  }
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
  const { type, name } = json
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return []
  return [{ tool: { kind: type, name, namespace }, json }]
}

const toKey = ({ namespace = '', name }: Omit<ClientTool, 'kind'>): string =>
  JSON.stringify([namespace, name])

/** Functions in a namespace get qualified names, as MCP clients form them. */
function toFunctionName({ namespace, name }: Omit<ClientTool, 'kind'>): string {
  if (namespace === undefined) return name
  const qualified = `${namespace}__${name}`.replace(FOREIGN_CHARS, '_')
  return qualified.length > NAME_CHARS_MAX ? shorten(qualified, toKey({ namespace, name })) : qualified
}

function shorten(name: string, key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, HASH_CHARS)
  return `${name.slice(0, NAME_CHARS_MAX - HASH_CHARS - 1)}_${hash}`
}

const TEXT_PARAMETERS: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

function toFunction(name: string, tool: ClientTool, json: JsonObject): ChatTool {
  if (tool.kind === 'custom')
    return {
      type: 'function',
      function: { name, description: describeCustom(json), parameters: TEXT_PARAMETERS },
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

/** A grammar cannot be enforced by other providers, so the model reads it. */
function describeCustom({ description, format }: JsonObject): string {
  const { syntax, definition } = asObject(format)
  const grammar = asString(definition)
  const rule = grammar
    ? `The input is one string that matches this ${asString(syntax) ?? ''} grammar:\n${grammar}`
    : 'The input is one string.'
  return [asString(description), rule].filter(Boolean).join('\n\n')
}

/** Free text as the arguments of the function that stands for a custom tool. */
export const toCustomArguments = (input: string): string => JSON.stringify({ input })

/** The free text within such arguments. Arguments of another shape are passed as they are. */
export function readCustomInput(text: string): string {
  const json = parseJson(text)
  return (isObject(json) ? asString(json.input) : undefined) ?? text
}

const CLIENT_TOOLS: ReadonlySet<string> = new Set(['function', 'custom', 'namespace'])

export const isClientTool = (type: string): boolean => CLIENT_TOOLS.has(type)
