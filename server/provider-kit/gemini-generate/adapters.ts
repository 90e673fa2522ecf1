import {
  type AdapterCall,
  type ChatAdapter,
  type NativeAdapter,
  type UpstreamRequest,
  withoutThoughtForm,
} from '../contract/operation-adapter.ts'
import { asArray, asCount, asObject, type JsonObject } from '../json.ts'
import { withRules } from '../rules/chat-rules.ts'
import { forMappedModels, type ToMappedBody, withLimit } from '../rules/mapped-model.ts'
import { readGeminiFailure } from './failure.ts'
import { GEMINI_TOOLS } from './hosted-tools.ts'
import { createGeminiStreamReader, readReply } from './response.ts'
import { GEMINI_RULES } from './rules.ts'
import { toGeminiBody, toThinkingConfig } from './to-body.ts'
import { withSignatures } from './to-contents.ts'

/**
 * Builds the request for a finished `generateContent` body: URL and authentication differ between hosts. The model is
 * part of the URL.
 */
export type ToGeminiRequest = (call: AdapterCall<unknown>, body: JsonObject) => UpstreamRequest

/** Chat with Gemini on any host. Source: ai.google.dev/api/generate-content */
export const geminiChat = (toRequest: ToGeminiRequest): ChatAdapter =>
  withRules(
    {
      nativeFormat: 'gemini',
      framing: 'sse',
      hostedTools: GEMINI_TOOLS,
      inlinesImages: true,
      request: call => toRequest(call, toGeminiBody(call)),
      reply: (json, call) => readReply(json, call),
      stream: call => createGeminiStreamReader(call),
      failure: readGeminiFailure,
    },
    GEMINI_RULES,
  )

/**
 * For clients of Gemini's own API: the body is forwarded unchanged but for calls of other providers, since the model is in
 * the URL. Block reasons and
 * model errors are passed to the client instead of becoming failures.
 */
export const geminiNative = (toRequest: ToGeminiRequest): NativeAdapter =>
  forMappedModels(
    {
      ...withoutThoughtForm(geminiChat(toRequest)),
      request: call => toRequest(call, toNativeBody(call)),
      reply: (json, call) => readReply(json, call, 'forward'),
      stream: call => createGeminiStreamReader(call, 'forward'),
    },
    withMappedConfig,
  )

const LIMITS = ['maxOutputTokens', 'max_output_tokens']

/** Of a body whose limit is in either spelling. */
export const withMappedConfig: ToMappedBody = (body, { outputTokensMax }) => {
  const name = body.generationConfig === undefined ? 'generation_config' : 'generationConfig'
  const config = asObject(body[name])
  const limited = withLimit(config, LIMITS, outputTokensMax)
  return limited === config ? body : { ...body, [name]: limited }
}

/** The suffix of the model name sets the thinking mode, unless the client sets it. */
function toNativeBody({ body: clientBody, model }: AdapterCall<JsonObject>): JsonObject {
  const contents = withSignatures(asArray(clientBody.contents), model)
  const isUnchanged = contents.length === 0 || contents === clientBody.contents
  const body = isUnchanged ? clientBody : { ...clientBody, contents }
  const config = asObject(body.generationConfig ?? body.generation_config)
  const max_tokens = asCount(config.maxOutputTokens ?? config.max_output_tokens) || null
  const thinkingConfig = toThinkingConfig(model, { model, messages: [], max_tokens })
  if (!thinkingConfig || config.thinkingConfig || config.thinking_config) return body
  const { generation_config, ...rest } = body
  return { ...rest, generationConfig: { ...config, thinkingConfig } }
}
