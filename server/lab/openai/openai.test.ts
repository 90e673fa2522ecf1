import { describe, expect, test } from 'bun:test'
import { createLab } from '../open-lab.ts'
import { fetchFromLab, parseEvents, readRecorded, shapeDifference } from '../testing.ts'

const KEY = { authorization: 'Bearer some-key' }
const CHAT = '/v1/chat/completions'
const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello there' }] }
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer' },
      },
    },
  },
}

const json = async (reply: Promise<Response>) => (await reply).json()
const stream = async (reply: Promise<Response>) => parseEvents(await (await reply).text())
const recorded = (name: string) => JSON.parse(readRecorded('openai', name))
const recordedStream = (name: string) => parseEvents(readRecorded('openai', name)).map(event => event.payload)
const payloads = async (reply: Promise<Response>) => (await stream(reply)).map(event => event.payload)

describe('a JSON chat completion of the lab', () => {
  test('has the recorded shape', async () => {
    expect(shapeDifference(await json(fetchFromLab(CHAT, KEY, hello)), recorded('chat.json'))).toEqual([])
  })

  test('has the recorded shape for tool calls, with arguments that match the schema', async () => {
    const body = { ...hello, tools: [weather], tool_choice: 'required' }
    const reply = await json(fetchFromLab(CHAT, KEY, body))
    expect(shapeDifference(reply, recorded('chat-tools.json'))).toEqual([])
    const [choice] = reply.choices
    expect(choice.finish_reason).toBe('tool_calls')
    expect(JSON.parse(choice.message.tool_calls[0].function.arguments)).toEqual({
      city: 'Lisbon',
      unit: 'celsius',
      days: 21,
    })
  })

  test('counts the prompt by its characters and images, and the response by its words', async () => {
    const content = [
      { type: 'text', text: 'what is this' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ]
    const { usage, choices } = await json(
      fetchFromLab(CHAT, KEY, { ...hello, messages: [{ role: 'user', content }] }),
    )
    expect(usage.prompt_tokens).toBe(1 + 3 + 85)
    expect(usage.completion_tokens).toBe(choices[0].message.content.split(' ').length)
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
  })

  test('stops at max_tokens with the finish reason length', async () => {
    const { usage, choices } = await json(fetchFromLab(CHAT, KEY, { ...hello, max_tokens: 4 }))
    expect([usage.completion_tokens, choices[0].finish_reason]).toEqual([4, 'length'])
    expect(choices[0].message.content).toBe('Hello from the lab')
  })

  test('includes reasoning and cached tokens in the totals', async () => {
    const { usage, choices } = await json(
      fetchFromLab(CHAT, KEY, { ...hello, model: 'lab-reasoning-5+cached-2+tokens-3' }),
    )
    expect(usage.completion_tokens).toBe(8)
    expect(usage.completion_tokens_details.reasoning_tokens).toBe(5)
    expect(usage.prompt_tokens_details.cached_tokens).toBe(2)
    expect(choices[0].message.reasoning_content).toBe('First I look at the')
  })

  test('responds with text after a tool result', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }
    const messages = [
      ...hello.messages,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '21 degrees' },
    ]
    const { choices } = await json(
      fetchFromLab(CHAT, KEY, { ...hello, model: 'lab-tools', tools: [weather], messages }),
    )
    expect(choices[0].finish_reason).toBe('stop')
  })
})

describe('a streamed chat completion of the lab', () => {
  const streamRequest = { ...hello, stream: true, stream_options: { include_usage: true } }

  test('has the recorded chunks and ends with usage and [DONE]', async () => {
    const events = await payloads(fetchFromLab(CHAT, KEY, streamRequest))
    expect(shapeDifference(events, recordedStream('chat-stream.sse.txt'), [/obfuscation/])).toEqual([])
    expect(events.at(-1)).toBe('[DONE]')
  })

  test('has the recorded chunks for tool calls, with arguments that join to JSON', async () => {
    const body = { ...streamRequest, model: 'lab-tools-2', tools: [weather] }
    const reply = await fetchFromLab(CHAT, KEY, body)
    const text = await reply.text()
    const events = parseEvents(text).map(event => event.payload)
    const differences = shapeDifference(events, recordedStream('chat-stream-tools.sse.txt'), [
      /obfuscation/,
      /content/,
    ])
    expect(differences).toEqual([])
    const pieces = [...text.matchAll(/"index":1,"function":\{"arguments":"((?:[^"\\]|\\.)*)"/g)].map(match =>
      JSON.parse(`"${match[1]}"`),
    )
    expect(JSON.parse(pieces.join(''))).toEqual({ city: 'Lisbon', unit: 'celsius', days: 21 })
  })

  test('reports usage only on request', async () => {
    const text = await (await fetchFromLab(CHAT, KEY, { ...hello, stream: true })).text()
    expect(text).not.toContain('usage')
  })

  test('joins to the text and usage of the JSON response', async () => {
    const payload = await json(fetchFromLab(CHAT, KEY, hello))
    const events = await payloads(fetchFromLab(CHAT, KEY, streamRequest))
    const chunks = events.filter(event => typeof event === 'object') as (typeof payload)[]
    const text = chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')
    expect(text).toBe(payload.choices[0].message.content)
    expect(chunks.at(-1).usage).toEqual(payload.usage)
  })
})

