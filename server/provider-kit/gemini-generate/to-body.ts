import type { ChatBody, ChatTool, JsonObject, ToolChoice } from '../chat.ts'
import {
  chosenFunctionOf,
  functionOf,
  outputLimitOf,
  refuseLegacyFunctions,
  stopsOf,
} from '../chat-request.ts'
import type { Call } from '../exchange.ts'
import { listOf, objectOf } from '../json.ts'
import { toThinkingConfig, withoutThinkingSuffix } from './thinking.ts'
import { toGeminiContents } from './to-contents.ts'
import { toGeminiSchema } from './to-schema.ts'

const STOPS_MAX = 5
/** Names of functions that stand for Gemini's own tools. */
const OWN_TOOLS: ReadonlySet<string> = new Set(['googleSearch', 'codeExecution', 'urlContext'])
/** The gateway does not judge; what the vendor always refuses, it refuses nevertheless. */
const SAFETY_SETTINGS = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map(
  category => ({
    category: `HARM_CATEGORY_${category}`,
    threshold: 'OFF',
  }),
)

/** Source: ai.google.dev/api/generate-content. What Gemini has no field for stays behind. */
export function toGeminiBody({ body, model: name }: Call<ChatBody>): JsonObject {
  refuseLegacyFunctions(body)
  const { google } = objectOf(body.extra_body)
  const { thinking_config, safety_settings, cached_content } = objectOf(google)
  const tools = toTools(body.tools ?? [])
  return {
    ...toGeminiContents(body, withoutThinkingSuffix(name)),
    tools,
    toolConfig:
      tools && body.tool_choice ? { functionCallingConfig: toCallingMode(body.tool_choice) } : undefined,
    generationConfig: toGenerationConfig(body, thinking_config ?? toThinkingConfig(name, body)),
    safetySettings: safety_settings ?? SAFETY_SETTINGS,
    cachedContent: cached_content,
  }
}

function toGenerationConfig(body: ChatBody, thinkingConfig: unknown): JsonObject {
  const modalities = listOf(body.modalities).map(name => String(name).toUpperCase())
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    seed: body.seed ?? undefined,
    candidateCount: body.n && body.n > 1 ? body.n : undefined,
    maxOutputTokens: outputLimitOf(body),
    stopSequences: stopsOf(body)?.slice(0, STOPS_MAX),
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    responseLogprobs: body.logprobs ?? undefined,
    logprobs: body.top_logprobs ?? undefined,
    responseModalities: modalities.length > 0 ? modalities : undefined,
    ...toResponseFormat(body),
    thinkingConfig,
  }
}

function toResponseFormat({ response_format: format }: ChatBody): JsonObject {
  const responseMimeType = 'application/json'
  if (format?.type === 'json_schema')
    return { responseMimeType, responseSchema: toGeminiSchema(format.json_schema.schema) }
  return format?.type === 'json_object' ? { responseMimeType } : {}
}

function toTools(tools: readonly ChatTool[]): readonly JsonObject[] | undefined {
  const declared = tools.filter(tool => !OWN_TOOLS.has(nameOf(tool)))
  const own = tools.filter(tool => OWN_TOOLS.has(nameOf(tool))).map(tool => ({ [nameOf(tool)]: {} }))
  const functions = declared.length > 0 ? [{ functionDeclarations: declared.map(toDeclaration) }] : []
  return tools.length > 0 ? [...functions, ...own] : undefined
}

const nameOf = (tool: ChatTool): string => functionOf(tool).name

function toDeclaration(tool: ChatTool): JsonObject {
  const { name, description, parameters } = functionOf(tool)
  return { name, description, parameters: toGeminiSchema(parameters) }
}

const MODE_OF = { none: 'NONE', auto: 'AUTO', required: 'ANY' } as const

function toCallingMode(choice: ToolChoice): JsonObject {
  return typeof choice === 'string'
    ? { mode: MODE_OF[choice] }
    : { mode: 'ANY', allowedFunctionNames: [chosenFunctionOf(choice)] }
}
