import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { toNanos } from '../compare.ts'
import { readBill } from './read-bill.ts'
import { BillError, readCsv } from './read-csv.ts'

const readFixture = (name: string) => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8')

async function summaryOf(text: string) {
  const { format, rows, hasAmounts, isInCents, entries } = await readBill(text)
  return {
    format,
    rows,
    hasAmounts,
    isInCents,
    entries: entries.map(({ day, item, dollars, requests, inputTokens, outputTokens }) =>
      [day, item, dollars && toNanos(dollars), requests, inputTokens, outputTokens].filter(
        value => value !== undefined,
      ),
    ),
  }
}

async function rejectionOf(text: string): Promise<string> {
  try {
    await readBill(text)
  } catch (error) {
    if (error instanceof BillError)
      return error.row === undefined ? error.message : `${error.row}: ${error.message}`
    throw error
  }
  return ''
}

describe('providers', () => {
  test("reads OpenAI's costs by day and line item, without days that have none", async () => {
    expect(await summaryOf(readFixture('openai-costs.csv'))).toEqual({
      format: 'openai_costs',
      rows: 7,
      hasAmounts: true,
      isInCents: false,
      entries: [
        ['2026-11-02', 'gpt-5.5-2026-04-23, input', 3_835_980],
        ['2026-11-02', 'gpt-5.5-2026-04-23, output', 1_500_000_000],
        ['2026-11-02', 'web search tool calls', 30_000_000],
        ['2026-11-03', 'priority | gpt-5.6-sol, output, long context', 500_000_001],
        ['2026-11-03', 'credit', -1_000_000_000],
      ],
    })
  })

  test("reads OpenAI's usage with requests and tokens and without amounts", async () => {
    expect(await summaryOf(readFixture('openai-usage.csv'))).toEqual({
      format: 'openai_usage',
      rows: 4,
      hasAmounts: false,
      isInCents: false,
      entries: [
        ['2026-11-02', 'gpt-5.5-2026-04-23', 15, 104_983, 70_646],
        ['2026-11-03', 'text-embedding-3-small', 2, 900],
      ],
    })
  })

  test("reads Anthropic's costs by display name, in cents", async () => {
    expect(await summaryOf(readFixture('anthropic-costs.csv'))).toEqual({
      format: 'anthropic_costs',
      rows: 4,
      hasAmounts: true,
      isInCents: true,
      entries: [
        ['2026-11-02', 'Claude Opus 4.6', 2_000_000_000],
        ['2026-11-02', '', 20_000_000],
        ['2026-11-03', 'Claude 3.5 Sonnet 2024-10-22', 10_000_000],
      ],
    })
  })

  test("adds up all of Anthropic's input tokens", async () => {
    expect(await summaryOf(readFixture('anthropic-usage.csv'))).toEqual({
      format: 'anthropic_usage',
      rows: 1,
      hasAmounts: false,
      isInCents: false,
      entries: [['2026-11-02', 'claude-opus-4-6', 1_111, 2_640]],
    })
  })

  test("reads OpenRouter's activity by generation, by day and as its API names it", async () => {
    expect(await summaryOf(readFixture('openrouter-generations.csv'))).toMatchObject({
      format: 'openrouter_generations',
      entries: [
        ['2026-11-02', 'openai/gpt-5.5', 2_800_000, 2],
        ['2026-11-03', 'anthropic/claude-4.8-opus-20260528', 400, 1],
      ],
    })
    const days = {
      format: 'openrouter_days',
      entries: [['2026-11-02', 'anthropic/claude-opus-4.7', 430_070_000_000, 4115]],
    }
    expect(await summaryOf(readFixture('openrouter-days.csv'))).toMatchObject(days)
    expect(await summaryOf(readFixture('openrouter-activity.csv'))).toMatchObject(days)
  })

  test('reads any bill that an operator writes with date, model and cost', async () => {
    const text = 'Date;Model;Cost USD\r\n2026-11-02;gpt-5.5;"$1,234.56"\r\n'
    expect(await summaryOf(text)).toMatchObject({
      format: 'plain',
      entries: [['2026-11-02', 'gpt-5.5', 1_234_560_000_000]],
    })
  })
})

