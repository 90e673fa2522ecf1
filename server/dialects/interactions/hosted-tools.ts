import type { HostedTools } from '../../provider-kit/contract/hosted-tool.ts'
import { findHostedFamily, type HostedToolFamily, readHostedTools } from '../../provider-kit/hosted-tools.ts'

/** Source: ai.google.dev/api/interactions-api, `Tool` */
const FAMILIES: readonly HostedToolFamily[] = [
  { type: /^google_search$/, name: 'web_search', read: () => ({ name: 'web_search' }) },
  { type: /^url_context$/, name: 'web_fetch', read: () => ({ name: 'web_fetch' }) },
  { type: /^code_execution$/, name: 'code_execution', read: () => ({ name: 'code_execution' }) },
  { type: /^google_maps$/, name: 'maps' },
  { type: /^(?:file_search|retrieval)$/, name: 'file_search' },
  { type: /^computer_use$/, name: 'computer_use' },
  { type: /^mcp_server$/, name: 'mcp' },
]

export const isHostedTool = (type: string): boolean => findHostedFamily(type, FAMILIES) !== undefined

export function toHostedTools(tools: readonly unknown[]): HostedTools | undefined {
  const hosted = readHostedTools(tools, FAMILIES)
  return hosted.length > 0 ? { tools: hosted } : undefined
}
