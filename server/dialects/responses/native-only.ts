import type { ItemJson, PartJson, ResponseJson } from './response-json.ts'

/** What refers to something that only its vendor keeps. */
const KEPT_BY_VENDOR: readonly string[] = ['previous_response_id', 'conversation', 'prompt']
const KNOWN_ITEMS: ReadonlySet<string> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'reasoning',
])
const KNOWN_PARTS: ReadonlySet<string> = new Set([
  'input_text',
  'output_text',
  'text',
  'refusal',
  'input_image',
  'input_file',
  'input_audio',
])

/** The first wish that only a vendor of the Responses API itself understands. */
export function nativeOnlyIn(sent: ResponseJson): string | undefined {
  const kept = KEPT_BY_VENDOR.find(field => sent[field] !== undefined && sent[field] !== null)
  if (kept) return `${kept}: a reference to what the vendor keeps`
  const tool = sent.tools?.find(({ type }) => type !== 'function')
  if (tool) return `tools: a tool of the type ${JSON.stringify(tool.type)}`
  const choice = sent.tool_choice
  if (typeof choice === 'object' && choice && choice.type !== 'function')
    return `tool_choice: the type ${JSON.stringify(choice.type)}`
  return typeof sent.input === 'string' ? undefined : oddItemIn(sent.input)
}

function oddItemIn(items: readonly ItemJson[]): string | undefined {
  for (const { type, content, output } of items) {
    if (!KNOWN_ITEMS.has(type ?? 'message')) return `input: an item of the type ${JSON.stringify(type)}`
    const parts =
      type === 'reasoning' ? [] : [content, output].flatMap(part => (Array.isArray(part) ? part : []))
    const odd = parts.find(isOdd)
    if (odd)
      return `input: a part of the type ${JSON.stringify(odd.type)} with the fields ${Object.keys(odd).join(', ')}`
  }
  return undefined
}

/** Of a type that we do not know, or a file that the vendor keeps. */
const isOdd = (part: PartJson): boolean =>
  !KNOWN_PARTS.has(part.type) || (part.file_id !== undefined && part.file_id !== null)
