import { once } from '../../../../tests/golden/cases/operations.ts'
import { field } from '../../../../tests/golden/cases/tasks.ts'
import type { Json } from '../../../../tests/golden/normalise.ts'
import type { GoldenCase, GoldenCases, GoldenClient } from '../../../../tests/golden/recorder.ts'

const MODEL = 'gpt-4o-mini'
const CHAT_ONLY = 'chat-only'
const GET = { method: 'GET' } as const
const DELETE = { method: 'DELETE' } as const

const respond = (client: GoldenClient, fields: Readonly<Record<string, Json>>) =>
  client.call({ path: '/v1/responses', body: { model: MODEL, input: 'hello [lab: tokens-3]', ...fields } })

/** A response, its continuation, and the endpoints that read and delete it. */
const continued =
  (model: string): GoldenCase =>
  async client => {
    const first = await respond(client, { model })
    const id = field(first.json, 'id')
    await respond(client, { model, input: 'and then? [lab: tokens-2]', previous_response_id: id })
    await client.call({ ...GET, path: `/v1/responses/${id}` })
    await client.call({ ...GET, path: `/v1/responses/${id}/input_items` })
    await client.call({ ...DELETE, path: `/v1/responses/${id}` })
    await respond(client, { model, previous_response_id: id })
  }

const conversation: GoldenCase = async client => {
  const items = [{ type: 'message', role: 'user', content: 'my name is Ada' }]
  const made = await client.call({
    path: '/v1/conversations',
    body: { items, metadata: { subject: 'names' } },
  })
  const id = field(made.json, 'id')
  await respond(client, { conversation: id })
  await client.call({ ...GET, path: `/v1/conversations/${id}/items` })
  await client.call({ path: `/v1/conversations/${id}`, body: { metadata: { subject: 'none' } } })
  await client.call({ ...DELETE, path: `/v1/conversations/${id}` })
  await client.call({ ...GET, path: `/v1/conversations/${id}` })
}

const background: GoldenCase = async client => {
  const started = await respond(client, { background: true })
  const id = field(started.json, 'id')
  await client.poll({ ...GET, path: `/v1/responses/${id}` }, ({ json }) =>
    ['completed', 'failed'].includes(String(field(json, 'status'))),
  )
  await client.call({ path: `/v1/responses/${id}/cancel`, body: {} })
}

/** Continued responses, stored conversations and background work. */
export const golden: GoldenCases = {
  'a continued response at its provider': continued(MODEL),
  'a continued response through a provider of chat': continued(CHAT_ONLY),
  'an unknown previous response': async client => {
    await respond(client, { previous_response_id: 'resp_unknown' })
  },
  conversation,
  background,
  'a compacted conversation': once({
    path: '/v1/responses/compact',
    body: { model: 'gpt-4o-mini', input: 'hello' },
  }),
}
