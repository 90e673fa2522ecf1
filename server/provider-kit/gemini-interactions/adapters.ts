import { type AdapterCall, type NativeAdapter, stringifyBody } from '../contract/operation-adapter.ts'
import { withMappedConfig } from '../gemini-generate/adapters.ts'
import { readGeminiFailure } from '../gemini-generate/failure.ts'
import { withoutThinkingSuffix } from '../gemini-generate/to-body.ts'
import { isObject, type JsonObject } from '../json.ts'
import { readCarriedSignature } from '../rules/carried-signatures.ts'
import { forMappedModels } from '../rules/mapped-model.ts'
import { InteractionReader, readInteraction } from './response.ts'

interface InteractionsHost {
  readonly url: (call: AdapterCall<unknown>) => string
  readonly headers: (call: AdapterCall<unknown>) => Record<string, string>
}

/** Google's Interactions API, for its own clients. Source: ai.google.dev/api/interactions-api */
export const interactionsNative = ({ url, headers }: InteractionsHost): NativeAdapter =>
  forMappedModels(
    {
      nativeFormat: 'interactions',
      framing: 'sse',
      request: call => ({
        url: url(call),
        headers: headers(call),
        body: stringifyBody({ ...withoutCarried(call.body), model: withoutThinkingSuffix(call.model) }, call),
      }),
      reply: readInteraction,
      stream: () => new InteractionReader(),
      failure: readGeminiFailure,
    },
    withMappedConfig,
  )

const isCarried = (step: unknown): boolean =>
  isObject(step) && readCarriedSignature(step.signature) !== undefined

/** Without what Claude thought: Gemini rejects signatures of others. */
const withoutCarried = (body: JsonObject): JsonObject =>
  Array.isArray(body.input) && body.input.some(isCarried)
    ? { ...body, input: body.input.filter(step => !isCarried(step)) }
    : body
