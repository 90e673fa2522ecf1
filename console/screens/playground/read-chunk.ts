import { z } from 'zod'
import type { ToolCall, Turn } from './turn.ts'

const Text = z.string().nullish().catch(undefined)

const ToolPiece = z.object({
  index: z.number().catch(0),
  function: z.object({ name: Text, arguments: Text }).optional().catch(undefined),
})

const Delta = z.object({
  content: Text,
  reasoning_content: Text,
  reasoning: Text,
  tool_calls: z.array(ToolPiece).nullish().catch(undefined),
})

const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.optional().catch(undefined) })).catch([]),
  error: z.object({ message: z.string() }).optional().catch(undefined),
})
export type Chunk = z.infer<typeof Chunk>

/** Reads one event of a streamed answer. Undefined for what is no JSON. */
export function readChunk(event: string): Chunk | undefined {
  try {
    return Chunk.safeParse(JSON.parse(event)).data
  } catch {
    return undefined
  }
}

/** An answer with one more piece. */
export function withChunk(turn: Turn, chunk: Chunk): Turn {
  const delta = chunk.choices[0]?.delta
  if (!delta) return turn
  const content = turn.content + (delta.content ?? '')
  const reasoning = turn.reasoning + (delta.reasoning_content ?? delta.reasoning ?? '')
  const toolCalls = (delta.tool_calls ?? []).reduce(withToolPiece, turn.toolCalls)
  const hasBegun = content !== '' || reasoning !== '' || toolCalls.length > 0
  return { ...turn, content, reasoning, toolCalls, state: hasBegun ? 'incomplete' : turn.state }
}

function withToolPiece(calls: ToolCall[], { index, function: said }: z.infer<typeof ToolPiece>): ToolCall[] {
  const known = calls.find(call => call.index === index) ?? { index, name: '', arguments: '' }
  const next = {
    index,
    name: known.name || (said?.name ?? ''),
    arguments: known.arguments + (said?.arguments ?? ''),
  }
  return [...calls.filter(call => call.index !== index), next].toSorted((a, b) => a.index - b.index)
}
