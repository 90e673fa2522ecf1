import { describe, expect, test } from 'bun:test'
import { readBill } from './bills/read-bill.ts'
import { causeText } from './cause-texts.ts'
import { type CauseFacts, findCauses } from './causes.ts'
import { type ComputedCost, compareCosts } from './compare.ts'
import { modelKey, readModelName } from './model-names.ts'

const DAY = '2026-11-02'
const DOLLAR = 1_000_000_000
const HOUR = 3600

const cost = (model: string, dollars: number, changed: Partial<ComputedCost> = {}): ComputedCost => ({
  day: DAY,
  model,
  sentAs: model,
  requests: 10,
  unknownCostRequests: 0,
  costNanos: dollars * DOLLAR,
  tokens: 1000,
  ...changed,
})

const billOf = async (...rows: readonly string[]) =>
  (await readBill(['date,model,cost_usd,requests', ...rows].join('\n'))).entries

const lineItems = async (...rows: readonly string[]) =>
  (
    await readBill(
      [
        'start_time,amount_value,amount_currency,line_item',
        ...rows.map(row => `${DAY},${row.split('=')[1]},usd,"${row.split('=')[0]}"`),
      ].join('\n'),
    )
  ).entries

describe('names of models', () => {
  test.each([
    ['gpt-5.5', ['gpt-5.5-2026-01-10', 'openai/gpt-5.5', 'GPT-5.5']],
    [
      'claude-opus-4-8-20260528',
      ['anthropic/claude-4.8-opus-20260528', 'Claude Opus 4.8', 'claude-opus-4.8:beta'],
    ],
    ['claude-3-5-sonnet-20241022', ['Claude 3.5 Sonnet 2024-10-22', 'claude-3-5-sonnet-latest']],
    ['claude-sonnet-4-0', ['claude-sonnet-4-20250514', 'Claude Sonnet 4']],
    ['deepseek/deepseek-chat:free', ['DeepSeek Chat']],
    ['gemini-2.0-flash', ['Gemini 2.0 Flash']],
  ])('%s is the same model under other names', (name, others) => {
    expect(others.map(modelKey)).toEqual(others.map(() => modelKey(name)))
  })

  test('other versions and sizes are other models', () => {
    const names = [
      'gpt-4',
      'gpt-4-0613',
      'gpt-4o',
      'gpt-4.1',
      'gpt-4.1-mini',
      'o3',
      'o3-mini',
      'ft:gpt-4o:org::id',
      '文心',
    ]
    expect(new Set(names.map(modelKey)).size).toBe(names.length)
  })

  test.each([
    ['gpt-5.5-2026-01-10, cached input', 'gpt-5.5-2026-01-10', true],
    ['priority | gpt-5.6-sol, output, long context', 'gpt-5.6-sol', true],
    ['gpt-image-2.5 image, output', 'gpt-image-2.5', true],
    ['Claude Sonnet 4.5 Usage - Input Tokens', 'Claude Sonnet 4.5', true],
    ['Claude Opus 4.6 (fast mode)', 'Claude Opus 4.6', false],
    ['web search tool calls', 'web search tool calls', false],
  ])('reads the model of %s', (item, name, isSure) => {
    expect(readModelName(item)).toEqual({ name, isSure })
  })
})

