import { toNativeBody } from '../../provider-kit/anthropic-messages/adapters.ts'
import { listLeftOut, toCloudRequest } from '../../provider-kit/anthropic-messages/cloud-rules.ts'
import { CLAUDE_IDS } from '../../provider-kit/anthropic-messages/foreign-blocks.ts'
import { acceptsOnly } from '../../provider-kit/anthropic-messages/hosted-tools.ts'
import { toMappedBody } from '../../provider-kit/anthropic-messages/mapped-body.ts'
import { createAnthropicStreamReader, readReply } from '../../provider-kit/anthropic-messages/response.ts'
import { CLAUDE_RULES, rejectedByClaude } from '../../provider-kit/anthropic-messages/rules.ts'
import { withoutThinkingSuffix } from '../../provider-kit/anthropic-messages/thinking.ts'
import { toAnthropicBody } from '../../provider-kit/anthropic-messages/to-body.ts'
import { rejectRemoteFiles, rejectRemoteImages } from '../../provider-kit/chat-request.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import {
  type ChatAdapter,
  type NativeAdapter,
  type StreamEvent,
  type StreamReader,
  withoutThoughtForm,
} from '../../provider-kit/contract/operation-adapter.ts'
import {
  type Failure,
  invalidJsonFailure,
  maskSecrets,
  type ResponseHeaders,
  readFailure,
} from '../../provider-kit/failures.ts'
import { asObject, asString, checkJsonLimits, parseJson } from '../../provider-kit/json.ts'
import { withRules } from '../../provider-kit/rules/chat-rules.ts'
import { forMappedModels } from '../../provider-kit/rules/mapped-model.ts'
import betaNames from './betas.json'
import { nameOfId, toInvokeRequest } from './invoke-request.ts'

/** Claude's Messages API. Stream events are wrapped in Amazon's binary framing. */
export const chat: ChatAdapter = withRules(
  {
    framing: 'aws-event-stream',
    inlinesImages: true,
    request(call) {
      rejectRemoteImages(call.body)
      rejectRemoteFiles(call.body)
      const body = toAnthropicBody({ ...call, model: nameOfId(call.model) })
      return toInvokeRequest({ ...call, model: withoutThinkingSuffix(call.model) }, body)
    },
    reply: json => readReply(json),
    stream: createBedrockStreamReader,
    failure: readBedrockFailure,
  },
  {
    ...CLAUDE_RULES,
    names: { ...CLAUDE_IDS, lengthMax: 64 },
    rejects: call => rejectedByClaude({ ...call, model: nameOfId(call.model) }),
  },
)

/**
 * Any other beta feature is refused. Source:
 * docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 */
const BETAS: ReadonlySet<string> = new Set(betaNames)

/** For clients of Anthropic's own API. Beta features are named in the body here. */
const ownFormat: NativeAdapter = {
  ...withoutThoughtForm(chat),
  nativeFormat: 'anthropic',
  acceptsTool: acceptsOnly(),
  filtersHeaders: true,
  request(call) {
    const { body: taken, betas } = toCloudRequest(call, BETAS)
    const body = toNativeBody({ ...call, body: taken, model: nameOfId(call.model) })
    return toInvokeRequest(
      { ...call, model: withoutThinkingSuffix(call.model) },
      betas.length > 0 ? { ...body, anthropic_beta: betas } : body,
    )
  },
  unwrap: event => (event.name === 'chunk' ? toClaudeEvent(event) : event),
}
const mapped = forMappedModels(ownFormat, (body, call) =>
  toMappedBody(body, { ...call, model: nameOfId(call.model) }),
)
export const native: NativeAdapter = {
  ...mapped,
  adjustments: call => [...(mapped.adjustments?.(call) ?? []), ...listLeftOut(call, BETAS)],
}

/** Each event holds one of Claude's events in base64, next to padding that hides its length. */
function createBedrockStreamReader(): StreamReader<ChatChunk> {
  const reader = createAnthropicStreamReader()
  return {
    read(event) {
      if (event.name !== 'chunk') return [{ type: 'failure', failure: readException(event) }]
      const { data } = toClaudeEvent(event)
      return data === ''
        ? [{ type: 'failure', failure: invalidJsonFailure() }]
        : reader.read({ data, raw: '' })
    },
    end: () => reader.end(),
  }
}

/** The event as Claude's own API would send it. */
function toClaudeEvent({ data }: StreamEvent): StreamEvent {
  const claudeEvent = Buffer.from(asString(asObject(parseJson(data)).bytes) ?? '', 'base64').toString()
  checkJsonLimits(claudeEvent)
  const name = asString(asObject(parseJson(claudeEvent)).type) ?? 'message'
  return { name, data: claudeEvent, raw: `event: ${name}\ndata: ${claudeEvent}\n\n` }
}

/**
 * The status of an exception inside a stream. Source:
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html
 */
const STATUS_OF: Readonly<Record<string, number>> = {
  throttlingexception: 429,
  validationexception: 400,
  modeltimeoutexception: 408,
  modelstreamerrorexception: 424,
  internalserverexception: 500,
  serviceunavailableexception: 503,
}
const STATUS_UNKNOWN = 502
const REVOKED_KEY_SIGNS: ReadonlySet<string> = new Set([
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
])

/**
 * A header names the error type. A signature may also be rejected because of the clock, which does not revoke the
 * key.
 */
function readBedrockFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const kind = headers.get('x-amzn-errortype')?.split(':')[0]
  const message = asString(asObject(parseJson(body)).Message)
  const text = message ? maskSecrets(message) : failure.message
  return {
    ...failure,
    code: kind ?? failure.code,
    message: text,
    isKeyRevoked: REVOKED_KEY_SIGNS.has(kind ?? '') && !/expired|current time/i.test(text),
  }
}

/** An exception inside a stream that started successfully. */
function readException({ name = '', data }: StreamEvent): Failure {
  const message = asString(asObject(parseJson(data)).message)
  return {
    status: STATUS_OF[name.toLowerCase()] ?? STATUS_UNKNOWN,
    code: name || 'upstream_bad_answer',
    type: 'upstream_error',
    message: maskSecrets(message || `the stream ended with ${name || 'an event without a name'}`),
  }
}
