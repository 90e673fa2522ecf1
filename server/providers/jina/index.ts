import { defineProvider } from '../../provider-kit/contract/provider.ts'
import {
  jinaCompatibleRerank,
  openaiCompatibleEmbeddings,
} from '../../provider-kit/openai-compatible/operations.ts'
import { chat } from './chat.ts'

/** Source: api.jina.ai/redoc */
export const provider = defineProvider({
  type: 38,
  name: 'Jina',
  baseUrl: 'https://api.jina.ai',
  models: [
    'jina-embeddings-v3',
    'jina-clip-v2',
    'jina-clip-v1',
    'jina-reranker-v2-base-multilingual',
    'jina-deepsearch-v1',
  ],
  ownedBy: 'jina',
  chat,
  rerank: jinaCompatibleRerank(),
  embeddings: openaiCompatibleEmbeddings({ rename: { encoding_format: 'embedding_type' }, drop: ['user'] }),
})
