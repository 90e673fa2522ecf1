import { z } from 'zod'
import {
  completionText,
  countPrompt,
  createCompletion,
  type LabCompletion,
  type LabToolCall,
  type Prompt,
  reasoningText,
  requestId,
} from '../completion.ts'
import { FAULT_MODELS, GEMINI_MODELS } from '../offered-models.ts'
import {
  fixedOperation,
  type LabOperation,
  type LabRequest,
  type OperationTarget,
  type ResponseFrame,
} from '../operation.ts'
import { findPlaybook, type HistoryEntry, playbookOf } from '../playbooks.ts'
import { signContent } from '../signatures.ts'
import { embeddingVector } from '../vector.ts'
import { findGenerateProblem } from './check-generate.ts'
import { gemini } from './provider.ts'

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', tools: 'STOP', filter: 'SAFETY' } as const

/** Content generation. Source: ai.google.dev/api/generate-content */
export const generate: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):(?:streamG|g)enerateContent$/,
  provider: gemini,
  wantsStream: url =>
    url.pathname.endsWith(':streamGenerateContent') && url.searchParams.get('alt') === 'sse',
  read: (body, target) =>
    GenerateRequest.transform((request): LabRequest => {
      const prompt = toPrompt(request, target)
      return {
        ...target,
        lastText: lastUserText(request),
        findProblem: () => findGenerateProblem(Object(body), target.model),
        ...playbookOf(prompt),
        reply(faultPlan) {
          const completion = createCompletion(prompt, faultPlan)
          return { json: () => generateJson(completion), frames: () => generateFrames(completion) }
        },
      }
    }).safeParse(body),
}

const Part = z.object({
  text: z.string().optional(),
  inlineData: z.unknown().optional(),
  fileData: z.unknown().optional(),
  functionCall: z.unknown().optional(),
  functionResponse: z.unknown().optional(),
})
const Content = z.object({ role: z.string().optional(), parts: z.array(Part).optional() })
const Declaration = z.object({
  name: z.string(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
})

const GenerateRequest = z.object({
  contents: z.array(Content).min(1),
  systemInstruction: Content.optional(),
  generationConfig: z.object({ maxOutputTokens: z.number().int().positive().optional() }).optional(),
  tools: z.array(z.object({ functionDeclarations: z.array(Declaration).optional() })).optional(),
  toolConfig: z
    .object({
      functionCallingConfig: z
        .object({ mode: z.string().optional(), allowedFunctionNames: z.array(z.string()).optional() })
        .optional(),
    })
    .optional(),
})
type GenerateRequest = z.infer<typeof GenerateRequest>

function toPrompt(body: GenerateRequest, target: OperationTarget): Prompt {
  const calling = body.toolConfig?.functionCallingConfig
  const parts = [body.systemInstruction, ...body.contents].flatMap(content => content?.parts ?? [])
  const chars = parts.reduce((sum, part) => sum + charsOf(part), 0)
  const images = parts.filter(part => part.inlineData !== undefined || part.fileData !== undefined).length
  return {
    model: target.model,
    id: requestId(body),
    tokens: countPrompt(chars, images),
    maxTokens: body.generationConfig?.maxOutputTokens ?? Number.POSITIVE_INFINITY,
    tools: (calling?.mode === 'NONE' ? [] : (body.tools ?? []))
      .flatMap(tool => tool.functionDeclarations ?? [])
      .filter(tool => calling?.allowedFunctionNames?.includes(tool.name) ?? true)
      .map(tool => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters })),
    mustCallTool: calling?.mode === 'ANY',
    hasToolResult: (body.contents.at(-1)?.parts ?? []).some(part => part.functionResponse !== undefined),
    playbook: findPlaybook(body.contents.flatMap(toHistory)),
  }
}

/** Calls and their results count as JSON. */
const charsOf = ({ text, functionCall, functionResponse }: z.infer<typeof Part>): number =>
  [text, ...[functionCall, functionResponse].map(part => part && JSON.stringify(part))].join('').length

const toHistory = ({ role, parts = [] }: z.infer<typeof Content>): readonly HistoryEntry[] =>
  role === 'model'
    ? []
    : parts.flatMap(({ functionResponse, text }): readonly HistoryEntry[] => {
        if (functionResponse !== undefined) return ['tool-result']
        return text === undefined ? [] : [{ userText: text }]
      })

const lastUserText = (body: GenerateRequest): string =>
  (body.contents.findLast(content => content.role !== 'model')?.parts ?? [])
    .map(part => part.text ?? '')
    .join('')

function response(completion: LabCompletion, candidate: object, outputTokens: OutputTokens): unknown {
  return {
    candidates: [{ ...candidate, index: 0 }],
    ...usageField(completion, reportedTokens(completion, outputTokens)),
    modelVersion: completion.model,
    responseId: `lab-${completion.id}`,
  }
}

const functionCall = (call: LabToolCall) => ({
  functionCall: { name: call.name, args: call.arguments },
  ...(call.index === 0 && { thoughtSignature: signContent(call.name) }),
})

