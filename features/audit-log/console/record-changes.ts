import type { AuditRow } from '../contract/audit-log.ts'

export type Effect = 'created' | 'changed' | 'deleted'

export interface FieldChange {
  /** Empty: the record is a single value, such as an option. */
  readonly field: string
  /** Undefined: there was none. */
  readonly before: string | undefined
  readonly after: string | undefined
}

export interface RecordChange {
  readonly target: string
  readonly effect: Effect
  readonly fields: readonly FieldChange[]
}

const SEPARATOR = ' › '

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** The records of a row with every field that differs, nested ones by their path. */
export function recordChanges({ kind, before, after }: Pick<AuditRow, 'kind' | 'before' | 'after'>) {
  const targets = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return targets.map((target): RecordChange => {
    const [was, is] = [shownRecord(before[target], kind), shownRecord(after[target], kind)]
    return { target, effect: effectOf(before[target], after[target]), fields: fieldChanges([], was, is) }
  })
}

/** The one column of an option is no field to its readers. */
const shownRecord = (record: unknown, kind: string): unknown =>
  kind === 'option' && isFields(record) ? record.value : record

/** Records that are only marked as deleted are as gone as others. */
function effectOf(before: unknown, after: unknown): Effect {
  if (isAbsent(before)) return 'created'
  if (isAbsent(after)) return 'deleted'
  return isFields(after) && !isAbsent(after.deleted_at) ? 'deleted' : 'changed'
}

function fieldChanges(path: readonly string[], before: unknown, after: unknown): readonly FieldChange[] {
  const hasFields = [before, after].every(value => isFields(value) || isAbsent(value))
  const names = new Set([before, after].flatMap(value => (isFields(value) ? Object.keys(value) : [])))
  if (hasFields && names.size > 0)
    return [...names].flatMap(name =>
      fieldChanges([...path, name], fieldOf(before, name), fieldOf(after, name)),
    )
  const [was, is] = [shownValue(before), shownValue(after)]
  return (was ?? '') === '' && (is ?? '') === ''
    ? []
    : [{ field: path.join(SEPARATOR), before: was, after: is }]
}

const fieldOf = (value: unknown, name: string): unknown => (isFields(value) ? value[name] : undefined)

function shownValue(value: unknown): string | undefined {
  if (isAbsent(value)) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
