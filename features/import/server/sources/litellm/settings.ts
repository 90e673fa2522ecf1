import type { ImportedOption, Reading } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { text } from '../../read-values.ts'
import type { Directory } from './directory.ts'
import { pricesOf } from './prices.ts'

/** Members that are added to options here: groups of teams and organisations, and prices of models. */
export function settingRows({ groups, deployments }: Directory): readonly SourceRow[] {
  const rows = [
    ...[...groups.values()].flatMap(group => [
      { option: 'GroupRatio', member: group, value: 1 },
      { option: 'UserUsableGroups', member: group, value: group },
    ]),
    ...pricesOf([...deployments.values()]),
  ]
  const byId = new Map<string, SourceRow>()
  for (const { value, ...row } of rows) {
    const id = `${row.option}/${row.member}`
    if (!byId.has(id)) byId.set(id, { ...row, id, value: JSON.stringify(value) })
  }
  return [...byId.values()]
}

export function readSetting(row: SourceRow): Reading<ImportedOption> {
  const value = `{${JSON.stringify(text(row, 'member'))}:${text(row, 'value')}}`
  return {
    record: { key: text(row, 'option'), value, isAddition: true },
    notes: text(row, 'note') === '' ? [] : [text(row, 'note')],
  }
}
