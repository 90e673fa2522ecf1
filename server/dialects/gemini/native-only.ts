import type { GenerateJson, PartJson } from './generate-json.ts'

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
])
const CONTENT_FIELDS: readonly string[] = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
]

/** The first wish that only Gemini itself understands. */
export function nativeOnlyIn(sent: GenerateJson): string | undefined {
  const { contents, tools, cachedContent, generationConfig } = sent
  if (cachedContent) return 'cachedContent: a cache that the vendor keeps'
  const odd = tools?.flatMap(tool => Object.keys(tool)).find(name => name !== 'functionDeclarations')
  if (odd) return `tools: the tool ${odd}`
  const modality = generationConfig?.responseModalities?.find(name => name.toUpperCase() !== 'TEXT')
  if (modality) return `generationConfig.responseModalities: ${JSON.stringify(modality)}`
  const part = contents.flatMap(({ parts }) => parts ?? []).find(isOdd)
  return part && `contents: a part with the fields ${Object.keys(part).join(', ')}`
}

/** Holds something that we cannot carry, and nothing that we can. */
const isOdd = (part: PartJson): boolean =>
  !CONTENT_FIELDS.some(field => part[field] !== undefined) &&
  Object.keys(part).some(name => !KNOWN_FIELDS.has(name))
