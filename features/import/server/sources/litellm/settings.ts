import { systemOptions } from '#contract/options/system-options.ts'
import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import type { ImportedOption, Reading } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { jsonObject, text } from '../../read-values.ts'
import type { Deployment } from './deployments.ts'
import type { Directory } from './directory.ts'

/** Members that are added to options here: groups of teams and organisations, and prices of models. */
export function settingRows({ groups, deployments }: Directory): readonly SourceRow[] {
  const rows = [
    ...[...groups.values()].flatMap(group => [
      ['GroupRatio', group, 1] as const,
      ['UserUsableGroups', group, group] as const,
    ]),
    ...[...deployments.values()].flatMap(pricesOf),
  ]
  const byId = new Map<string, SourceRow>()
  for (const [option, member, value] of rows) {
    const id = `${option}/${member}`
    if (!byId.has(id)) byId.set(id, { id, option, member, value: JSON.stringify(value) })
  }
  return [...byId.values()]
}

export function readSetting(row: SourceRow): Reading<ImportedOption> {
  const value = `{${JSON.stringify(text(row, 'member'))}:${text(row, 'value')}}`
  return { record: { key: text(row, 'option'), value, isAddition: true }, notes: [] }
}

type ImportedRatio = readonly [
  option: 'ModelRatio' | 'CompletionRatio' | 'CacheRatio',
  model: string,
  ratio: number,
]

const ratios = {
  ModelRatio: jsonObject(systemOptions.ModelRatio.initial),
  CompletionRatio: jsonObject(systemOptions.CompletionRatio.initial),
  CacheRatio: jsonObject(systemOptions.CacheRatio.initial),
}

/** The price that the deployment names, or else that of the model behind a name that has none here. */
function pricesOf({ names, params = {}, info }: Deployment): readonly ImportedRatio[] {
  const input = numberOf(params.input_cost_per_token ?? info.input_cost_per_token)
  const output = numberOf(params.output_cost_per_token ?? info.output_cost_per_token)
  if (input !== undefined && input > 0)
    return names.flatMap((name): readonly ImportedRatio[] => [
      ['ModelRatio', name, toRatio(input * UNITS_PER_DOLLAR)],
      ...(output === undefined ? [] : [['CompletionRatio', name, toRatio(output / input)] as const]),
    ])
  const behind = String(params.model ?? '').replace(/^[^/]+\//, '')
  return names
    .filter(name => !Object.hasOwn(ratios.ModelRatio, name))
    .flatMap(name =>
      PRICE_OPTIONS.flatMap((option): readonly ImportedRatio[] => {
        const ratio = numberOf(ratios[option][behind])
        return ratio === undefined ? [] : [[option, name, ratio]]
      }),
    )
}

const PRICE_OPTIONS = ['ModelRatio', 'CompletionRatio', 'CacheRatio'] as const
const RATIO_DIGITS = 10

/** Without the last digits of binary fractions: 0.075, not 0.07500000000000001. */
const toRatio = (value: number): number => Number(value.toPrecision(RATIO_DIGITS))

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