describe('a comparison', () => {
  test('adds lines up under the sent model, by any of its names', async () => {
    const entries = await lineItems(
      'gpt-5.5-2026-04-23, input=1',
      'gpt-5.5-2026-04-23, output=2',
      'priority | gpt-5.5, output, long context=0.5',
      'web search tool calls=0.25',
    )
    const { models, total } = compareCosts(entries, [
      cost('fast', 2, { sentAs: 'gpt-5.5-2026-04-23' }),
      cost('gpt-5.5', 1.5),
    ])
    expect(models).toMatchObject([
      {
        model: 'gpt-5.5',
        requested_as: ['fast'],
        billed_nanos: 3.5 * DOLLAR,
        computed_nanos: 3.5 * DOLLAR,
        difference_nanos: 0,
        difference_percent: 0,
        is_marked: false,
        requests: 20,
        billed_requests: null,
      },
      {
        model: '',
        billed_nanos: 0.25 * DOLLAR,
        computed_nanos: 0,
        items: ['web search tool calls'],
        is_marked: true,
      },
    ])
    expect(total).toMatchObject({
      difference_nanos: 0.25 * DOLLAR,
      difference_percent: 6.67,
      is_marked: true,
    })
  })

  test('marks differences of more than 2 % and more than a cent', async () => {
    const markOf = async (billed: string, dollars: number) =>
      compareCosts(await billOf(`${DAY},gpt-5.5,${billed},`), [cost('gpt-5.5', dollars)]).total.is_marked
    expect(await markOf('100', 98)).toBe(false)
    expect(await markOf('100', 97.9)).toBe(true)
    expect(await markOf('100', 102.1)).toBe(true)
    expect(await markOf('0.01', 0.02)).toBe(false)
    expect(await markOf('0', 0.02)).toBe(true)
    expect(await markOf('-1', 1)).toBe(true)
  })

  test('compares a bill that names no model as a whole and by day only', async () => {
    const entries = await lineItems('=3')
    const { models, days, total } = compareCosts(entries, [cost('gpt-5.5', 1), cost('gpt-5.6-sol', 2)])
    expect(total).toMatchObject({ difference_nanos: 0, is_marked: false })
    expect(days).toMatchObject([{ date: DAY, difference_nanos: 0 }])
    expect(models.map(({ model, billed_nanos, is_marked }) => [model, billed_nanos, is_marked])).toEqual([
      ['', 3 * DOLLAR, true],
      ['gpt-5.6-sol', null, false],
      ['gpt-5.5', null, false],
    ])
  })

  test('compares requests or tokens where the files state no amounts', async () => {
    const usage = async (columns: string, ...rows: readonly string[]) =>
      (await readBill([columns, ...rows].join('\n'))).entries
    const byRequests = await usage(
      'start_time,num_model_requests,model,input_tokens',
      `${DAY},12,gpt-5.5,1000`,
    )
    expect(compareCosts(byRequests, [cost('gpt-5.5', 1)]).models).toMatchObject([
      { billed_nanos: null, difference_nanos: null, billed_requests: 12, is_marked: true },
    ])
    const columns = 'usage_date_utc,model_version,usage_input_tokens_no_cache,usage_output_tokens'
    const byTokens = await usage(columns, `${DAY},claude-opus-4-6,900,100`)
    expect(compareCosts(byTokens, [cost('claude-opus-4-6', 1)]).models).toMatchObject([
      { billed_requests: null, billed_tokens: 1000, tokens: 1000, is_marked: false },
    ])
  })

  test('a version that was requested without its number takes its bill', async () => {
    const { models } = compareCosts(await billOf(`${DAY},gpt-4-0613,1,`), [cost('gpt-4', 1)])
    expect(models).toMatchObject([{ model: 'gpt-4', difference_nanos: 0 }])
  })

  test('a name that turns thinking up is billed as its model', async () => {
    const { models } = compareCosts(await billOf(`${DAY},o3-mini,1,`), [cost('o3-mini-high', 1)])
    expect(models).toMatchObject([{ model: 'o3-mini', difference_nanos: 0 }])
  })
})

