import type { HostedTools, MappedHostedTool } from '../../provider-kit/contract/hosted-tool.ts'
import {
  findHostedFamily,
  type HostedToolFamily,
  readHostedTools,
  readTexts,
} from '../../provider-kit/hosted-tools.ts'
import { asObject, type JsonObject } from '../../provider-kit/json.ts'

/** A tool is the name of a field. Source: ai.google.dev/api/caching#Tool */
const FAMILIES: readonly HostedToolFamily[] = [
  { type: /^(?:googleSearch|enterpriseWebSearch)/, name: 'web_search', read: readGoogleSearch },
  { type: /^urlContext$/, name: 'web_fetch', read: () => ({ name: 'web_fetch' }) },
  { type: /^codeExecution$/, name: 'code_execution', read: () => ({ name: 'code_execution' }) },
  { type: /^googleMaps$/, name: 'maps' },
  { type: /^(?:fileSearch|retrieval)$/, name: 'file_search' },
  { type: /^computerUse$/, name: 'computer_use' },
  { type: /^mcpServers$/, name: 'mcp' },
]

export const isHostedTool = (field: string): boolean => findHostedFamily(field, FAMILIES) !== undefined

export function toHostedTools(tools: readonly JsonObject[] | null | undefined): HostedTools | undefined {
  const fields = (tools ?? []).flatMap(tool =>
    Object.entries(tool).map(([type, options]) => ({ ...asObject(options), type })),
  )
  const hosted = readHostedTools(fields, FAMILIES)
  return hosted.length > 0 ? { tools: hosted } : undefined
}

function readGoogleSearch({ excludeDomains }: JsonObject): MappedHostedTool {
  return { name: 'web_search', blockedDomains: readTexts(excludeDomains) }
}
