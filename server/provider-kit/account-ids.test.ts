import { expect, test } from 'bun:test'
import { readAccountIds } from './hosted-tools.ts'
import type { JsonObject } from './json.ts'

const user = (...content: readonly object[]): JsonObject => ({ messages: [{ role: 'user', content }] })

const FORMS: Readonly<Record<string, JsonObject>> = {
  "OpenAI's container": { tools: [{ type: 'code_interpreter', container: 'ID' }] },
  "the files of OpenAI's container": {
    tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['ID'] } }],
  },
  "OpenAI's hosted shell": {
    tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'ID' } }],
  },
  "a skill of OpenAI's shell": {
    tools: [{ type: 'shell', environment: { skills: [{ type: 'skill_reference', skill_id: 'ID' }] } }],
  },
  "OpenAI's stores": { tools: [{ type: 'file_search', vector_store_ids: ['ID'] }] },
  'a store in a namespace': {
    tools: [{ type: 'namespace', tools: [{ type: 'file_search', vectorStoreIds: ['ID'] }] }],
  },
  'a call in a container': { input: [{ type: 'code_interpreter_call', container_id: 'ID', code: '1' }] },
  'a file of Responses': { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'ID' }] }] },
  'an image of Responses': { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'ID' }] }] },
  'a screenshot': {
    input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', file_id: 'ID' } }],
  },
  'a stored prompt': { prompt: { id: 'ID', variables: {} } },
  'a prompt of a session': { type: 'session.update', session: { prompt: { id: 'ID' } } },
  'a file of chats': user({ type: 'file', file: { file_id: 'ID' } }),
  "Claude's container": { container: 'ID' },
  "Claude's container with skills": {
    container: { id: 'ID', skills: [{ type: 'anthropic', skill_id: 'pptx' }] },
  },
  'a skill for Claude': { container: { skills: [{ type: 'custom', skill_id: 'ID', version: 'latest' }] } },
  "Claude's upload": user({ type: 'container_upload', file_id: 'ID' }),
  "Claude's document": user({ type: 'document', source: { type: 'file', file_id: 'ID' } }),
  "a result of Claude's interpreter": user({
    type: 'code_execution_tool_result',
    content: { type: 'code_execution_result', content: [{ type: 'code_execution_output', file_id: 'ID' }] },
  }),
  "Claude's thread": { thread: { type: 'continue', previous_message_id: 'ID' } },
  "Claude's thread by its id": { thread: { id: 'ID' } },
  "Gemini's cache": { cachedContent: 'ID' },
  "Gemini's cache in OpenAI's format": { extra_body: { google: { cached_content: 'ID' } } },
  "Gemini's stores": { tools: [{ fileSearch: { fileSearchStoreNames: ['ID'] } }] },
  "Vertex's corpus": { tools: [{ retrieval: { vertexRagStore: { ragResources: [{ ragCorpus: 'ID' }] } } }] },
  "Vertex's data store": { tools: [{ retrieval: { vertexAiSearch: { datastore: 'ID' } } }] },
  "Mistral's library": { tools: [{ type: 'document_library', library_ids: ['ID'] }] },
  "xAI's collection": { tools: [{ type: 'collections_search', collection_ids: ['ID'] }] },
  "Zhipu's knowledge": { tools: [{ type: 'retrieval', retrieval: { knowledge_id: 'ID' } }] },
  "Doubao's cache": { context_id: 'ID' },
}

test.each(Object.entries(FORMS))('finds the id of %s', (_, body) => {
  expect(readAccountIds(body)).toEqual(['ID'])
})

const ADDRESSES = [
  'https://generativelanguage.googleapis.com/v1beta/files/abc',
  'files/abc-1',
  'gs://bucket/a.pdf',
  'cachedContents/1',
  'projects/p/locations/l/cachedContents/1',
]

test.each(ADDRESSES)('finds the resource %s', address => {
  expect(readAccountIds({ contents: [{ parts: [{ fileData: { fileUri: address } }] }] })).toEqual([address])
  expect(readAccountIds(user({ type: 'image_url', image_url: { url: address } }))).toEqual([address])
})

test('finds the files that Qwen reads in texts', () => {
  const body = { messages: [{ role: 'system', content: 'fileid://file-fe-1,fileid://file-fe-2' }] }
  expect(readAccountIds(body)).toEqual(['fileid://file-fe-1,fileid://file-fe-2'])
})

test.each<[string, JsonObject]>([
  [
    'a public film',
    { contents: [{ parts: [{ fileData: { fileUri: 'https://www.youtube.com/watch?v=a' } }] }] },
  ],
  ['a text about files', user({ type: 'text', text: 'gs://bucket/a and files/b' })],
  [
    'what a function is called with',
    user({ type: 'tool_use', id: 't', name: 'read', input: { file_id: 'a' } }),
  ],
  [
    'what a function takes',
    { tools: [{ type: 'function', name: 'f', parameters: { file_id: 'a', default: { container: 'b' } } }] },
  ],
  [
    'a schema',
    { tools: [{ name: 'f', input_schema: { properties: { file_id: { const: 'a', file_ids: ['b'] } } } }] },
  ],
  [
    "a result of Gemini's function",
    { contents: [{ parts: [{ functionResponse: { name: 'f', response: { file_id: 'a' } } }] }] },
  ],
  ['a fresh thread', { thread: { type: 'create' } }],
  ['metadata', { metadata: { file_id: 'a', container: 'b' } }],
  [
    'a fresh container',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }] },
  ],
  [
    'a path',
    { input: [{ type: 'local_shell_call', action: { working_directory: 'projects/a', path: 'files/a' } }] },
  ],
  ['a model', { model: 'projects/p/locations/l/models/m' }],
  ['a prompt of completions', { prompt: 'cachedContents/1' }],
])('finds nothing in %s', (_, body) => {
  expect(readAccountIds(body)).toEqual([])
})
