import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { type LogEntry, listLogs } from '#contract/logs.ts'
import { getSelf } from '#contract/users.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { type Gateway, startGateway } from '../harness/start-gateway.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'

/** With the prices that every new installation has: quota units per input token, and how much dearer output is. */
const vendors = [
  { vendor: 'openai', model: 'gpt-4o-mini', ratio: 0.075, completion: 4 },
  { vendor: 'anthropic', model: 'claude-3-5-haiku-20241022', ratio: 0.5, completion: 5 },
  { vendor: 'gemini', model: 'gemini-2.0-flash', ratio: 0.05, completion: 4 },
] as const
const EMBEDDING_MODEL = 'text-embedding-3-small'
/** A few tokens at a hundredth of a unit round to nothing, and a priced answer costs at least one unit. */
const LEAST_CHARGE = 1
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const

let gateway: Gateway
let lab: Lab
let admin: AdminClient
let openai: OpenAI

beforeAll(async () => {
  ;[gateway, lab] = await Promise.all([startGateway(), startLab()])
  admin = await gateway.signInAsRoot()
  for (const { vendor, model } of vendors)
    await addLabChannel(admin, lab, {
      vendor,
      models: vendor === 'openai' ? [model, EMBEDDING_MODEL] : [model],
    })
  const token = await addToken(admin)
  openai = new OpenAI({ apiKey: `sk-${token.key}`, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
})

afterAll(async () => {
  await Promise.all([gateway?.stop(), lab?.stop()])
})

describe.each(vendors)('the official client through $vendor', ({ model, ratio, completion }) => {
  const messages = [{ role: 'user', content: 'hello' }] as const

  test('reads a whole answer, its finish reason and its usage', async () => {
    const answer = await openai.chat.completions.create({ model, messages: [...messages] })
    expect(answer.choices[0]?.message.content).toContain(' ')
    expect(answer.choices[0]?.finish_reason).toBe('stop')
    const row = await newestRow()
    expect(row).toMatchObject({ model_name: model, is_stream: false })
    expect(answer.usage).toMatchObject({
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
      total_tokens: row.prompt_tokens + row.completion_tokens,
    })
  })

  test('reads the same answer as a stream, and its usage when it asks for it', async () => {
    const whole = await openai.chat.completions.create({ model, messages: [...messages] })
    const stream = await openai.chat.completions.create({
      model,
      messages: [...messages],
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let finish: string | null = null
    let usage: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      finish = chunk.choices[0]?.finish_reason ?? finish
      usage = chunk.usage ?? usage
    }
    expect(text).toBe(whole.choices[0]?.message.content ?? '')
    expect(finish).toBe('stop')
    expect(usage?.total_tokens).toBe(whole.usage?.total_tokens ?? 0)
    expect(await newestRow()).toMatchObject({ model_name: model, is_stream: true })
  })

  test('gets a stream without usage when it does not ask for it', async () => {
    const stream = await openai.chat.completions.create({ model, messages: [...messages], stream: true })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.filter(chunk => chunk.usage)).toEqual([])
    expect(chunks.every(chunk => chunk.choices.length > 0)).toBe(true)
  })

  test.each([false, true])('gets tool calls with arguments that are JSON (streamed: %p)', async isStream => {
    const runner = openai.chat.completions.stream.bind(openai.chat.completions)
    const body = {
      model,
      messages: [{ role: 'user' as const, content: 'weather? [lab: tools]' }],
      tools: [weather],
    }
    const answer = isStream
      ? await runner(body).finalChatCompletion()
      : await openai.chat.completions.create(body)
    const [call] = answer.choices[0]?.message.tool_calls ?? []
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls')
    expect(call?.type === 'function' && call.function.name).toBe('get_weather')
    expect(JSON.parse(call?.type === 'function' ? call.function.arguments : '')).toBeObject()
  })

  test('pays the formula to the unit, and everybody agrees on it', async () => {
    const before = await admin.call(getSelf)
    await openai.chat.completions.create({ model, messages: [...messages] })
    const [after, row] = await Promise.all([admin.call(getSelf), newestRow()])
    expect(row.quota).toBe(Math.round((row.prompt_tokens + row.completion_tokens * completion) * ratio))
    expect(row.quota).toBeGreaterThan(0)
    expect(before.quota - after.quota).toBe(row.quota)
    expect(after.used_quota - before.used_quota).toBe(row.quota)
  })

  test('pays nothing for a failed request, and is told its id', async () => {
    const before = await admin.call(getSelf)
    const error = await thrownBy(
      openai.chat.completions.create({
        model,
        messages: [{ role: 'user', content: 'hello [lab: context-length]' }],
      }),
    )
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error instanceof OpenAI.APIError && error.message).toContain('request id')
    const after = await admin.call(getSelf)
    expect(after.quota).toBe(before.quota)
  })
})

test('embeddings come with their usage and are charged', async () => {
  const answer = await openai.embeddings.create({ model: EMBEDDING_MODEL, input: ['one', 'two words'] })
  expect(answer.data.map(({ index }) => index)).toEqual([0, 1])
  expect(answer.data[0]?.embedding.length).toBeGreaterThan(1)
  expect(await newestRow()).toMatchObject({
    model_name: EMBEDDING_MODEL,
    prompt_tokens: answer.usage.prompt_tokens,
    quota: LEAST_CHARGE,
  })
})

test('the list of models names every model that the token may call', async () => {
  const names = (await Array.fromAsync(openai.models.list())).map(({ id }) => id)
  expect(names.sort()).toEqual([...vendors.map(({ model }) => model), EMBEDDING_MODEL].sort())
})

test('an unknown model and a bad token have their own errors', async () => {
  const messages = [{ role: 'user' as const, content: 'hello' }]
  const unknown = await thrownBy(openai.chat.completions.create({ model: 'no-such-model', messages }))
  expect(unknown).toMatchObject({ status: 503, code: 'no_available_channel' })
  const stranger = new OpenAI({ apiKey: 'sk-nobody', baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  expect(await thrownBy(stranger.models.list())).toBeInstanceOf(OpenAI.AuthenticationError)
})

const thrownBy = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    answer => Promise.reject(new Error(`expected an error, found ${JSON.stringify(answer)}`)),
    (error: unknown) => error,
  )

async function newestRow(): Promise<LogEntry> {
  const { items } = await admin.call(listLogs, { query: { type: 2 } })
  const [row] = items
  if (!row) throw new Error('expected a log row, found none')
  return row
}