describe('shapes of a file', () => {
  const HEADER = 'date,model,cost_usd'
  const entriesOf = async (text: string) => (await summaryOf(text)).entries

  test('a mark at the beginning, CRLF, CR, quotation marks, blank lines and tabs make no difference', async () => {
    const plain = await entriesOf(`${HEADER}\n2026-11-02,a,1.5\n`)
    expect(plain).toEqual([['2026-11-02', 'a', 1_500_000_000]])
    for (const text of [
      `\uFEFF${HEADER}\r\n2026-11-02,a,1.5`,
      `${HEADER}\r2026-11-02,a,1.5\r`,
      `"date","model","cost_usd"\n\n"2026-11-02","a","1.5"\n\n`,
      'date\tmodel\tcost_usd\n2026-11-02\ta\t1.5',
      `${HEADER}\n2026-11-02,a,1.50000\n`,
      `${HEADER}\n2026-11-02T03:00:00+00:00,a,15e-1\n`,
      `${HEADER}\n2026-11-02 23:59:59.5,a,1\n2026-11-03T01:00:00+02:00,a,.5\n`,
    ])
      expect(await entriesOf(text)).toEqual(plain)
  })

  test('keeps separators, line breaks and quotation marks of quoted cells', () => {
    expect([...readCsv('a,b\n"x, ""y""\nz",2\n')].map(({ number, cells }) => [number, ...cells])).toEqual([
      [1, 'a', 'b'],
      [2, 'x, "y"\nz', '2'],
    ])
  })

  test('reads everything that a CSV writer writes', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', '\r\n', ' b ') })
    const table = fc
      .integer({ min: 2, max: 5 })
      .chain(width =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      )
    fc.assert(
      fc.property(table, rows => {
        const header = rows[0]?.map((_, index) => `h${index}`) ?? []
        const quoted = rows.map(cells => cells.map(text => `"${text.replaceAll('"', '""')}"`).join(','))
        const found = [...readCsv([header.join(','), ...quoted].join('\r\n'))].slice(1)
        expect(found.map(({ cells }) => cells)).toEqual(rows.map(cells => cells.map(text => text.trim())))
      }),
    )
  })

  test('adds amounts exactly and rounds once', async () => {
    const rows = Array.from({ length: 10 }, () => '2026-11-02,a,0.00000000015').join('\n')
    expect(await entriesOf(`${HEADER}\n${rows}`)).toEqual([['2026-11-02', 'a', 2]])
  })

  test.each([
    ['', 'the file is empty'],
    ['\n\n', 'the file is empty'],
    [HEADER, 'there are no rows after the header'],
    ['foo,bar\n1,2', '1: the header "foo, bar" is not known'],
    [`${HEADER},model\n2026-11-02,a,1,b`, '1: the column model is there twice'],
    [`${HEADER}\n2026-11-02,a`, '2: it has 2 cells and the header has 3'],
    [`${HEADER}\n2026-11-02;a;1`, '2: it has 1 cells and the header has 3'],
    [`${HEADER}\n2026-11-02,a,1,5`, '2: it has 4 cells and the header has 3'],
    [`${HEADER}\n\n2026-11-02,a,NaN`, '3: cost_usd "NaN" is not a number of dollars'],
    [`${HEADER}\n2026-11-02,a,Infinity`, '2: cost_usd "Infinity" is not a number of dollars'],
    [`${HEADER}\n2026-11-02,a,`, '2: cost_usd "" is not a number of dollars'],
    [`${HEADER}\n2026-11-02,a,€1`, '2: cost_usd "€1" is not a number of dollars'],
    ['date;model;cost_usd\n2026-11-02;a;1,5', '2: cost_usd "1,5" is not a number of dollars'],
    [`${HEADER}\n2026-11-02,a,--1`, '2: cost_usd "--1" is not a number of dollars'],
    [`${HEADER}\n2026-11-02,a,1e30`, '2: cost_usd "1e30" is beyond 1000000 dollars'],
    [`${HEADER}\n2026-11-02,a,1e-99999`, '2: cost_usd "1e-99999" is not a number of dollars'],
    [`${HEADER}\n2026-02-30,a,1`, '2: date "2026-02-30" is not a date like 2026-11-27'],
    [`${HEADER}\n11/02/2026,a,1`, '2: date "11/02/2026" is not a date like 2026-11-27'],
    [`${HEADER}\nTotal,,1`, '2: date "Total" is not a date like 2026-11-27'],
    [`${HEADER}\n2026-11-02,"a,1`, '2: a quotation mark is not closed'],
    [`${HEADER}\n2026-11-02,"a"b,1`, '2: there is text after a closing quotation mark'],
    ['{"object": "page", "data": []}', 'it is JSON, and CSV is needed'],
    [' [1]\n', 'it is JSON, and CSV is needed'],
    ['{"a": 1}\n{"a": 2}\n', 'it is JSON, and CSV is needed'],
    ['[{"a": 1}, {"a"', 'it is JSON, and CSV is needed'],
    [`${HEADER}\n2026-11-02,a"b,1`, '2: a quotation mark stands within a cell that is not quoted'],
  ])('refuses %j and names the row', async (text, reason) => {
    expect(await rejectionOf(text)).toStartWith(reason)
  })

  test('refuses files with too many rows, cells or characters in a cell', async () => {
    const rows = (count: number) => `${HEADER}\n${'2026-11-02,a,1\n'.repeat(count)}`
    expect(await rejectionOf(rows(199_999))).toBe('')
    expect(await rejectionOf(rows(200_000))).toBe('there are more than 200000 rows')
    expect(await rejectionOf(','.repeat(300))).toBe('1: it has more than 200 cells')
    const cell = 'a'.repeat(10_001)
    expect(await rejectionOf(`${HEADER}\n2026-11-02,${cell},1`)).toBe(
      '2: a cell has more than 10000 characters',
    )
  })

  test('refuses other currencies', async () => {
    const text = readFixture('openai-costs.csv').replace('0.003835980000000000000000000000,usd', '1,eur')
    expect(await rejectionOf(text)).toBe('3: amount_currency "eur" is not usd')
  })

  test('refuses too many combinations of a day and an item', async () => {
    const rows = Array.from({ length: 50_001 }, (_, index) => `2026-11-02,m${index},1`).join('\n')
    expect(await rejectionOf(`${HEADER}\n${rows}`)).toStartWith('it has more than 50000 combinations')
  })

  test('refuses or reads any text, and never fails otherwise', async () => {
    const text = fc.string({
      unit: fc.constantFrom(
        'date',
        'model',
        'cost_usd',
        '2026-11-02',
        '1.5',
        'a',
        '"',
        ',',
        ';',
        '\n',
        '\r',
        '-',
        '$',
        'e9',
      ),
    })
    await fc.assert(
      fc.asyncProperty(text, async drawn => {
        await rejectionOf(drawn)
        await rejectionOf(`${HEADER}\n${drawn}`)
      }),
    )
  })
})
