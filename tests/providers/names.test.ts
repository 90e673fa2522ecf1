import { expect, test } from 'bun:test'
import { loadProviders } from '#server/compose/modules.ts'
import { LargeJson } from '#server/core/json/large-json.ts'
import type { ChatBody } from '#server/provider-kit/contract/chat.ts'
import type { OwnNames, UpstreamRequest } from '#server/provider-kit/contract/operation-adapter.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { readFixtures } from './provider-fixtures.ts'

const modules = await loadProviders()
const registered = new Set(createRegistry(modules).all())

/** Too long for every provider, or with characters that none takes. */
const ODD_NAMES = ['mcp__tracker__'.padEnd(200, 'x'), '天气查询', '3d print/all']
const ODD_ID = `call_${'9'.repeat(200)}`
const LEGAL_NAME = /^[a-z0-9_.-]{1,128}$/i

const bodyWith = (name: string): ChatBody => ({
  model: 'm',
  messages: [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: ODD_ID, type: 'function', function: { name, arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: ODD_ID, content: 'done' },
    { role: 'user', content: 'again' },
  ],
  tools: [{ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } }],
})

const textOf = ({ body }: UpstreamRequest): string =>
  body instanceof LargeJson ? JSON.stringify(body.value) : String(body)

for (const [folder, module] of modules) {
  const provider = [...registered].find(known => known === module.provider)
  const chat = provider?.chat
  if (!provider || !chat) continue
  const { callOf, expectations } = readFixtures(folder)
  const models = new Set([...provider.models, ...[...expectations.values()].map(({ model }) => model ?? 'm')])

  /** The legal names that a request has in place of the odd one. */
  const legalNamesIn = (sent: string, own: OwnNames | undefined): readonly string[] =>
    [...(own?.keys() ?? [])].filter(legal => sent.includes(JSON.stringify(legal)))

  test.each(ODD_NAMES)(`${folder} is sent a name and an id that it takes: %s`, name => {
    for (const model of models) {
      const call = { ...callOf(bodyWith(name), model), isTranslated: true }
      const sent = textOf(chat.request(call))
      const legal = legalNamesIn(sent, chat.ownNames?.(call))
      expect(sent).not.toContain(JSON.stringify(name))
      expect(sent).not.toContain(ODD_ID)
      expect(legal.every(text => LEGAL_NAME.test(text))).toBe(true)
      if (sent.includes('"parameters') || sent.includes('"input_schema')) expect(legal).toHaveLength(1)
    }
  })
}
