import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/embeddings.ts'
import { jinaRerank } from '../../provider-kit/openai-compatible/rerank.ts'
import { defineProvider } from '../../provider-kit/provider.ts'

/** Source: api.jina.ai/redoc */
export const provider = defineProvider({
  type: 38,
  name: 'Jina',
  baseUrl: 'https://api.jina.ai',
  models: ['jina-embeddings-v3', 'jina-clip-v2', 'jina-clip-v1', 'jina-reranker-v2-base-multilingual'],
  ownedBy: 'jina',
  rerank: jinaRerank(),
  embeddings: openaiCompatibleEmbeddings({ rename: { encoding_format: 'embedding_type' }, drop: ['user'] }),
})
