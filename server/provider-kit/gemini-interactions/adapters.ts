import { type AdapterCall, type NativeAdapter, stringifyBody } from '../contract/operation-adapter.ts'
import { withMappedConfig } from '../gemini-generate/adapters.ts'
import { readGeminiFailure } from '../gemini-generate/failure.ts'
import { withoutThinkingSuffix } from '../gemini-generate/to-body.ts'
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
        body: stringifyBody({ ...call.body, model: withoutThinkingSuffix(call.model) }, call),
      }),
      reply: readInteraction,
      stream: () => new InteractionReader(),
      failure: readGeminiFailure,
    },
    withMappedConfig,
  )
