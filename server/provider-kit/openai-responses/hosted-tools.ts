import type {
  AvailableHostedTools,
  HostedToolName,
  HostedToolSupport,
  MappedHostedTool,
  McpTool,
  WebSearchTool,
} from '../contract/hosted-tool.ts'
import { type JsonObject, omitNullish } from '../json.ts'

/** Models of OpenAI without the Responses API, and those with another use. */
const WITH_TOOLS =
  /^(?!gpt-3|gpt-4(?:-|$)|davinci|babbage|o1-(?:mini|preview)|.*(?:search-preview|audio|realtime))/

/** Source: platform.openai.com/docs/guides/tools */
export const OPENAI_TOOLS: readonly HostedToolSupport[] = [
  { tool: 'web_search', models: WITH_TOOLS },
  { tool: 'code_execution', models: WITH_TOOLS },
  { tool: 'mcp', models: WITH_TOOLS },
  { tool: 'image_generation', isNativeOnly: true },
  { tool: 'file_search', isNativeOnly: true },
  { tool: 'tool_search', isNativeOnly: true },
  { tool: 'shell', isNativeOnly: true },
  { tool: 'programmatic_tool_calling', isNativeOnly: true },
]

/** How a provider of the Responses API names what OpenAI names otherwise, or lacks. */
export interface ToolDialect {
  /** The filter of blocked domains, where the provider has one. */
  readonly blockedDomains?: string
  /** The provider's code interpreter has no containers. */
  readonly hasNoContainers?: true
  /** Parts of responses that must be requested. */
  readonly include?: readonly string[]
}

export function toResponsesTool(tool: MappedHostedTool, dialect: ToolDialect): readonly JsonObject[] {
  switch (tool.name) {
    case 'web_search':
      return [toWebSearch(tool, dialect)]
    case 'code_execution':
      return [{ type: 'code_interpreter', ...(!dialect.hasNoContainers && { container: { type: 'auto' } }) }]
    case 'mcp':
      return [toMcp(tool)]
    case 'web_fetch':
      return []
  }
}

function toWebSearch(tool: WebSearchTool, { blockedDomains }: ToolDialect): JsonObject {
  const { allowedDomains, userLocation, contextSize } = tool
  const blocked = blockedDomains === undefined || allowedDomains ? undefined : tool.blockedDomains
  const filters = {
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blocked && { [String(blockedDomains)]: blocked }),
  }
  return {
    type: tool.name,
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(userLocation && { user_location: { type: 'approximate', ...userLocation } }),
    ...(contextSize && { search_context_size: contextSize }),
  }
}

const toMcp = ({ label, url, authorization, allowedTools }: McpTool): JsonObject => ({
  type: 'mcp',
  server_label: label,
  server_url: url,
  require_approval: 'never',
  ...omitNullish({ authorization, allowed_tools: allowedTools }),
})

const CHOICE_OF: Readonly<Partial<Record<HostedToolName, string>>> = { code_execution: 'code_interpreter' }

/** The tool choice that forces a hosted tool. */
export function toHostedChoice({ tools }: AvailableHostedTools, forced: HostedToolName): JsonObject {
  const server = tools.find(tool => tool.name === 'mcp')
  if (forced === 'mcp' && server) return { type: 'mcp', server_label: server.label }
  return { type: CHOICE_OF[forced] ?? forced }
}
