import type { Site } from '../../harness/start-site.ts'
import { MODEL, type PoorCall } from './poor-calls.ts'

const ITEM_CHARS = 390 * 1024
const ITEMS = 10
/** The largest conversation. */
const BATCHES = 6
const LONG_INPUT_CHARS = 7 * 2 ** 20

/** Stores the largest state, and returns the calls that read, change or continue it. */
export async function storedStateCalls({ gateway }: Site, key: string): Promise<readonly PoorCall[]> {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const { id } = await post('/v1/conversations', {})
  const items = Array.from({ length: ITEMS }, () => ({
    type: 'message',
    role: 'user',
    content: 'word '.repeat(ITEM_CHARS / 5),
  }))
  let itemId = ''
  for (let batch = 0; batch < BATCHES; batch += 1)
    itemId = (await post(`/v1/conversations/${id}/items`, { items })).first_id
  const stored = await post('/v1/responses', { model: MODEL, input: 'word '.repeat(LONG_INPUT_CHARS / 5) })
  const continued = { model: MODEL, input: 'x', conversation: id }
  const again = { model: MODEL, input: 'x', previous_response_id: stored.id }
  return [
    call('GET', `/v1/conversations/${id}`),
    call('GET', `/v1/conversations/${id}/items?limit=100`),
    call('GET', `/v1/conversations/${id}/items/${itemId}`),
    call('DELETE', `/v1/conversations/${id}/items/msg_none`),
    call('POST', `/v1/conversations/${id}/items`, { items }),
    call('POST', '/v1/conversations', {}),
    call('GET', `/v1/responses/${stored.id}`),
    call('GET', `/v1/responses/${stored.id}/input_items`),
    call('POST', `/v1/responses/${stored.id}/cancel`, {}),
    call('POST', '/v1/responses/input_tokens', continued),
    call('POST', '/v1/responses/input_tokens', again),
    call('POST', '/v1/responses', continued),
    call('POST', '/v1/responses', again),
    call('POST', '/v1/responses', { ...again, background: true }),
  ]
}

function call(method: string, path: string, fields?: object): PoorCall {
  const name = `${method} ${path.replaceAll(/[a-z]+_\w{20,}/g, 'ID')}, with much stored state`
  return { name, method, path, ...(fields && { body: JSON.stringify(fields) }) }
}
