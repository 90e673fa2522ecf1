/**
 * Tools that a provider executes itself, and tools that it knows without a declaration although the client executes them.
 * The names are ours: they stand in receipts and documents, independent of a dialect's name for the tool.
 */
export const HOSTED_TOOL_NAMES = [
  'web_search',
  'web_fetch',
  'code_execution',
  'mcp',
  'image_generation',
  'file_search',
  'tool_search',
  'computer_use',
  'browser_use',
  'shell',
  'advisor',
  'maps',
  'x_search',
  'programmatic_tool_calling',
] as const
export type HostedToolName = (typeof HOSTED_TOOL_NAMES)[number]

/** Restricts a tool to domains. Providers take one list or the other. */
interface DomainFilter {
  readonly allowedDomains?: readonly string[] | undefined
  readonly blockedDomains?: readonly string[] | undefined
}

/** Where the user approximately is. `country` has two letters, `timezone` is of IANA. */
export interface UserLocation {
  readonly city?: string | undefined
  readonly region?: string | undefined
  readonly country?: string | undefined
  readonly timezone?: string | undefined
}

export interface WebSearchTool extends DomainFilter {
  readonly name: 'web_search'
  readonly userLocation?: UserLocation | undefined
  /** The most searches in one response. */
  readonly maxUses?: number | undefined
  readonly contextSize?: 'low' | 'medium' | 'high' | undefined
}

export interface WebFetchTool extends DomainFilter {
  readonly name: 'web_fetch'
  /** The most pages in one response. */
  readonly maxUses?: number | undefined
}

/** A remote MCP server whose tools the provider calls without asking. */
export interface McpTool {
  readonly name: 'mcp'
  readonly label: string
  readonly url: string
  /** An OAuth access token. */
  readonly authorization?: string | undefined
  /** All of its tools by default. */
  readonly allowedTools?: readonly string[] | undefined
}

/** Runs code in a sandbox of the provider. */
interface CodeExecutionTool {
  readonly name: 'code_execution'
}

/** A tool whose options only its own provider understands, such as an MCP server behind a connector. */
interface ForeignHostedTool {
  readonly name: HostedToolName
  readonly isForeign: true
}

export type MappedHostedTool = WebSearchTool | WebFetchTool | McpTool | CodeExecutionTool
export type HostedTool = MappedHostedTool | ForeignHostedTool

/** The hosted tools of a request. */
export interface HostedTools {
  readonly tools: readonly HostedTool[]
  /** The model must call one of these; none by default. */
  readonly forced?: readonly HostedToolName[] | undefined
}

/** The hosted tools of a call, all of which the provider has. */
export interface AvailableHostedTools {
  readonly tools: readonly MappedHostedTool[]
  /** The tool that the model must call. */
  readonly forced?: HostedToolName | undefined
}

/** A hosted tool that a provider has. */
export interface HostedToolSupport {
  readonly tool: HostedToolName
  /** The models that have the tool; all by default. */
  readonly models?: RegExp
  /** The provider rejects the tool beside functions and beside a required format. */
  readonly isAlone?: true
  /** Requests of other dialects cannot be translated to it. */
  readonly isNativeOnly?: true
}
