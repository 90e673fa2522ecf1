import type { InnerBlockJson, MessagesJson } from './messages-json.ts'

const KNOWN_BLOCKS: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'thinking',
  /** Only Claude can read it, and others do without. */
  'redacted_thinking',
])
const KNOWN_SOURCES: ReadonlySet<string> = new Set(['base64', 'url', 'text'])

/** The first wish that only Claude itself understands: a tool of its own, or content of a type that we do not know. */
export function nativeOnlyIn({ messages, tools, mcp_servers, container }: MessagesJson): string | undefined {
  if (Array.isArray(mcp_servers) && mcp_servers.length > 0)
    return 'mcp_servers: servers that Claude calls itself'
  if (container !== undefined && container !== null) return 'container: a place that the vendor keeps'
  const tool = tools?.find(({ type }) => type !== undefined && type !== null && type !== 'custom')
  if (tool) return `tools: a tool of the type ${JSON.stringify(tool.type)}`
  for (const { content } of messages) {
    const odd = typeof content === 'string' ? undefined : oddBlockIn(content)
    if (odd) return `messages: ${odd}`
  }
  return undefined
}

function oddBlockIn(blocks: readonly InnerBlockJson[]): string | undefined {
  for (const { type, source, content } of blocks) {
    if (!KNOWN_BLOCKS.has(type)) return `a block of the type ${JSON.stringify(type)}`
    if (source && !KNOWN_SOURCES.has(source.type))
      return `a source of the type ${JSON.stringify(source.type)}`
    const inner = Array.isArray(content) ? oddBlockIn(content) : undefined
    if (inner) return inner
  }
  return undefined
}
