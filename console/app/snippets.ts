import type { Snippet } from '../ui/text/code-snippet.tsx'

const MODEL = 'gpt-4o-mini'
const MASKED_KEY = 'sk-••••••••••••'

const curl = (baseUrl: string, key: string): string => `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${MODEL}", "messages": [{"role": "user", "content": "Hello"}]}'`

const python = (baseUrl: string, key: string): string => `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")
answer = client.chat.completions.create(
    model="${MODEL}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`

const node = (baseUrl: string, key: string): string => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' })
const answer = await client.chat.completions.create({
  model: '${MODEL}',
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)`

/** A first request in three languages. The key is masked on the page and complete in the copied text. */
export const firstCallSnippets = (baseUrl: string, key: string): readonly Snippet[] =>
  [
    { name: 'curl', write: curl },
    { name: 'Python', write: python },
    { name: 'Node', write: node },
  ].map(({ name, write }) => ({ name, code: write(baseUrl, MASKED_KEY), copied: write(baseUrl, key) }))
