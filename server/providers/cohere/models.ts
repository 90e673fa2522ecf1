/** What a new channel of this type offers at first. */
export const models: readonly string[] = [
  'command-r7b-12-2024',
  'embed-v4.0',
  'rerank-v3.5',

  'command-a-03-2025',
  'command-r',
  'command-r-plus',
  'command-r-08-2024',
  'command-r-plus-08-2024',
  'c4ai-aya-23-35b',
  'c4ai-aya-23-8b',
  'command-light',
  'command-light-nightly',
  'command',
  'command-nightly',
  'rerank-english-v3.0',
  'rerank-multilingual-v3.0',
  'rerank-english-v2.0',
  'rerank-multilingual-v2.0',
]
