import type { Settings } from './settings.ts'
import type { ChatMessage } from './chat-message.ts'
import type { Snippet } from '../../ui/text/code-snippet.tsx'

export interface ChatRequestBody {
  readonly model: string
  readonly group?: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly stream: true
  readonly temperature?: number
  readonly max_tokens?: number
  readonly tools?: unknown
}

/** What is sent: the system's words, then every turn that says something. */
export function toRequestBody(settings: Settings, turns: readonly ChatMessage[]): ChatRequestBody {
  const { model, group, system, temperature, maxTokens } = settings
  const tools = parseTools(settings.tools)
  const said = turns.filter(({ content }) => content !== '').map(({ role, content }) => ({ role, content }))
  return {
    model,
    ...(group !== '' && { group }),
    messages: system.trim() === '' ? said : [{ role: 'system', content: system }, ...said],
    stream: true,
    ...(temperature > 0 && { temperature }),
    ...(maxTokens > 0 && { max_tokens: maxTokens }),
    ...(tools !== undefined && { tools }),
  }
}

/** The list of tools; undefined when there is none or the text is no list. */
export function parseTools(text: string): readonly unknown[] | undefined {
  try {
    const tools: unknown = JSON.parse(text)
    return Array.isArray(tools) && tools.length > 0 ? tools : undefined
  } catch {
    return undefined
  }
}

const KEY = 'sk-…'

type SnippetBody = Omit<ChatRequestBody, 'group' | 'stream'>

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curlSnippet = (body: SnippetBody, baseUrl: string): string => `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${KEY}" \\
  -H "Content-Type: application/json" \\
  -d ${shellQuote(JSON.stringify(body, undefined, 2))}`

/** JSON is Python but for three words, which `json.loads` takes care of. */
const pythonSnippet = (body: SnippetBody, baseUrl: string): string => `import json
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${KEY}")
answer = client.chat.completions.create(**json.loads(r"""
${JSON.stringify(body, undefined, 2)}
"""))
print(answer.choices[0].message.content)`

const nodeSnippet = (body: SnippetBody, baseUrl: string): string => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${KEY}' })
const answer = await client.chat.completions.create(${JSON.stringify(body, undefined, 2)})
console.log(answer.choices[0].message.content)`

/** The call of the playground for programs. A token has its own group, so none is sent. */
export function toSnippets({ group: _, stream: __, ...body }: ChatRequestBody, baseUrl: string): readonly Snippet[] {
  return [
    { name: 'curl', write: curlSnippet },
    { name: 'Python', write: pythonSnippet },
    { name: 'Node', write: nodeSnippet },
  ].map(({ name, write }) => ({ name, code: write(body, baseUrl), copied: write(body, baseUrl) }))
}
