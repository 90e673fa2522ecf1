import {
  anthropicChat,
  anthropicNative,
  type ToAnthropicRequest,
} from '../../provider-kit/anthropic-messages/adapters.ts'
import { listLeftOut, toCloudRequest } from '../../provider-kit/anthropic-messages/cloud-rules.ts'
import { ANTHROPIC_TOOLS, acceptsOnly } from '../../provider-kit/anthropic-messages/hosted-tools.ts'
import { withoutThinkingSuffix as toClaudeName } from '../../provider-kit/anthropic-messages/thinking.ts'
import { rejectRemoteFiles } from '../../provider-kit/chat-request.ts'
import {
  type AdapterCall,
  type ChatAdapter,
  stringifyBody,
  type UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import type { Failure, ResponseHeaders } from '../../provider-kit/failures.ts'
import {
  geminiChat,
  geminiNative,
  type ToGeminiRequest,
} from '../../provider-kit/gemini-generate/adapters.ts'
import { readGeminiFailure } from '../../provider-kit/gemini-generate/failure.ts'
import { GEMINI_TOOLS } from '../../provider-kit/gemini-generate/hosted-tools.ts'
import { createGeminiStreamReader } from '../../provider-kit/gemini-generate/response.ts'
import { withoutThinkingSuffix as toGeminiName } from '../../provider-kit/gemini-generate/to-body.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import betaNames from './betas.json'
import { vertexHeaders, vertexUrl } from './transport.ts'

const ANTHROPIC_VERSION = 'vertex-2023-10-16'

const toClaudeRequest: ToAnthropicRequest = (call, { model, ...body }) => {
  const name = encodeURIComponent(toClaudeId(String(model)))
  const method = call.isStream ? 'streamRawPredict' : 'rawPredict'
  return {
    url: vertexUrl(call, 'v1', `publishers/anthropic/models/${name}:${method}`),
    headers: vertexHeaders(call),
    body: stringifyBody({ ...body, anthropic_version: ANTHROPIC_VERSION }, call),
  }
}
const claudeChat = anthropicChat(toClaudeRequest)
const claude: ChatAdapter = {
  ...claudeChat,
  request(call) {
    rejectRemoteFiles(call.body)
    return claudeChat.request(call)
  },
}

/** Any other beta feature is refused. Source: platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai */
const BETAS: ReadonlySet<string> = new Set(betaNames)

const claudeNative = anthropicNative(toClaudeRequest)

function toNativeRequest(call: AdapterCall<JsonObject>): UpstreamRequest {
  const { body, betas: taken } = toCloudRequest(call, BETAS)
  const request = claudeNative.request({ ...call, body })
  return taken.length > 0
    ? { ...request, headers: { ...request.headers, 'anthropic-beta': taken.join(',') } }
    : request
}

/**
 * Vertex separates the model version by an @. Source:
 * cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude
 */
function toClaudeId(model: string): string {
  const name = toClaudeName(model)
  return name === 'claude-3-5-sonnet-20241022'
    ? 'claude-3-5-sonnet-v2@20241022'
    : name.replace(/-(\d{8})$/, '@$1')
}

const toGeminiRequest: ToGeminiRequest = (call, body) => {
  const method = call.isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const name = encodeURIComponent(toGeminiName(call.model))
  return {
    url: vertexUrl(call, 'v1', `publishers/google/models/${name}:${method}`),
    headers: vertexHeaders(call),
    body: stringifyBody(body, call),
  }
}
const gemini = geminiChat(toGeminiRequest)

/** Llama and other models that Google hosts behind OpenAI's format. */
const hosted = openaiCompatibleChat({
  url: call => vertexUrl(call, 'v1beta1', 'endpoints/openapi/chat/completions'),
  headers: vertexHeaders,
})

const isClaude = (model: string): boolean => model.startsWith('claude')
const isHosted = (model: string): boolean => /\/|-maas$/.test(model)

function selectFormat(model: string): ChatAdapter {
  if (isClaude(model)) return claude
  return isHosted(model) ? hosted : gemini
}

/** For clients that use the model's own format. */
export const native = {
  anthropic: {
    ...claudeNative,
    filtersHeaders: true as const,
    request: toNativeRequest,
    adjustments: (call: AdapterCall<JsonObject>) => [
      ...(claudeNative.adjustments?.(call) ?? []),
      ...listLeftOut(call, BETAS),
    ],
    failure: readVertexFailure,
    serves: isClaude,
    acceptsTool: acceptsOnly('web_search'),
  },
  gemini: {
    ...geminiNative(toGeminiRequest),
    failure: readVertexFailure,
    serves: (model: string) => !isClaude(model) && !isHosted(model),
  },
}

/** The model determines the format, so responses are always rewritten. */
export const chat: ChatAdapter = {
  framing: 'sse',
  hostedTools: [...ANTHROPIC_TOOLS.filter(({ tool }) => tool === 'web_search'), ...GEMINI_TOOLS],
  inlinesImages: true,
  thoughtForm: model => selectFormat(model).thoughtForm?.(model),
  ownNames: call => selectFormat(call.model).ownNames?.(call),
  adjustments: call => selectFormat(call.model).adjustments?.(call) ?? [],
  request: call => selectFormat(call.model).request(call),
  reply: (json, call) => selectFormat(call.model).reply(json, call),
  stream: call => selectFormat(call.model).stream?.(call) ?? createGeminiStreamReader(call),
  failure: readVertexFailure,
}

/**
 * A 401 rejects the access token, which is then renewed, not the key. A 403 is usually about a single model rather
 * than the account.
 */
export function readVertexFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readGeminiFailure(status, body, headers)
  const isRetryable = status === 401 || status === 403 ? true : failure.isRetryable
  return {
    ...failure,
    isRetryable,
    isKeyRevoked: /SERVICE_DISABLED|BILLING_DISABLED|SUSPENDED/.test(failure.code),
  }
}
