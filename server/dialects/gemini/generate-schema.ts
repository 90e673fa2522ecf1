import { z } from 'zod'
import { GatewayError } from '../../core/errors.ts'
import { type BothLanguages, sameInBoth } from '../../core/language.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import { isObject } from '../../provider-kit/json.ts'
import { checkBody, MODEL_NAME_CHARS_MAX, OUTPUT_TOKENS_MAX } from '../../provider-kit/validation.ts'
import { isHostedTool } from './hosted-tools.ts'

const CONTENTS_MAX = 10_000
const PARTS_MAX = 10_000
const TOOLS_MAX = 1_024
const STOPS_MAX = 16
const CHOICES_MAX = 128

/** A part is identified by its field. Unknown fields are left to the provider. */
const Part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: z.looseObject({ mimeType: z.string(), data: z.string() }).optional(),
  fileData: z.looseObject({ fileUri: z.string(), mimeType: z.string().optional() }).optional(),
  functionCall: z
    .looseObject({
      name: z.string(),
      id: z.string().nullish(),
      args: z.looseObject({}).nullish(),
    })
    .optional(),
  functionResponse: z
    .looseObject({ name: z.string(), id: z.string().nullish(), response: z.unknown().optional() })
    .optional(),
})

const Content = z.looseObject({
  role: z.string().nullish(),
  parts: z.array(Part).max(PARTS_MAX).nullish(),
})
/** Google's own clients also send a plain text. */
const Instruction = z.union([z.string(), Content], {
  error: expected({ zh: '文本或带 parts 的对象', en: 'text or an object with parts' }),
})

const Declaration = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.looseObject({}).nullish(),
  parametersJsonSchema: z.looseObject({}).nullish(),
})

const Tool = z.looseObject({ functionDeclarations: z.array(Declaration).max(TOOLS_MAX).nullish() })

const GenerationConfig = z.looseObject({
  temperature: z.number().min(0).max(2).nullish(),
  topP: z.number().min(0).max(1).nullish(),
  topK: z.number().min(0).nullish(),
  seed: z.int().nullish(),
  maxOutputTokens: z.int().min(0).max(OUTPUT_TOKENS_MAX).nullish(),
  stopSequences: z.array(z.string()).max(STOPS_MAX).nullish(),
  candidateCount: z.int().min(0).max(CHOICES_MAX).nullish(),
  presencePenalty: z.number().nullish(),
  frequencyPenalty: z.number().nullish(),
  responseLogprobs: z.boolean().nullish(),
  logprobs: z.int().min(0).nullish(),
  responseMimeType: z.string().nullish(),
  responseSchema: z.looseObject({}).nullish(),
  responseJsonSchema: z.looseObject({}).nullish(),
  responseModalities: z.array(z.string()).nullish(),
  thinkingConfig: z
    .looseObject({ thinkingBudget: z.int().nullish(), thinkingLevel: z.string().nullish() })
    .nullish(),
})

const GenerateJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  contents: z.array(Content).min(1).max(CONTENTS_MAX),
  systemInstruction: Instruction.nullish(),
  tools: z.array(Tool).max(TOOLS_MAX).nullish(),
  toolConfig: z
    .looseObject({
      functionCallingConfig: z
        .looseObject({
          mode: z.string().nullish(),
          allowedFunctionNames: z.array(z.string()).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  generationConfig: GenerationConfig.nullish(),
  cachedContent: z.string().nullish(),
})

export type GenerateJson = z.infer<typeof GenerateJson>
export type ContentJson = z.infer<typeof Content>
export type GeminiPartJson = z.infer<typeof Part>

/**
 * Validates a body. Throws a GatewayError `invalid_request`. The cast is safe because the schema has just accepted
 * the same value and converts nothing.
 */
export function toGenerateJson(json: unknown): GenerateJson {
  checkBody(GenerateJson, json)
  return json as GenerateJson
}

/** Fields whose content belongs to the client, including its names. */
const OPAQUE: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
])

/**
 * Converts field names to camel case. Google accepts both `inlineData` and `inline_data`, but not both at once: a provider
 * might read the other one. Throws a GatewayError `invalid_request` for that.
 */
export function toCamelCase(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(toCamelCase)
  if (!isObject(json)) return json
  const fields = new Map<string, unknown>()
  for (const [name, value] of Object.entries(json)) {
    const camel = name.replaceAll(/_([a-z])/gi, (_, letter: string) => letter.toUpperCase())
    if (fields.has(camel)) throw twoSpellings(name, camel)
    fields.set(camel, OPAQUE.has(camel) ? value : toCamelCase(value))
  }
  return Object.fromEntries(fields)
}

const twoSpellings = (name: string, camel: string): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `${name}：与 ${camel} 是同一字段的两种写法，只能使用一种`,
    en: `${name}: found ${camel} in two spellings, needed one of them`,
  })

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

/** The first feature that only Gemini supports. Undefined when there is none. */
export function findNativeOnlyFeature(request: GenerateJson): BothLanguages | undefined {
  const { contents, tools, cachedContent, generationConfig } = request
  if (cachedContent)
    return { zh: 'cachedContent：供应商侧的缓存', en: 'cachedContent: a cache on the provider side' }
  const unknownTool = tools
    ?.flatMap(tool => Object.keys(tool))
    .find(name => name !== 'functionDeclarations' && !isHostedTool(name))
  if (unknownTool) return { zh: `tools：工具 ${unknownTool}`, en: `tools: the tool ${unknownTool}` }
  const modality = generationConfig?.responseModalities?.find(name => name.toUpperCase() !== 'TEXT')
  if (modality) return sameInBoth(`generationConfig.responseModalities: ${JSON.stringify(modality)}`)
  const allParts = contents.flatMap(({ parts }) => parts ?? [])
  const medium = allParts.map(findForeignMedium).find(Boolean)
  if (medium) return sameInBoth(`contents: ${medium}`)
  const part = allParts.find(isUnknownPart)
  if (!part) return undefined
  const fields = Object.keys(part)
  return {
    zh: `contents：含字段 ${fields.join('、')} 的内容`,
    en: `contents: a part with the fields ${fields.join(', ')}`,
  }
}

/** Whether a part holds only fields that the canonical form cannot express. */
const isUnknownPart = (part: GeminiPartJson): boolean =>
  !CONTENT_FIELDS.some(field => part[field] !== undefined) &&
  Object.keys(part).some(name => !KNOWN_FIELDS.has(name))

const VIDEO = /^video\//i
const AUDIO = /^audio\//i
const YOUTUBE = /^https?:\/\/(?:[\w-]+\.)?(?:youtube\.com|youtu\.be)\//i

/** The type of a video, or of audio by address. */
function findForeignMedium({ inlineData, fileData }: GeminiPartJson): string | undefined {
  const mimeType = fileData?.mimeType ?? inlineData?.mimeType ?? ''
  if (VIDEO.test(mimeType) || (fileData && AUDIO.test(mimeType))) return mimeType
  return fileData && YOUTUBE.test(fileData.fileUri) ? 'YouTube' : undefined
}
