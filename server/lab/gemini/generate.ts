import { z } from 'zod'
import {
  completionText,
  countPrompt,
  createCompletion,
  type LabCompletion,
  type LabToolCall,
  type Prompt,
  reasoningText,
} from '../completion.ts'
import { FAULT_MODELS, GEMINI_MODELS } from '../offered-models.ts'
import {
  fixedOperation,
  type LabOperation,
  type LabRequest,
  type OperationTarget,
  type ResponseFrame,
} from '../operation.ts'
import { vectorOf } from '../vector.ts'
import { gemini } from './vendor.ts'

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', tools: 'STOP', filter: 'SAFETY' } as const
const SIGNATURE = 'bGFiLXNpZ25hdHVyZQ=='

/** Source: ai.google.dev/api/generate-content */
export const generate: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):(?:streamG|g)enerateContent$/,
  vendor: gemini,
  asksForStream: url =>
    url.pathname.endsWith(':streamGenerateContent') && url.searchParams.get('alt') === 'sse',
  read: (body, target) =>
    GenerateBody.transform((read): LabRequest => {
      const prompt = promptOf(read, target)
      return {
        ...target,
        lastText: lastTextOf(read),
        reply(faultPlan) {
          const reply = createCompletion(prompt, faultPlan)
          return { json: () => generateJson(reply), frames: () => generateFrames(reply) }
        },
      }
    }).safeParse(body),
}

interface Produced {
  readonly thoughts: number
  readonly candidates: number
}

function usageOf(reply: LabCompletion, { thoughts, candidates }: Produced) {
  if (!reply.usage) return {}
  const { prompt, cached } = reply.usage
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

/** A usage of zeros stays one while an answer grows. */
function producedBy(reply: LabCompletion, produced: Produced): Produced {
  const isZero = reply.usage?.output === 0
  return isZero ? { thoughts: 0, candidates: 0 } : produced
}

const totalOf = (reply: LabCompletion): Produced => ({
  thoughts: reply.usage?.reasoning ?? 0,
  candidates: (reply.usage?.output ?? 0) - (reply.usage?.reasoning ?? 0),
})

function response(reply: LabCompletion, candidate: object, produced: Produced): unknown {
  return {
    candidates: [{ ...candidate, index: 0 }],
    ...usageOf(reply, producedBy(reply, produced)),
    modelVersion: reply.model,
    responseId: 'lab',
  }
}

const functionCall = (call: LabToolCall) => ({
  functionCall: { name: call.name, args: call.arguments },
  ...(call.index === 0 && { thoughtSignature: SIGNATURE }),
})

function generateJson(reply: LabCompletion): unknown {
  const parts = [
    ...(reply.reasoningTokens > 0 ? [{ text: reasoningText(reply), thought: true }] : []),
    ...(reply.textTokens > 0 ? [{ text: completionText(reply) }] : []),
    ...reply.toolCalls.map(functionCall),
  ]
  const content = reply.finish === 'filter' ? {} : { content: { parts, role: 'model' } }
  return response(reply, { ...content, finishReason: FINISH[reply.finish] }, totalOf(reply))
}

function* generateFrames(reply: LabCompletion): Generator<ResponseFrame> {
  let produced: Produced = { thoughts: 0, candidates: 0 }
  const frame = (part: object, kind: ResponseFrame['kind'], finish: object = {}): ResponseFrame => {
    const body = response(reply, { content: { parts: [part], role: 'model' }, ...finish }, produced)
    return { text: `data: ${JSON.stringify(body)}\r\n\r\n`, kind }
  }
  for (let index = 0; index < reply.reasoningTokens; index++) {
    produced = { ...produced, thoughts: produced.thoughts + 1 }
    yield frame({ text: reply.reasoningToken(index), thought: true }, 'token')
  }
  for (let index = 0; index < reply.textTokens; index++) {
    produced = { ...produced, candidates: produced.candidates + 1 }
    yield frame({ text: reply.textToken(index) }, 'token')
  }
  for (const call of reply.toolCalls) {
    produced = { ...produced, candidates: produced.candidates + call.pieces.length }
    yield frame(functionCall(call), 'token')
  }
  yield frame({ text: '' }, 'other', { finishReason: FINISH[reply.finish] })
}

const INPUT_TOKENS_MAX = 1_048_576
const OUTPUT_TOKENS_MAX = 65_536

const model = (id: string) => ({
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
  models: [...GEMINI_MODELS, ...FAULT_MODELS].map(model),
}))

const Part = z.object({
  text: z.string().optional(),
  inlineData: z.unknown().optional(),
  fileData: z.unknown().optional(),
  functionResponse: z.unknown().optional(),
})
const Content = z.object({ role: z.string().optional(), parts: z.array(Part).optional() })
const Declaration = z.object({
  name: z.string(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
})

const GenerateBody = z.object({
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
type GenerateBody = z.infer<typeof GenerateBody>

function promptOf(body: GenerateBody, target: OperationTarget): Prompt {
  const calling = body.toolConfig?.functionCallingConfig
  const parts = [body.systemInstruction, ...body.contents].flatMap(content => content?.parts ?? [])
  const letters = parts.reduce((sum, part) => sum + (part.text?.length ?? 0), 0)
  const images = parts.filter(part => part.inlineData !== undefined || part.fileData !== undefined).length
  return {
    model: target.model,
    tokens: countPrompt(letters, images),
    maxTokens: body.generationConfig?.maxOutputTokens ?? Number.POSITIVE_INFINITY,
    tools: (calling?.mode === 'NONE' ? [] : (body.tools ?? []))
      .flatMap(tool => tool.functionDeclarations ?? [])
      .filter(tool => calling?.allowedFunctionNames?.includes(tool.name) ?? true)
      .map(tool => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters })),
    mustCallTool: calling?.mode === 'ANY',
    hasToolResult: (body.contents.at(-1)?.parts ?? []).some(part => part.functionResponse !== undefined),
  }
}

const lastTextOf = (body: GenerateBody): string =>
  (body.contents.findLast(content => content.role !== 'model')?.parts ?? [])
    .map(part => part.text ?? '')
    .join('')

const Request = z.object({
  content: z.object({ parts: z.array(z.object({ text: z.string() })).min(1) }),
  outputDimensionality: z.number().int().positive().optional(),
})
type Request = z.infer<typeof Request>
const Batch = z.object({ requests: z.array(Request).min(1) })

const textOf = (request: Request): string => request.content.parts.map(part => part.text).join('')
const embeddingOf = (request: Request) => ({
  values: vectorOf(textOf(request), request.outputDimensionality),
})

/** Embeddings say nothing of usage here. Source: ai.google.dev/api/embeddings */
export const embed: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):embedContent$/,
  vendor: gemini,
  read: (body, target) =>
    Request.transform(
      (request): LabRequest => ({
        ...target,
        lastText: textOf(request),
        reply: () => ({ json: () => ({ embedding: embeddingOf(request) }) }),
      }),
    ).safeParse(body),
}

export const batchEmbed: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta)\/models\/([^/:]+):batchEmbedContents$/,
  vendor: gemini,
  read: (body, target) =>
    Batch.transform(
      ({ requests }): LabRequest => ({
        ...target,
        lastText: requests.map(textOf).at(-1) ?? '',
        reply: () => ({ json: () => ({ embeddings: requests.map(embeddingOf) }) }),
      }),
    ).safeParse(body),
}
