// An MCP server with one tool, which writes a note into the file that its first argument names.
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const TOOL = {
  name: 'write_note',
  description: 'Writes a note.',
  inputSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
}

const RESULTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ arguments: { note } }) => {
    writeFileSync(process.argv[2], note)
    return { content: [{ type: 'text', text: 'The note is written.' }] }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = RESULTS[method]?.(params ?? {}) ?? {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
