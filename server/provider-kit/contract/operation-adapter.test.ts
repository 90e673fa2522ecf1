import { expect, test } from 'bun:test'
import { versionedUrl } from './operation-adapter.ts'

test.each([
  ['https://v.example', '/v1/models', 'https://v.example/v1/models'],
  ['https://v.example/v1', '/v1/models', 'https://v.example/v1/models'],
  ['https://v.example/v1', '/models', 'https://v.example/v1/models'],
  ['https://v.example/api/coding/v3', '/api/v3/embeddings', 'https://v.example/api/coding/v3/embeddings'],
  ['https://v.example/v2', '/v1/models', 'https://v.example/v2/v1/models'],
])('joins %s and %s to %s', (baseUrl, path, url) => {
  expect(versionedUrl(baseUrl, path)).toBe(url)
})
