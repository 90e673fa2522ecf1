import type { Snippet } from '../../ui/text/code-snippet.tsx'
import { type ModelKind, modelKind } from './model-kind.ts'
import { shellQuote } from './shell-quote.ts'

export interface CallTarget {
  /** Address of the gateway, without a path and without a trailing slash. */
  readonly address: string
  readonly key: string
  readonly model: string
  /** The kind of the model, where the name alone does not tell it. */
  readonly kind?: ModelKind
}

/** One call of the OpenAI API, as each language writes it. */
interface ExampleCall {
  readonly path: string
  readonly body: (model: string) => Readonly<Record<string, unknown>>
  readonly python: (model: string) => string
  /** A line that stands before the import of the library. */
  readonly nodeImport?: string
  readonly node: (model: string) => string
}

const HELLO = [{ role: 'user', content: 'Hello' }]

const CHAT: ExampleCall = {
  path: '/chat/completions',
  body: model => ({ model, messages: HELLO }),
  python: model => `reply = client.chat.completions.create(
    model=${quote(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(reply.choices[0].message.content)`,
  node: model => `const reply = await client.chat.completions.create({
  model: ${quote(model)},
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(reply.choices[0].message.content)`,
}

const EMBEDDINGS: ExampleCall = {
  path: '/embeddings',
  body: model => ({ model, input: 'Hello' }),
  python: model => `reply = client.embeddings.create(model=${quote(model)}, input="Hello")
print(len(reply.data[0].embedding))`,
  node: model => `const reply = await client.embeddings.create({ model: ${quote(model)}, input: 'Hello' })
console.log(reply.data[0].embedding.length)`,
}

const RERANK_BODY = (model: string) => ({
  model,
  query: 'What is a toll gate?',
  documents: ['A barrier at which a fee is paid.', 'A kind of cheese.'],
})

/** The OpenAI libraries have no method for reranking, but their client sends any request. */
const RERANK: ExampleCall = {
  path: '/rerank',
  body: RERANK_BODY,
  python: model => `reply = client.post("/rerank", cast_to=object, body=${JSON.stringify(RERANK_BODY(model))})
print(reply["results"])`,
  node: model => `const reply = await client.post('/rerank', { body: ${JSON.stringify(RERANK_BODY(model))} })
console.log(reply.results)`,
}

const IMAGE: ExampleCall = {
  path: '/images/generations',
  body: model => ({ model, prompt: 'A toll gate at dawn' }),
  python: model => `reply = client.images.generate(model=${quote(model)}, prompt="A toll gate at dawn")
print(reply.data[0].url or reply.data[0].b64_json[:40])`,
  node: model => `const reply = await client.images.generate({ model: ${quote(model)}, prompt: 'A toll gate at dawn' })
console.log(reply.data[0].url ?? reply.data[0].b64_json.slice(0, 40))`,
}

const MODERATION: ExampleCall = {
  path: '/moderations',
  body: model => ({ model, input: 'Hello' }),
  python: model => `reply = client.moderations.create(model=${quote(model)}, input="Hello")
print(reply.results[0].flagged)`,
  node: model => `const reply = await client.moderations.create({ model: ${quote(model)}, input: 'Hello' })
console.log(reply.results[0].flagged)`,
}

const SPEECH: ExampleCall = {
  path: '/audio/speech',
  body: model => ({ model, input: 'Hello', voice: 'alloy' }),
  python: model => `reply = client.audio.speech.create(model=${quote(model)}, input="Hello", voice="alloy")
reply.write_to_file("hello.mp3")`,
  nodeImport: "import { writeFile } from 'node:fs/promises'",
  node: model => `const reply = await client.audio.speech.create({ model: ${quote(model)}, input: 'Hello', voice: 'alloy' })
await writeFile('hello.mp3', Buffer.from(await reply.arrayBuffer()))`,
}