describe('legacy completions of the lab', () => {
  const body = { model: 'gpt-3.5-turbo-instruct', prompt: 'hello' }
  const detailed = [/_details/]

  test('have the recorded shapes as JSON and as a stream', async () => {
    const payload = await json(fetchFromLab('/v1/completions', KEY, body))
    expect(shapeDifference(payload, recorded('completion.json'), detailed)).toEqual([])
    const streamRequest = { ...body, stream: true, stream_options: { include_usage: true } }
    const events = await payloads(fetchFromLab('/v1/completions', KEY, streamRequest))
    expect(shapeDifference(events, recordedStream('completion-stream.sse.txt'), detailed)).toEqual([])
  })
})

describe('embeddings of the lab', () => {
  const body = { model: 'text-embedding-3-small', input: ['hello', 'world'], dimensions: 4 }

  test('have the recorded shape as numbers and as base64 of the same numbers', async () => {
    const floats = await json(fetchFromLab('/v1/embeddings', KEY, body))
    expect(shapeDifference(floats, recorded('embedding.json'))).toEqual([])
    const packed = await json(fetchFromLab('/v1/embeddings', KEY, { ...body, encoding_format: 'base64' }))
    expect(shapeDifference(packed, recorded('embedding-base64.json'))).toEqual([])
    const bytes = Buffer.from(packed.data[1].embedding, 'base64')
    expect([...new Float32Array(bytes.buffer, bytes.byteOffset, 4)]).toEqual(floats.data[1].embedding)
  })

  test('differ between texts and count the tokens of every input', async () => {
    const { data, usage } = await json(fetchFromLab('/v1/embeddings', KEY, body))
    expect(data[0].embedding).not.toEqual(data[1].embedding)
    expect(usage).toEqual({ prompt_tokens: 6, total_tokens: 6 })
  })

  test('accept lists of tokens', async () => {
    const { data } = await json(fetchFromLab('/v1/embeddings', KEY, { ...body, input: [[1, 2], [3]] }))
    expect(data).toHaveLength(2)
  })
})

describe('the OpenAI account of the lab', () => {
  test('serves models and billing in the recorded shapes', async () => {
    expect(shapeDifference(await json(fetchFromLab('/v1/models', KEY)), recorded('models.json'))).toEqual([])
    const path = '/v1/dashboard/billing'
    const subscription = await json(fetchFromLab(`${path}/subscription`, KEY))
    expect(shapeDifference(subscription, recorded('billing-subscription.json'))).toEqual([])
    const spent = await json(fetchFromLab(`${path}/usage?start_date=2026-01-01&end_date=2026-02-01`, KEY))
    expect(shapeDifference(spent, recorded('billing-usage.json'))).toEqual([])
  })
})

describe('OpenAI errors of the lab', () => {
  const rejected = async (reply: Promise<Response>) => {
    const { status, body } = await reply.then(async read => ({
      status: read.status,
      body: await read.json(),
    }))
    return { status, ...body.error }
  }

  test.each(['dead-key', 'no-money', 'rate-limit', 'context-length', 'overloaded'])(
    '%s has a recorded status, type and code',
    async fault => {
      const { status, type, code } = await rejected(
        fetchFromLab(CHAT, KEY, { ...hello, model: `lab-${fault}` }),
      )
      const error = expect.objectContaining({ type, code })
      expect(recorded('errors.json')).toContainEqual(expect.objectContaining({ status, body: { error } }))
    },
  )

  test('name the missing key, field, path or fault', async () => {
    expect(await rejected(fetchFromLab(CHAT, {}, hello))).toMatchObject({ status: 401 })
    const empty = await rejected(fetchFromLab(CHAT, KEY, { model: 'lab' }))
    expect(empty).toMatchObject({ status: 400, message: expect.stringContaining('messages') })
    expect(await rejected(fetchFromLab('/v1/unknown', KEY, hello))).toMatchObject({ status: 404 })
    const unknown = await rejected(fetchFromLab(CHAT, KEY, { ...hello, model: 'lab-nothing' }))
    expect(unknown).toMatchObject({ status: 404, message: expect.stringContaining("'nothing'") })
  })

  test('reject max_tokens for reasoning models, as the provider does', async () => {
    const reply = await rejected(fetchFromLab(CHAT, KEY, { ...hello, model: 'o3-mini', max_tokens: 5 }))
    expect(reply).toMatchObject({ status: 400, message: expect.stringContaining('max_completion_tokens') })
  })
})

describe('image variations of the lab', () => {
  const vary = (fields: Readonly<Record<string, string | Blob>>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    return createLab().fetch(
      new Request('http://lab.test/v1/images/variations', { method: 'POST', headers: KEY, body: form }),
    )
  }
  const image = new File(['PNG'], 'a.png', { type: 'image/png' })

  test('have the requested number and format', async () => {
    const { data } = await json(vary({ image, n: '2', response_format: 'b64_json' }))
    expect(data.map(Object.keys)).toEqual([['b64_json'], ['b64_json']])
    expect((await json(vary({ image }))).data.map(Object.keys)).toEqual([['url']])
  })

  test.each([
    [{}],
    [{ image: 'text' }],
    [{ image: new File([], 'a.png') }],
    [{ image: new File([new Uint8Array(4 * 1024 * 1024)], 'a.png') }],
    [{ image, n: '11' }],
    [{ image, size: '1024x1792' }],
    [{ image, prompt: 'a hat' }],
  ])('refuse the form %p', async fields => {
    expect((await vary(fields)).status).toBe(400)
  })
})
