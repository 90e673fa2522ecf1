import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { listOptions, putOptions } from '#contract/options/options.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'

/** An option whose value is a list, with one entry that is valid. */
interface ListOption {
  readonly key: string
  readonly entry: unknown
  readonly isArray: boolean
}

/** Entries of every type: a list takes at least one of them, and rejects at least one. */
const ENTRIES: readonly unknown[] = [
  1.5,
  'a text',
  {},
  { service_tier: 'strip' },
  { kind: 'chat', prices: { input: 1 } },
  { name: 'https://chat.example' },
  { issuer: 'https://issuer.example', audience: 'gateway', claims: { sub: 'shop' }, token: 1 },
]
const BAD_ENTRIES: readonly unknown[] = [null, -1, 1e30, 'a text', true, [], { a: { b: [] } }]

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

const asList = (entries: readonly unknown[], isArray: boolean): string =>
  JSON.stringify(
    isArray ? entries : Object.fromEntries(entries.map((entry, index) => [`entry-${index}`, entry])),
  )

/** Every option that takes JSON, found by its kind, so that no list of names forgets a new one. */
function listOptionsOf({ settings }: TestApp): readonly ListOption[] {
  return Object.entries(settings.options)
    .filter(([, { kind }]) => kind === 'json')
    .map(([key, { schema }]) => {
      const isArray = schema.safeParse('[]').success
      const entry = ENTRIES.find(one => schema.safeParse(asList([one], isArray)).success)
      return { key, entry, isArray }
    })
}

const rejectedEntries = ({ key, isArray }: ListOption): readonly unknown[] =>
  BAD_ENTRIES.filter(entry => !app.settings.options[key]?.schema.safeParse(asList([entry], isArray)).success)

const store = async (key: string, value: string) => {
  await app.db.insertInto('options').values({ key, value }).execute()
  await app.root.call(putOptions, { body: { key: 'Notice', value: key } })
}
const valueInForce = (key: string): unknown => Reflect.get(app.settings.current().values, key)

describe('every option that is a list', () => {
  test('takes an entry, and rejects a null, a boolean and a list among its entries', () => {
    const lists = listOptionsOf(app)
    expect(lists.length).toBeGreaterThan(10)
    for (const list of lists) {
      expect({ key: list.key, entry: list.entry }).not.toEqual({ key: list.key, entry: undefined })
      expect(rejectedEntries(list)).toEqual(expect.arrayContaining([null, true, []]))
    }
  })

  test('keeps the other entries when a stored one cannot be read, and shows the text as it is', async () => {
    for (const list of listOptionsOf(app)) {
      const { key, entry, isArray } = list
      const text = asList([entry, ...rejectedEntries(list)], isArray)
      await store(key, text)
      expect({ key, value: valueInForce(key) }).toEqual({ key, value: JSON.parse(asList([entry], isArray)) })
      const shown = (await app.root.call(listOptions)).data.find(option => option.key === key)
      expect(shown?.value).toBe(text)
    }
  })

  test('is rejected with the name of the bad entry, and nothing is stored', async () => {
    for (const list of listOptionsOf(app)) {
      for (const bad of rejectedEntries(list)) {
        const value = asList([list.entry, bad], list.isArray)
        const { code, message } = await app.root.call(putOptions, { body: { key: list.key, value } })
        expect({ bad, code }).toEqual({ bad, code: 'invalid_parameter' })
        expect(message).toContain(list.isArray ? `${list.key}: invalid parameter: 1` : 'entry-1')
      }
    }
    expect(await app.db.selectFrom('options').selectAll().execute()).toEqual([])
  })
})

test.each([
  ['ModelRatio', '{"gpt-4o":1e30}', 'gpt-4o: ratios and prices are at most a billion'],
  ['ModelPrice', '{"gpt-4o":1000000001}', 'gpt-4o: ratios and prices are at most a billion'],
  ['GroupRatio', '{"vip":-0.5}', 'vip: ratios and prices cannot be negative'],
  ['CompletionRatio', '{"a":NaN}', 'not valid JSON'],
  ['CacheRatio', '{"a":1e999}', 'a: '],
  ['TopupGroupRatio', `{"${'n'.repeat(300)}":1}`, 'n: '],
  ['ModelPriceLists', '{"m":{"kind":"chat","prices":{"input":1e30}}}', 'm.prices.input: '],
  [
    'ModelPriceLists',
    '{"m":{"kind":"image","prices":{"images":[{"price":1e30}]}}}',
    'm.prices.images.0.price',
  ],
])('rejects %s with an entry that nobody can mean', async (key, value, reason) => {
  const response = await app.root.call(putOptions, { body: { key, value } })
  expect(response.code).toBe('invalid_parameter')
  expect(response.message).toContain(reason)
})

test('a list of a model each for thousands of models is stored whole', async () => {
  const names = Array.from({ length: 12_000 }, (_, index) => [`provider/model-${index}`, 1])
  const value = JSON.stringify(Object.fromEntries(names), null, 2)
  expect((await app.root.call(putOptions, { body: { key: 'ModelRatio', value } })).success).toBe(true)
  expect(app.settings.current().values.ModelRatio).toMatchObject({ 'provider/model-11999': 1 })
})
