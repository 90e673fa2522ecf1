import { embeddingTexts } from '../../provider-kit/embedding-texts.ts'
import { listOf, objectOf } from '../../provider-kit/json.ts'
import type { EmbeddingsExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { readPalmFailure } from './failure.ts'
import { toPalmRequest } from './transport.ts'

/** One text a call; no usage is given. */
export const embeddings: EmbeddingsExchange = {
  request(call) {
    const [text, ...more] = embeddingTexts(call.body)
    if (more.length > 0) refuse('input', `${more.length + 1} texts`, 'one text a call for this vendor')
    return toPalmRequest(call, 'embedText', { text })
  },
  reply(json) {
    const { value } = objectOf(objectOf(json).embedding)
    if (!Array.isArray(value)) return { kind: 'failure', failure: readHiddenFailure(json) }
    return { kind: 'reply', reply: { vectors: [listOf(value).map(Number)] } }
  },
  failure: readPalmFailure,
}