describe('causes', () => {
  const factsOf = async (
    rows: readonly string[],
    costs: readonly ComputedCost[],
    changed: Partial<CauseFacts> = {},
  ): Promise<CauseFacts> => {
    const entries = await billOf(...rows)
    return {
      comparison: compareCosts(entries, costs),
      entries,
      excluded: { rows: 0, nanos: 0 },
      isInCents: false,
      unknownCostQuota: 0,
      channelsWithoutPrices: [],
      modelsWithoutPrice: [],
      hours: new Map(),
      isStillCounting: false,
      ...changed,
    }
  }
  const causesOf = async (...facts: Parameters<typeof factsOf>) => findCauses(await factsOf(...facts))
  const same = [`${DAY},gpt-5.5,1,10`] as const

  test('there are none where nothing differs', async () => {
    expect(await causesOf(same, [cost('gpt-5.5', 1)])).toEqual([])
  })

  test('names requests without a known cost, and why it is not known', async () => {
    const costs = [cost('gpt-5.5', 0, { unknownCostRequests: 4 })]
    const facts = { unknownCostQuota: 500_000, channelsWithoutPrices: ['a'], modelsWithoutPrice: ['m'] }
    expect(await causesOf(same, costs, facts)).toMatchObject([
      { code: 'unknown_cost', count: 4, nanos: DOLLAR },
      { code: 'no_purchase_prices', names: ['a'] },
      { code: 'no_price', names: ['m'] },
    ])
  })

  test('names models that only the provider served, or only the gateway', async () => {
    const rows = [`${DAY},gpt-5.6-sol,5,7`, `${DAY},gpt-5.5,1,10`]
    expect(await causesOf(rows, [cost('gpt-5.5', 1), cost('o3', 2)])).toMatchObject([
      { code: 'not_through_gateway', names: ['gpt-5.6-sol'], nanos: 5 * DOLLAR, count: 0 },
      { code: 'not_billed', names: ['o3'], nanos: 2 * DOLLAR },
    ])
  })

  test('tells requests that the provider counted more', async () => {
    expect(await causesOf([`${DAY},gpt-5.5,1.2,12`], [cost('gpt-5.5', 1)])).toEqual([
      { code: 'not_through_gateway', count: 2, nanos: 0, names: [] },
    ])
  })

  test('finds the factor by which all models differ', async () => {
    const costs = [cost('gpt-5.5', 10), cost('o3', 5)]
    expect(await causesOf([`${DAY},gpt-5.5,8,10`, `${DAY},o3,4.01,10`], costs)).toEqual([
      { code: 'factor', factor: 0.801 },
    ])
    expect(await causesOf([`${DAY},gpt-5.5,8,10`, `${DAY},o3,4.5,10`], costs)).toEqual([])
  })

  test('finds the time zone in which the days fit', async () => {
    const start = Date.parse('2026-11-02T00:00:00Z') / 1000
    const hours = new Map(
      Array.from({ length: 96 }, (_, hour) => [start + (hour - 24) * HOUR, hour ** 2 * 1e7]),
    )
    const sum = (from: number, zone: number) =>
      Array.from({ length: 24 }, (_, hour) => hours.get(from + (hour - zone) * HOUR) ?? 0).reduce(
        (a, b) => a + b,
      )
    const days = ['2026-11-02', '2026-11-03']
    const costs = days.map((day, index) =>
      cost('gpt-5.5', sum(start + index * 24 * HOUR, 0) / DOLLAR, { day }),
    )
    const rowsIn = (zone: number) =>
      days.map((day, index) => `${day},gpt-5.5,${sum(start + index * 24 * HOUR, zone) / DOLLAR},10`)
    expect(await causesOf(rowsIn(8), costs, { hours })).toEqual([{ code: 'time_zone', hours: 8 }])
    expect(await causesOf(rowsIn(-5), costs, { hours })).toEqual([{ code: 'time_zone', hours: -5 }])
    expect(await causesOf(rowsIn(0), costs, { hours })).toEqual([])
  })

  test('names days that the files lack, rows outside, credits, rounding and tools', async () => {
    const costs = [cost('gpt-5.5', 1.004), cost('gpt-5.5', 2, { day: '2026-11-03' })]
    const codes = async (...facts: Parameters<typeof factsOf>) =>
      (await causesOf(...facts)).map(({ code }) => code)
    expect(await codes(same, costs)).toEqual(['days_missing'])
    expect(await codes(same, costs.slice(0, 1), { excluded: { rows: 1, nanos: 5 } })).toEqual([
      'rows_outside',
    ])
    expect(await codes(same, costs.slice(0, 1), { isInCents: true })).toEqual(['rounding'])
    expect(await codes([...same, `${DAY},gpt-5.5,-0.5,0`], [cost('gpt-5.5', 0.5)])).toEqual(['credits'])
    const facts = await factsOf([...same, `${DAY},,0.5,0`], costs.slice(0, 1), { isStillCounting: true })
    expect(findCauses(facts).map(({ code }) => code)).toEqual(['items_without_model', 'still_counting'])
  })

  test('rows without amounts are not rounded', async () => {
    const entries = await billOf(...same)
    const usage = Array.from({ length: 100 }, () => ({
      rows: 1,
      day: DAY,
      item: 'gpt-5.5',
      isModel: true,
      requests: 0,
    }))
    const facts = await factsOf(same, [cost('gpt-5.5', 1.006)], { isInCents: true })
    const credited = { digits: 0n, scale: 0 }
    const all = [...entries, ...usage.map(entry => ({ ...entry, credited }))]
    expect(findCauses({ ...facts, entries: all })).toEqual([])
  })

  test('each is said in both languages with its figures', () => {
    const cause = {
      code: 'not_through_gateway',
      count: 1,
      nanos: 5 * DOLLAR,
      names: ['gpt-5.6-sol'],
    } as const
    expect(causeText(cause)).toEqual({
      zh: '账单中有 $5.00 的模型没有经过这些渠道：gpt-5.6-sol。供应商比我方多计 1 个请求。该账户可能还有不经过网关的流量，或缺少渠道。',
      en: 'The bill has $5.00 for models that these channels did not serve: gpt-5.6-sol. The provider counted 1 request more. The account may have traffic that did not pass through the gateway, or a channel is missing.',
    })
  })
})
