import { expect, test } from 'bun:test'
import { loadProviders } from '#server/compose/modules.ts'
import { GatewayError } from '#server/core/errors.ts'
import type { ChatBody, ChatMessage, ContentPart } from '#server/provider-kit/contract/chat.ts'
import type { ProviderIo, UpstreamRequest } from '#server/provider-kit/contract/operation-adapter.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { readFixtures } from './provider-fixtures.ts'

const modules = await loadProviders()
const registered = new Set(createRegistry(modules).all())

/** What an upload returns, so that the request must name it in place of the media. */
const UPLOADED = 'uploaded-picture'
const BYTES = Buffer.from('bytes of the media').toString('base64')
const ADDRESS = 'https://pictures.example/cat.png'

const PARTS: Readonly<Record<string, ContentPart>> = {
  'an inline picture': { type: 'image_url', image_url: { url: `data:image/png;base64,${BYTES}` } },
  'a bare picture URL': { type: 'image_url', image_url: ADDRESS },
  'a picture at a URL': { type: 'image_url', image_url: { url: ADDRESS } },
  'a recording': { type: 'input_audio', input_audio: { data: BYTES, format: 'wav' } },
  'a document': {
    type: 'file',
    file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${BYTES}` },
  },
}

const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } } as const

/** A conversation with the part in a message of each role. */
const CONVERSATIONS: Readonly<Record<string, (content: readonly ContentPart[]) => readonly ChatMessage[]>> = {
  system: content => [
    { role: 'system', content },
    { role: 'user', content: 'hi' },
  ],
  user: content => [{ role: 'user', content }],
  'earlier user': content => [
    { role: 'user', content },
    { role: 'assistant', content: 'yes?' },
    { role: 'user', content: 'hi' },
  ],
  assistant: content => [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content },
    { role: 'user', content: 'more' },
  ],
  tool: content => [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: CALL.id, content },
  ],
}

const CASES = Object.entries(CONVERSATIONS).flatMap(([role, toMessages]) =>
  Object.entries(PARTS).flatMap(([name, part]) =>
    [false, true].map(isTranslated => ({
      name: `${name} in a message of the ${role}`,
      messages: toMessages([{ type: 'text', text: 'look' }, part]),
      isTranslated,
    })),
  ),
)

const UPLOADS: ProviderIo = {
  nowSeconds: 0,
  send: async () => ({ status: 200, json: { id: UPLOADED, code: 0, data: { id: UPLOADED } } }),
}

const isSent = ({ body }: UpstreamRequest): boolean => {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body)
  return [BYTES, ADDRESS, UPLOADED].some(media => text.includes(media))
}

for (const [folder, module] of modules) {
  const provider = [...registered].find(known => known === module.provider)
  const chat = provider?.chat
  if (!provider || !chat) continue
  const { channel, callOf, expectations } = readFixtures(folder)
  const models = new Set([...provider.models, ...[...expectations.values()].map(({ model }) => model ?? 'm')])

  /** Whether the media reaches the provider or is refused as the client's mistake. */
  const isKept = async (body: ChatBody, model: string, isTranslated: boolean): Promise<boolean> => {
    try {
      const ready = (await chat.prepare?.({ body, channel, requestId: 'r' }, UPLOADS)) ?? body
      return isSent(chat.request({ ...callOf(ready, model), isTranslated }))
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code === 'invalid_request') return true
      throw thrown
    }
  }

  test(`${folder} sends the media of every message or refuses it by name`, async () => {
    const dropped = new Set<string>()
    for (const model of models)
      for (const { name, messages, isTranslated } of CASES)
        if (!(await isKept({ model, messages }, model, isTranslated))) dropped.add(name)
    expect([...dropped]).toEqual([])
  })
}
