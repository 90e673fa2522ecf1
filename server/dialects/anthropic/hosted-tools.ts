import type {
  HostedTool,
  HostedTools,
  MappedHostedTool,
  McpTool,
} from '../../provider-kit/contract/hosted-tool.ts'
import {
  findHostedFamily,
  type HostedToolFamily,
  readHostedTools,
  readPositive,
  readTexts,
  readUserLocation,
} from '../../provider-kit/hosted-tools.ts'
import { asArray, asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { type AnthropicTool, isClientTool } from './client-tools.ts'

/** Source: platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference */
const FAMILIES: readonly HostedToolFamily[] = [
  { type: /^web_search_\d{8}$/, name: 'web_search', read: readWebSearch },
  { type: /^web_fetch_\d{8}$/, name: 'web_fetch', read: readWebFetch },
  { type: /^code_execution_\d{8}$/, name: 'code_execution', read: () => ({ name: 'code_execution' }) },
  { type: /^tool_search_tool_/, name: 'tool_search' },
  { type: /^advisor_\d{8}$/, name: 'advisor' },
  { type: /^browser_toolset_\d{8}$/, name: 'browser_use' },
  // A toolset only configures a server of `mcp_servers`, which is the tool.
  { type: /^mcp_toolset$/, name: 'mcp' },
]
const TOOLSET = 'mcp_toolset'

export const isHostedTool = (type: unknown): boolean => findHostedFamily(type, FAMILIES) !== undefined

interface MessagesToolFields {
  readonly tools?: readonly AnthropicTool[] | null | undefined
  readonly tool_choice?: { readonly type: string; readonly name?: string | undefined } | null | undefined
  readonly mcp_servers?: unknown
}

export function toHostedTools(request: MessagesToolFields): HostedTools | undefined {
  const { tools, tool_choice: choice } = request
  const own = (tools ?? []).filter(({ type }) => type !== TOOLSET)
  const hosted = [...readHostedTools(own, FAMILIES), ...readMcpServers(request)]
  if (hosted.length === 0) return undefined
  if (choice?.type === 'tool') {
    const named = own.filter(({ name }) => name !== undefined && name === choice.name)
    return { tools: hosted, forced: readHostedTools(named, FAMILIES).map(({ name }) => name) }
  }
  const canCall = own.some(({ type }) => isClientTool(type))
  return {
    tools: hosted,
    ...(choice?.type === 'any' && !canCall && { forced: hosted.map(({ name }) => name) }),
  }
}

function readWebSearch(tool: JsonObject): MappedHostedTool {
  return { ...readWebTool(tool), name: 'web_search', userLocation: readUserLocation(tool.user_location) }
}

function readWebFetch(tool: JsonObject): MappedHostedTool {
  return { ...readWebTool(tool), name: 'web_fetch' }
}

const readWebTool = ({ allowed_domains, blocked_domains, max_uses }: JsonObject) => ({
  allowedDomains: readTexts(allowed_domains),
  blockedDomains: readTexts(blocked_domains),
  maxUses: readPositive(max_uses),
})

/** Source: platform.claude.com/docs/en/agents-and-tools/mcp-connector */
const readMcpServers = ({ mcp_servers, tools }: MessagesToolFields): readonly HostedTool[] =>
  asArray(mcp_servers).map(json => {
    const server = asObject(json)
    const toolset = tools?.find(
      ({ type, mcp_server_name }) => type === TOOLSET && mcp_server_name === server.name,
    )
    return toMcpTool(server, asObject(toolset)) ?? { name: 'mcp', isForeign: true }
  })

function toMcpTool(server: JsonObject, toolset: JsonObject): McpTool | undefined {
  const [label, url] = [asString(server.name), asString(server.url)]
  if (!label || !url) return undefined
  const allowedTools = readTexts(asObject(server.tool_configuration).allowed_tools) ?? readEnabled(toolset)
  return { name: 'mcp', label, url, authorization: asString(server.authorization_token), allowedTools }
}

/** The tools that a toolset enables one by one, where it disables the others. */
function readEnabled({ default_config, configs }: JsonObject): readonly string[] | undefined {
  if (asObject(default_config).enabled !== false) return undefined
  return Object.entries(asObject(configs))
    .filter(([, config]) => asObject(config).enabled === true)
    .map(([name]) => name)
}
