import { ownEntry } from '../../core/json/json.ts'
import {
  formatInstruction,
  getChosenFunctionName,
  getToolFunction,
  readMaxOutputTokens,
  readStopSequences,
  rejectLegacyFunctions,
} from '../chat-request.ts'
import type { ChatBody, ChatTool, ToolChoice } from '../contract/chat.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import { asArray, asObject, type JsonObject } from '../json.ts'
import { toGeminiHostedTools } from './hosted-tools.ts'
import { toGeminiContents } from './to-contents.ts'
import { toGeminiSchema } from './to-schema.ts'

/** Function names that represent Gemini's own tools. */
const OWN_TOOLS: ReadonlySet<string> = new Set(['googleSearch', 'codeExecution', 'urlContext'])
/** The gateway does not moderate. Content that the provider always blocks is blocked nevertheless. */
const SAFETY_SETTINGS = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map(
  category => ({
    category: `HARM_CATEGORY_${category}`,
    threshold: 'OFF',
  }),
)

/**
 * Builds a `generateContent` body. Fields without a counterpart are dropped. Source:
 * ai.google.dev/api/generate-content
 */
export function toGeminiBody({
  body: clientBody,
  model: name,
  hostedTools,
}: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(clientBody)
  const hasTools = Boolean(clientBody.tools?.length) || hostedTools !== undefined
  const body = hasTools && !TAKES_FORMAT_WITH_TOOLS.test(name) ? withFormatAsText(clientBody) : clientBody
  const { google } = asObject(body.extra_body)
  const { thinking_config, safety_settings, cached_content } = asObject(google)
  const functions = body.tools ?? []
  const tools = [...toTools(functions), ...toGeminiHostedTools(hostedTools?.tools)]
  return {
    ...toGeminiContents(body, withoutThinkingSuffix(name)),
    tools: tools.length > 0 ? tools : undefined,
    toolConfig: toToolConfig(body, hostedTools !== undefined),
    generationConfig: toGenerationConfig(body, thinking_config ?? toThinkingConfig(name, body)),
    safetySettings: safety_settings ?? SAFETY_SETTINGS,
    cachedContent: cached_content,
  }
}

const TAKES_FORMAT_WITH_TOOLS = /^gemini-[3-9]/

/** Earlier models reject an output format together with tools, so they are told the format. */
function withFormatAsText(body: ChatBody): ChatBody {
  const instruction = formatInstruction(body)
  if (instruction === undefined) return body
  const { response_format, ...rest } = body
  const messages = [...body.messages, { role: 'system', content: instruction } as const]
  return { ...rest, model: body.model, messages }
}

/** Beside hosted tools, functions are called in the mode `VALIDATED` unless the client forces or forbids them. */
function toToolConfig({ tools, tool_choice: choice }: ChatBody, hasHosted: boolean): JsonObject | undefined {
  if (!tools?.length) return undefined
  const isCombined = hasHosted && { includeServerSideToolInvocations: true }
  const isDefault = !choice || (hasHosted && choice === 'auto')
  if (isDefault) return isCombined || undefined
  return { functionCallingConfig: toCallingMode(choice), ...isCombined }
}

function toGenerationConfig(body: ChatBody, thinkingConfig: unknown): JsonObject {
  const modalities = asArray(body.modalities).map(name => String(name).toUpperCase())
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    seed: body.seed ?? undefined,
    candidateCount: body.n && body.n > 1 ? body.n : undefined,
    maxOutputTokens: readMaxOutputTokens(body),
    stopSequences: readStopSequences(body),
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
    return { responseMimeType, responseJsonSchema: toGeminiSchema(format.json_schema.schema) }
  return format?.type === 'json_object' ? { responseMimeType } : {}
}

function toTools(tools: readonly ChatTool[]): readonly JsonObject[] {
  const declared = tools.filter(tool => !OWN_TOOLS.has(toolName(tool)))
  const ownTools = tools.filter(tool => OWN_TOOLS.has(toolName(tool))).map(tool => ({ [toolName(tool)]: {} }))
  const functions = declared.length > 0 ? [{ functionDeclarations: declared.map(toDeclaration) }] : []
  return [...functions, ...ownTools]
}

const toolName = (tool: ChatTool): string => getToolFunction(tool).name

function toDeclaration(tool: ChatTool): JsonObject {
  const { name, description, parameters } = getToolFunction(tool)
  return { name, description, parametersJsonSchema: toGeminiSchema(parameters) }
}

const MODE_OF = { none: 'NONE', auto: 'AUTO', required: 'ANY', validated: 'VALIDATED' } as const

function toCallingMode(choice: ToolChoice): JsonObject {
  return typeof choice === 'string'
    ? { mode: MODE_OF[choice] }
    : { mode: 'ANY', allowedFunctionNames: [getChosenFunctionName(choice)] }
}

const SUFFIX = /-(nothinking|thinking(?:-(\d+))?)$/
const BUDGET_SHARE = 0.8
const BUDGET_OF_EFFORT: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
}

/** The model name without the suffix that sets the thinking mode. */
export const withoutThinkingSuffix = (model: string): string => model.replace(SUFFIX, '')

/**
 * The `thinkingConfig` that the model name or the client requests. Undefined where neither does, or the model cannot
 * think.
 * Source: ai.google.dev/gemini-api/docs/thinking
 */
export function toThinkingConfig(name: string, body: ChatBody): JsonObject | undefined {
  const model = withoutThinkingSuffix(name)
  const effort = body.reasoning_effort ?? undefined
  if (/^gemini-[3-9]/.test(model)) return toLevel(name, effort)
  if (!model.startsWith('gemini-2.5')) return undefined
  const budget = toBudget(name, effort, readMaxOutputTokens(body))
  if (budget === undefined) return SUFFIX.test(name) ? { includeThoughts: true } : undefined
  const [least, most] = model.includes('pro') ? [128, 32_768] : [0, 24_576]
  const thinkingBudget = Math.min(Math.max(budget, least), most)
  return { thinkingBudget, includeThoughts: thinkingBudget > 0 }
}

function toBudget(name: string, effort: string | undefined, limit: number | undefined): number | undefined {
  const [, word, exact] = SUFFIX.exec(name) ?? []
  if (word === 'nothinking') return 0
  if (exact !== undefined) return Number(exact)
  if (effort !== undefined) return ownEntry(BUDGET_OF_EFFORT, effort)
  return word !== undefined && limit !== undefined ? Math.floor(limit * BUDGET_SHARE) : undefined
}

function toLevel(name: string, effort: string | undefined): JsonObject | undefined {
  const [, word] = SUFFIX.exec(name) ?? []
  const least = name.includes('flash') ? 'minimal' : 'low'
  if (word === 'nothinking' || effort === 'none' || effort === 'minimal')
    return { thinkingLevel: least, includeThoughts: false }
  if (effort !== undefined) return { thinkingLevel: effort, includeThoughts: true }
  return word === undefined ? undefined : { thinkingLevel: 'high', includeThoughts: true }
}
