import {
  type ClientDialect,
  OPENAI_PROVIDER_HEADERS,
  openaiErrorHeaders,
} from '../../provider-kit/contract/client-dialect.ts'
import { readErrorKind } from '../../provider-kit/error-kind.ts'
import { unjudgedBody } from '../../provider-kit/unjudged-body.ts'
import { readAccountReferences, withoutEncryptedContent } from './account-references.ts'
import { writeCompaction } from './compaction.ts'
import { errorStatus, writeError } from './errors.ts'
import { parseCompaction, parseResponse } from './parse-response.ts'
import { writeResponse } from './reply.ts'
import { createPassthrough, createResponseWriter } from './stream-writer.ts'

/** The dialect of OpenAI's Responses API. */
export const dialect: ClientDialect = {
  name: 'responses',
  chat: {
    parse: parseResponse,
    parseUnjudged: json =>
      unjudgedBody({
        json,
        model: json.model,
        stream: json.stream,
        maxOutputTokens: json.max_output_tokens,
      }),
    writeReply: writeResponse,
    streamType: () => 'text/event-stream',
    createWriter: createResponseWriter,
    createPassthrough,
    writeTokenCount: tokens => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
  // Codex names its session and its turn in headers, and continues a turn by the state that the provider returned.
  forwardedHeaders: [
    'openai-beta',
    'session-id',
    'session_id',
    'thread-id',
    'conversation_id',
    'originator',
    'x-client-request-id',
    'x-codex-turn-state',
    'x-codex-turn-metadata',
    'x-codex-window-id',
    'x-codex-beta-features',
  ],
  providerHeaders: [
    ...OPENAI_PROVIDER_HEADERS,
    'x-codex-turn-state',
    'x-reasoning-included',
    'x-models-etag',
  ],
  compaction: { parse: parseCompaction, writeReply: writeCompaction },
  readAccountReferences,
  withoutEncryptedContent,
  isStreamedError: error => readErrorKind(error) === 'context overflow',
  errorHeaders: openaiErrorHeaders,
  errorStatus,
  writeError,
}