function generateJson(completion: LabCompletion): unknown {
  const parts = [
    ...(completion.reasoningTokens > 0 ? [{ text: reasoningText(completion), thought: true }] : []),
    ...(completion.textTokens > 0 ? [{ text: completionText(completion) }] : []),
    ...completion.toolCalls.map(functionCall),
  ]
  const content = completion.finish === 'filter' ? {} : { content: { parts, role: 'model' } }
  return response(
    completion,
    { ...content, finishReason: FINISH[completion.finish] },
    totalOutputTokens(completion),
  )
}

function* generateFrames(completion: LabCompletion): Generator<ResponseFrame> {
  let outputTokens: OutputTokens = { thoughts: 0, candidates: 0 }
  const frame = (part: object, kind: ResponseFrame['kind'], finish: object = {}): ResponseFrame => {
    const body = response(completion, { content: { parts: [part], role: 'model' }, ...finish }, outputTokens)
    return { text: `data: ${JSON.stringify(body)}\r\n\r\n`, kind }
  }
  for (let index = 0; index < completion.reasoningTokens; index++) {
    outputTokens = { ...outputTokens, thoughts: outputTokens.thoughts + 1 }
    yield frame({ text: completion.reasoningToken(index), thought: true }, 'token')
  }
  for (let index = 0; index < completion.textTokens; index++) {
    outputTokens = { ...outputTokens, candidates: outputTokens.candidates + 1 }
    yield frame({ text: completion.textToken(index) }, 'token')
  }
  for (const call of completion.toolCalls) {
    outputTokens = { ...outputTokens, candidates: outputTokens.candidates + call.pieces.length }
    yield frame(functionCall(call), 'token')
  }
  yield frame({ text: '' }, 'other', { finishReason: FINISH[completion.finish] })
}

interface OutputTokens {
  readonly thoughts: number
  readonly candidates: number
}

function usageField(completion: LabCompletion, { thoughts, candidates }: OutputTokens) {
  if (!completion.usage) return {}
  const { prompt, cached } = completion.usage
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      ...(cached > 0 && { cachedContentTokenCount: cached }),
      ...(candidates > 0 && { candidatesTokenCount: candidates }),
      ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
      totalTokenCount: prompt + thoughts + candidates,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    },
  }
}

/** With the fault `zero-usage` every chunk of a stream reports zero. */
function reportedTokens(completion: LabCompletion, outputTokens: OutputTokens): OutputTokens {
  const isZero = completion.usage?.output === 0
  return isZero ? { thoughts: 0, candidates: 0 } : outputTokens
}

const totalOutputTokens = (completion: LabCompletion): OutputTokens => ({
  thoughts: completion.usage?.reasoning ?? 0,
  candidates: (completion.usage?.output ?? 0) - (completion.usage?.reasoning ?? 0),
})

const EmbedRequest = z.object({
  content: z.object({ parts: z.array(z.object({ text: z.string() })).min(1) }),
  outputDimensionality: z.number().int().positive().optional(),
})
type EmbedRequest = z.infer<typeof EmbedRequest>
const BatchEmbedRequest = z.object({ requests: z.array(EmbedRequest).min(1) })

const embedText = (request: EmbedRequest): string => request.content.parts.map(part => part.text).join('')
const toEmbedding = (request: EmbedRequest) => ({
  values: embeddingVector(embedText(request), request.outputDimensionality),
})

/** Embeddings. Gemini reports no usage for them. Source: ai.google.dev/api/embeddings */
export const embed: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):embedContent$/,
  provider: gemini,
  read: (body, target) =>
    EmbedRequest.transform(
      (request): LabRequest => ({
        ...target,
        lastText: embedText(request),
        reply: () => ({ json: () => ({ embedding: toEmbedding(request) }) }),
      }),
    ).safeParse(body),
}

export const batchEmbed: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):batchEmbedContents$/,
  provider: gemini,
  read: (body, target) =>
    BatchEmbedRequest.transform(
      ({ requests }): LabRequest => ({
        ...target,
        lastText: requests.map(embedText).at(-1) ?? '',
        reply: () => ({ json: () => ({ embeddings: requests.map(toEmbedding) }) }),
      }),
    ).safeParse(body),
}

const INPUT_TOKENS_MAX = 1_048_576
const OUTPUT_TOKENS_MAX = 65_536

const toModel = (id: string) => ({
  name: `models/${id}`,
  version: '001',
  displayName: id,
  inputTokenLimit: INPUT_TOKENS_MAX,
  outputTokenLimit: OUTPUT_TOKENS_MAX,
  supportedGenerationMethods: id.includes('embedding')
    ? ['embedContent', 'batchEmbedContents']
    : ['generateContent', 'streamGenerateContent'],
})

export const listModels = fixedOperation(gemini, /\/v1beta\/models$/, () => ({
  models: [...GEMINI_MODELS, ...FAULT_MODELS].map(toModel),
}))
