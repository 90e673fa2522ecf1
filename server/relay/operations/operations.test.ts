import { expect, test } from 'bun:test'
import { describeCharges } from '../../testing/charged-relay.ts'
import { testPrices } from '../../testing/test-prices.ts'

const { open, getSpent, upstreamRequests } = describeCharges({
  prices: testPrices({ ModelRatio: { reranker: 2 } }),
  models: 'reranker',
})

test('sorts rerank results by score, limits them to top_n and adds the documents', async () => {
  const results = [
    { index: 0, relevance_score: 0.1 },
    { index: 2, relevance_score: 0.9 },
    { index: 1, relevance_score: 0.5 },
  ]
  const call = await open(() => Response.json({ results, usage: { total_tokens: 50 } }), 38)
  const body = { model: 'reranker', query: 'q', documents: ['a', 'b', 'c'], top_n: 2, return_documents: true }
  const response = await call('/rerank', body)
  expect(await response.json()).toEqual({
    model: 'reranker',
    results: [
      { index: 2, relevance_score: 0.9, document: { text: 'c' } },
      { index: 1, relevance_score: 0.5, document: { text: 'b' } },
    ],
    usage: { prompt_tokens: 50, total_tokens: 50 },
  })
  expect(upstreamRequests[0]?.url).toEndWith('/v1/rerank')
  expect(await getSpent()).toBe(100)
})

test('rejects an operation that no channel of the model supports', async () => {
  const call = await open(() => Response.json({}), 14)
  expect((await call('/rerank', { model: 'reranker', query: 'q', documents: ['a'] })).status).toBe(404)
  expect(upstreamRequests).toEqual([])
  expect(await getSpent()).toBe(0)
})