const TRANSCRIPTION: ExampleCall = {
  path: '/audio/transcriptions',
  body: model => ({ model }),
  python: model => `reply = client.audio.transcriptions.create(
    model=${quote(model)}, file=open("hello.mp3", "rb")
)
print(reply.text)`,
  nodeImport: "import { createReadStream } from 'node:fs'",
  node: model => `const reply = await client.audio.transcriptions.create({
  model: ${quote(model)},
  file: createReadStream('hello.mp3'),
})
console.log(reply.text)`,
}

const TASK_PATHS: ReadonlyArray<readonly [RegExp, string, Readonly<Record<string, unknown>>]> = [
  [/^suno_lyrics$/, '/suno/submit/lyrics', { prompt: 'A song about a toll gate' }],
  [/^suno_/, '/suno/submit/music', { gpt_description_prompt: 'A song about a toll gate' }],
  [/./, '/mj/submit/imagine', { prompt: 'A toll gate at dawn' }],
]

const CALLS: Readonly<Record<Exclude<ModelKind, 'task'>, ExampleCall>> = {
  chat: CHAT,
  embeddings: EMBEDDINGS,
  rerank: RERANK,
  image: IMAGE,
  moderation: MODERATION,
  speech: SPEECH,
  transcription: TRANSCRIPTION,
  other: CHAT,
}

/** A string literal of Python and of JavaScript. */
const quote = (text: string): string => JSON.stringify(text)

const curlJson = (url: string, key: string, body: object): string => `curl ${shellQuote(url)} \\
  -H ${shellQuote(`Authorization: Bearer ${key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shellQuote(JSON.stringify(body, undefined, 2))}`

function curl({ address, key, model, kind = modelKind(model) }: CallTarget): string {
  if (kind === 'task') {
    const [, path = '', body = {}] = TASK_PATHS.find(([pattern]) => pattern.test(model)) ?? []
    return curlJson(`${address}${path}`, key, body)
  }
  const { path, body } = CALLS[kind]
  const url = `${address}/v1${path}`
  if (kind === 'speech') return `${curlJson(url, key, body(model))} \\\n  -o hello.mp3`
  if (kind !== 'transcription') return curlJson(url, key, body(model))
  return `curl ${shellQuote(url)} \\
  -H ${shellQuote(`Authorization: Bearer ${key}`)} \\
  -F ${shellQuote(`model=${model}`)} \\
  -F 'file=@hello.mp3'`
}

const python = ({ address, key, model }: CallTarget, call: ExampleCall): string => `from openai import OpenAI

client = OpenAI(base_url=${quote(`${address}/v1`)}, api_key=${quote(key)})
${call.python(model)}`

const node = ({ address, key, model }: CallTarget, call: ExampleCall): string =>
  `${call.nodeImport ? `${call.nodeImport}\n` : ''}import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${quote(`${address}/v1`)}, apiKey: ${quote(key)} })
${call.node(model)}`

interface FirstCallSnippet extends Snippet {
  readonly copied: string
  /** Writes the snippet for another target, for example with a key that is fetched later. */
  readonly write: (target: CallTarget) => string
}

/** Stands for the key on the page. */
export const MASKED_KEY = 'sk-••••••••••••'

/**
 * A first request in three languages, to the endpoint of the model's kind. Drawing and music have no client library, only
 * curl. The key is masked on the page and complete in the copied text.
 */
export function firstCallSnippets(target: CallTarget): readonly FirstCallSnippet[] {
  const { kind = modelKind(target.model) } = target
  const writers = [
    { name: 'curl', write: curl },
    ...(kind === 'task'
      ? []
      : [
          { name: 'Python', write: (to: CallTarget) => python(to, CALLS[kind]) },
          { name: 'Node', write: (to: CallTarget) => node(to, CALLS[kind]) },
        ]),
  ]
  return writers.map(({ name, write }) => ({
    name,
    write,
    code: write({ ...target, key: MASKED_KEY }),
    copied: write(target),
  }))
}
