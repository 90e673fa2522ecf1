import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import type { EmbeddingsAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asObject } from '../../provider-kit/json.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import { readPalmFailure } from './failure.ts'
import { toPalmRequest } from './transport.ts'

/** One text a call; no usage is given. */
export const embeddings: EmbeddingsAdapter = {
  request(call) {
    const [text, ...more] = embeddingTexts(call.body)
    if (more.length > 0)
      invalidRequest('input', `${more.length + 1} texts`, 'one text a call for this vendor')
    return toPalmRequest(call, 'embedText', { text })
  },
  reply(json) {
    const { value } = asObject(asObject(json).embedding)
    if (!Array.isArray(value)) return { kind: 'failure', failure: readEmbeddedFailure(json) }
    return { kind: 'reply', reply: { vectors: [asArray(value).map(Number)] } }
  },
  failure: readPalmFailure,
}
