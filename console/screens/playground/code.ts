import type { Snippet } from '../../ui/text/code-snippet.tsx'
import type { ChatBody } from './build-body.ts'

const KEY = 'sk-…'

type PlainBody = Omit<ChatBody, 'group' | 'stream'>

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curl = (body: PlainBody, baseUrl: string): string => `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${KEY}" \\
  -H "Content-Type: application/json" \\
  -d ${quoted(JSON.stringify(body, undefined, 2))}`

/** JSON is Python but for three words, which `json.loads` takes care of. */
const python = (body: PlainBody, baseUrl: string): string => `import json
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${KEY}")
answer = client.chat.completions.create(**json.loads(r"""
${JSON.stringify(body, undefined, 2)}
"""))
print(answer.choices[0].message.content)`

const node = (body: PlainBody, baseUrl: string): string => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${KEY}' })
const answer = await client.chat.completions.create(${JSON.stringify(body, undefined, 2)})
console.log(answer.choices[0].message.content)`

/** The call of the playground for programs. A token has its own group, so none is sent. */
export function codeOf({ group: _, stream: __, ...body }: ChatBody, baseUrl: string): readonly Snippet[] {
  return [
    { name: 'curl', write: curl },
    { name: 'Python', write: python },
    { name: 'Node', write: node },
  ].map(({ name, write }) => ({ name, code: write(body, baseUrl), copied: write(body, baseUrl) }))
}
