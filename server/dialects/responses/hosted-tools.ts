import type {
  HostedTool,
  HostedToolName,
  HostedTools,
  MappedHostedTool,
} from '../../provider-kit/contract/hosted-tool.ts'
import {
  findHostedFamily,
  type HostedToolFamily,
  readContextSize,
  readHostedTools,
  readTexts,
  readUserLocation,
} from '../../provider-kit/hosted-tools.ts'
import { asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { isClientTool } from './tools.ts'

/** Source: platform.openai.com/docs/guides/tools */
const FAMILIES: readonly HostedToolFamily[] = [
  { type: /^web_search/, name: 'web_search', read: readWebSearch },
  { type: /^code_(?:interpreter|execution)$/, name: 'code_execution', read: readCodeInterpreter },
  { type: /^mcp$/, name: 'mcp', read: readMcp },
  { type: /^image_generation$/, name: 'image_generation' },
  { type: /^(?:file|collections)_search$/, name: 'file_search' },
  { type: /^tool_search/, name: 'tool_search' },
  { type: /^shell$/, name: 'shell' },
  { type: /^programmatic_tool_calling$/, name: 'programmatic_tool_calling' },
  { type: /^x_search$/, name: 'x_search' },
]

export const isHostedTool = (type: string): boolean => findHostedFamily(type, FAMILIES) !== undefined

interface ResponseToolFields {
  readonly tools?: readonly ResponseTool[] | null | undefined
  readonly tool_choice?: string | { readonly type: string } | null | undefined
}

type ResponseTool = JsonObject & { readonly type: string }

export function toHostedTools({ tools, tool_choice: choice }: ResponseToolFields): HostedTools | undefined {
  const clientTypes = new Set((tools ?? []).filter(isClientTool).map(({ type }) => type))
  const hosted = readHostedTools(
    (tools ?? []).filter(tool => !isClientTool(tool)),
    FAMILIES,
  )
  const forced = readForced(choice, hosted, clientTypes)
  return hosted.length > 0 || forced.length > 0
    ? { tools: hosted, ...(forced.length > 0 && { forced }) }
    : undefined
}

/** The tools of which the model must call one. */
function readForced(
  choice: ResponseToolFields['tool_choice'],
  hosted: readonly HostedTool[],
  clientTypes: ReadonlySet<string>,
): readonly HostedToolName[] {
  if (typeof choice === 'object' && choice !== null)
    return clientTypes.has(choice.type)
      ? []
      : [findHostedFamily(choice.type, FAMILIES)?.name].filter(name => name !== undefined)
  return choice === 'required' && clientTypes.size === 0 ? hosted.map(({ name }) => name) : []
}

function readWebSearch({ filters, user_location, search_context_size }: JsonObject): MappedHostedTool {
  const { allowed_domains, blocked_domains, excluded_domains } = asObject(filters)
  return {
    name: 'web_search',
    allowedDomains: readTexts(allowed_domains),
    blockedDomains: readTexts(blocked_domains) ?? readTexts(excluded_domains),
    userLocation: readUserLocation(user_location),
    contextSize: readContextSize(search_context_size),
  }
}

/** Files and containers are on the side of the provider. */
function readCodeInterpreter({ container }: JsonObject): MappedHostedTool | undefined {
  const isFresh = container === undefined || (isObject(container) && !readTexts(container.file_ids))
  return isFresh ? { name: 'code_execution' } : undefined
}

/** Other providers call the server without asking, so a server whose calls need approval stays with its own. */
function readMcp({
  server_label,
  server_url,
  authorization,
  allowed_tools,
  require_approval,
  headers,
}: JsonObject): MappedHostedTool | undefined {
  const [label, url] = [asString(server_label), asString(server_url)]
  if (!label || !url || require_approval !== 'never' || isObject(headers)) return undefined
  return {
    name: 'mcp',
    label,
    url,
    authorization: asString(authorization),
    allowedTools: readTexts(allowed_tools) ?? readTexts(asObject(allowed_tools).tool_names),
  }
}
