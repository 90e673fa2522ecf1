import type { Usage } from '../../core/usage.ts'
import type { HostedToolSupport } from '../../provider-kit/contract/hosted-tool.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asCount, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/media.ts'
import {
  openaiCompatibleCompletions,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { responsesNative } from '../../provider-kit/openai-responses/adapters.ts'
import { chatWithHostedTools } from '../../provider-kit/openai-responses/chat-with-tools.ts'
import models from './models.json'

const revokedKey = { message: /^Incorrect API key|doesn't have any credits|run out of credits/ }

/** Free-form tools and namespaces of OpenAI's coding agents are not among them. Source: docs.x.ai/developers/tools/overview */
const TOOL_TYPES: ReadonlySet<string> = new Set([
  ...['function', 'web_search', 'x_search', 'code_interpreter', 'code_execution'],
  ...['file_search', 'collections_search', 'mcp'],
])

const WITH_TOOLS = /^grok-(?:[4-9]|code)/

/** The search of chat completions is retired. Source: docs.x.ai/developers/tools/overview */
const XAI_TOOLS: readonly HostedToolSupport[] = [
  { tool: 'web_search', models: WITH_TOOLS },
  { tool: 'code_execution', models: WITH_TOOLS },
  { tool: 'mcp', models: WITH_TOOLS },
  { tool: 'x_search', isNativeOnly: true },
  { tool: 'file_search', isNativeOnly: true },
]

/**
 * An invalid key is reported as a 400 and an empty account as a 403, both recognizable by their message only. Source:
 * docs.x.ai
 */
export const provider = defineProvider({
  type: 48,
  name: 'xAI',
  genAiName: 'x_ai',
  baseUrl: 'https://api.x.ai',
  keyPattern: /^xai-\w{20,}$/,
  models,
  ownedBy: 'xai',
  chat: chatWithHostedTools(
    openaiCompatibleChat({ adjust: toXaiBody, readUsage: readXaiUsage, isRewritten: true, revokedKey }),
    {
      hostedTools: XAI_TOOLS,
      adjust: toXaiBody,
      blockedDomains: 'excluded_domains',
      hasNoContainers: true,
    },
  ),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages({ drop: ['size', 'quality', 'style'], revokedKey }),
  native: { responses: responsesNative({ revokedKey, acceptsTool: type => TOOL_TYPES.has(type) }) },
  completions: openaiCompatibleCompletions({ revokedKey }),
  listModels: openaiCompatibleModelList(),
})

/** xAI's completion tokens exclude reasoning, but the total includes it. Source: docs.x.ai/docs/guides/reasoning */
function readXaiUsage({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const completionTokens = asCount(usage.total_tokens) - asCount(usage.prompt_tokens)
  return readOpenaiUsage({
    ...usage,
    completion_tokens: Math.max(completionTokens, asCount(usage.completion_tokens)),
  })
}

const EFFORT_SUFFIX = /-(low|medium|high)$/

/**
 * Reasoning models reject stop sequences and penalties. The small model of the third generation takes an effort, also
 * as a suffix of its name, as in `grok-3-mini-beta-high`. Source: docs.x.ai/docs/guides/reasoning
 */
export function toXaiBody(body: JsonObject): JsonObject {
  const model = asString(body.model) ?? ''
  if (model.startsWith('grok-3-mini')) return toSmallModelBody(body, model)
  if (!/^grok-[4-9]/.test(model)) return body
  const { reasoning_effort, ...rest } = withoutStops(body)
  return rest
}

function toSmallModelBody(body: JsonObject, model: string): JsonObject {
  const { max_tokens, ...rest } = withoutStops(body)
  return {
    ...rest,
    model: model.replace(EFFORT_SUFFIX, ''),
    max_completion_tokens: body.max_completion_tokens ?? max_tokens ?? undefined,
    reasoning_effort: EFFORT_SUFFIX.exec(model)?.[1] ?? body.reasoning_effort,
  }
}

function withoutStops(body: JsonObject): JsonObject {
  const { stop, presence_penalty, frequency_penalty, ...rest } = body
  return rest
}
