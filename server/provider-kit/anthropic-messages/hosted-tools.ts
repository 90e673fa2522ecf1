import type {
  AvailableHostedTools,
  HostedToolName,
  HostedToolSupport,
  MappedHostedTool,
  McpTool,
  WebFetchTool,
  WebSearchTool,
} from '../contract/hosted-tool.ts'
import { type JsonObject, omitNullish } from '../json.ts'

/** The first models with search; a name that matches nothing else is a later one. */
const WITH_SEARCH = /^claude-(?!instant|1|2|3-(?:opus|sonnet|haiku))/
const WITH_CODE = /^claude-(?!instant|1|2|3-(?:opus|sonnet|haiku|5-sonnet))/

/** Source: platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference */
export const ANTHROPIC_TOOLS: readonly HostedToolSupport[] = [
  { tool: 'web_search', models: WITH_SEARCH },
  { tool: 'web_fetch', models: WITH_SEARCH },
  { tool: 'code_execution', models: WITH_CODE },
  { tool: 'mcp', models: WITH_CODE },
  { tool: 'tool_search', isNativeOnly: true },
  { tool: 'advisor', isNativeOnly: true },
  { tool: 'browser_use', isNativeOnly: true },
]

const SERVER_TOOLS = /^(?:web_search|web_fetch|code_execution|advisor|mcp_toolset|browser_toolset)/

/** For clouds that host Claude without its server tools, or with a few of them. */
export const acceptsOnly =
  (...hosted: readonly HostedToolName[]) =>
  (type: string): boolean =>
    !SERVER_TOOLS.test(type) || hosted.some(name => type.startsWith(name))

/** The versions that all models with the tool accept. */
const TYPES = {
  web_search: 'web_search_20250305',
  web_fetch: 'web_fetch_20250910',
  code_execution: 'code_execution_20250825',
} as const

const MCP_BETA = 'mcp-client-2025-11-20'

/** The header that the hosted tools of a call need. */
export const toolBetaHeader = (hosted: AvailableHostedTools | undefined): Record<string, string> =>
  hosted?.tools.some(({ name }) => name === 'mcp') ? { 'anthropic-beta': MCP_BETA } : {}

export function toAnthropicHostedTool(tool: MappedHostedTool): JsonObject {
  switch (tool.name) {
    case 'web_search':
      return toWebSearch(tool)
    case 'web_fetch':
      return { type: TYPES.web_fetch, name: tool.name, ...toWebFields(tool) }
    case 'code_execution':
      return { type: TYPES.code_execution, name: tool.name }
    case 'mcp':
      return toToolset(tool)
  }
}

const SEARCHES_OF_CONTEXT = { low: 1, medium: 5, high: 10 } as const
const SEARCHES_DEFAULT = 5

const toWebSearch = (tool: WebSearchTool): JsonObject => ({
  type: TYPES.web_search,
  name: tool.name,
  ...toWebFields({ ...tool, maxUses: tool.maxUses ?? SEARCHES_OF_CONTEXT[tool.contextSize ?? 'medium'] }),
  ...(tool.userLocation && { user_location: { type: 'approximate', ...tool.userLocation } }),
})

/** Claude takes one of the two lists. */
const toWebFields = ({
  allowedDomains,
  blockedDomains,
  maxUses,
}: Pick<WebFetchTool, 'allowedDomains' | 'blockedDomains' | 'maxUses'>): JsonObject =>
  omitNullish({
    max_uses: maxUses ?? SEARCHES_DEFAULT,
    allowed_domains: allowedDomains,
    blocked_domains: allowedDomains ? undefined : blockedDomains,
  })

const toToolset = ({ label, allowedTools }: McpTool): JsonObject => ({
  type: 'mcp_toolset',
  mcp_server_name: label,
  ...(allowedTools && {
    default_config: { enabled: false },
    configs: Object.fromEntries(allowedTools.map(name => [name, { enabled: true }])),
  }),
})

/** The servers whose toolsets the tools name. Source: platform.claude.com/docs/en/agents-and-tools/mcp-connector */
export function toMcpServers(tools: readonly MappedHostedTool[] = []): readonly JsonObject[] | undefined {
  const servers = tools.flatMap(tool =>
    tool.name === 'mcp'
      ? {
          type: 'url',
          name: tool.label,
          url: tool.url,
          ...(tool.authorization !== undefined && { authorization_token: tool.authorization }),
        }
      : [],
  )
  return servers.length > 0 ? servers : undefined
}
