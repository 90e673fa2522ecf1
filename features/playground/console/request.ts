import { shellQuote } from '#console/app/snippets/shell-quote.ts'
import type { Snippet } from '#console/ui/text/code-snippet.tsx'
import type { ChatMessage } from './chat-message.ts'
import { shortenDataUrls } from './pictures.ts'
import type { Settings } from './settings.ts'

type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

/** The body of `POST /pg/chat/completions`. */
export interface ChatRequestBody {
  readonly model: string
  readonly group?: string
  readonly messages: ReadonlyArray<{
    readonly role: string
    readonly content: string | readonly ContentPart[]
  }>
  readonly stream: true
  readonly temperature?: number
  readonly max_tokens?: number
  readonly tools?: unknown
}

/** The request for the next reply: the system prompt, then all messages with content. */
export function toRequestBody(settings: Settings, history: readonly ChatMessage[]): ChatRequestBody {
  const { model, group, system, temperature, maxTokens } = settings
  const tools = parseTools(settings.tools)
  const messages = history
    .map(message => ({ role: message.role, content: contentOf(message) }))
    .filter(({ content }) => content.length > 0)
  return {
    model,
    ...(group !== '' && { group }),
    messages: system.trim() === '' ? messages : [{ role: 'system', content: system }, ...messages],
    stream: true,
    ...(temperature > 0 && { temperature }),
    ...(maxTokens > 0 && { max_tokens: maxTokens }),
    ...(tools !== undefined && { tools }),
  }
}

/** A text, or parts when there are pictures. Pictures whose data is gone after a reload are left out. */
function contentOf({ content, pictures }: ChatMessage): string | readonly ContentPart[] {
  const images = pictures.flatMap(({ url }) =>
    url === undefined ? [] : [{ type: 'image_url' as const, image_url: { url } }],
  )
  if (images.length === 0) return content
  return content === '' ? images : [{ type: 'text', text: content }, ...images]
}

/** Parses a JSON list of tools. Undefined when the list is empty or the text is not a list. */
export function parseTools(text: string): readonly unknown[] | undefined {
  try {
    const tools: unknown = JSON.parse(text)
    return Array.isArray(tools) && tools.length > 0 ? tools : undefined
  } catch {
    return undefined
  }
}

type SnippetBody = Omit<ChatRequestBody, 'group' | 'stream'>

/**
 * The request as code for an API key. `group` is omitted because a token determines its own group, and the data of
 * pictures because no shell accepts that much.
 */
export function toSnippets(body: ChatRequestBody, baseUrl: string): readonly Snippet[] {
  const { group: _, stream: __, ...snippetBody } = body
  return [
    { name: 'curl', write: curlSnippet },
    { name: 'Python', write: pythonSnippet },
    { name: 'Node', write: nodeSnippet },
  ].map(({ name, write }) => {
    const code = shortenDataUrls(write(snippetBody, baseUrl))
    return { name, code, copied: code }
  })
}

const KEY_PLACEHOLDER = 'sk-…'

const curlSnippet = (body: SnippetBody, baseUrl: string): string => `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${KEY_PLACEHOLDER}" \\
  -H "Content-Type: application/json" \\
  -d ${shellQuote(JSON.stringify(body, undefined, 2))}`

/** `json.loads` converts `true`, `false` and `null`, which are not Python literals. */
const pythonSnippet = (body: SnippetBody, baseUrl: string): string => `import json
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${KEY_PLACEHOLDER}")
completion = client.chat.completions.create(**json.loads(r"""
${JSON.stringify(body, undefined, 2)}
"""))
print(completion.choices[0].message.content)`

const nodeSnippet = (body: SnippetBody, baseUrl: string): string => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${KEY_PLACEHOLDER}' })
const completion = await client.chat.completions.create(${JSON.stringify(body, undefined, 2)})
console.log(completion.choices[0].message.content)`
