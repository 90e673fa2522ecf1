import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { systemOptions } from '#contract/options/system-options.ts'
import { loadFolders } from '../../server/compose/modules.ts'
import { createRegistry } from '../../server/providers/registry.ts'

/** Self-hosted models, or vendors with negotiated prices, have no list price. */
const WITHOUT_LIST_PRICE = ['Ollama', 'Xinference', 'MokaAI']

test('has a price for every model that a new channel offers', async () => {
  const vendors = createRegistry(await loadFolders(resolve('server/providers'))).all()
  const { ModelRatio, ModelPrice } = systemOptions
  const priced = [ModelRatio, ModelPrice].map(({ schema, initial }) => schema.parse(initial))
  const isPriced = (model: string) => priced.some(figures => Object.hasOwn(figures, model))
  const listed = vendors.filter(({ name }) => !WITHOUT_LIST_PRICE.includes(name))
  const unpriced = listed.flatMap(({ name, models }) =>
    models.filter(model => !isPriced(model)).map(model => `${name}: ${model}`),
  )
  expect(unpriced).toEqual([])
})
